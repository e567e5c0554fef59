// Package check asks of every experiment whether it could have answered its
// question. It is pure: evidence in, results out. Checks look at the host and
// the server, never at whether a result is welcome.
//
//  1. [Trial] judges one measured trial. A failed check of severity trial makes
//     the trial invalid, and the plan repeats it.
//  2. [Run] judges the trials of a run together: for every factor, and for every
//     arm against the baseline, whether what was varied was in force, could
//     act, and acted long enough. A failed check of severity experiment makes
//     the comparisons that it names invalid.
//  3. [Attribute] says for each autovacuum run which trigger started it; the
//     checks of vacuum settings count only runs of the treated trigger.
//  4. [RuleFor] holds what pgassay knows of a setting: what it acts through, when
//     it can matter, which counters it moves and when the server takes it. A
//     setting without a rule is never passed, only not evaluated.
//
// Each check has its own file, named after its number in METHOD; [Infos] lists
// them all and docs/checks.md is written from it.
//
// A cell (one arm at one load level) is described by the median over its valid
// trials, so that one odd trial neither makes nor breaks a comparison.
package check
