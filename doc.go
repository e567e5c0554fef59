// Package pgassay holds the words of the product: what an experiment is made
// of and the records that flow between the rooms of the house. It imports only
// the standard library and none of its siblings; every sibling may import it.
//
// How the records flow:
//
//  1. internal/experiment decodes a YAML file into an [Experiment]: its
//     [Factor]s and named arms become [Arm]s, its clients become [Load] levels.
//  2. internal/experiment/plan turns it into [TrialOrder]s, one step at a time.
//  3. internal/lab executes each order and fills a [TrialRecord]: [Series],
//     [Histogram]s, [Event]s, [Snapshot]s and the settings that were in force.
//  4. internal/check adds a [CheckResult] for every validity test.
//  5. internal/lab/store keeps the records; internal/analyze turns them into
//     [Comparison]s with a [Verdict] each; internal/report shows them.
//
// Units: times on a trial's clock are nanoseconds from the start of its
// measurement interval (negative before it), sizes are bytes, and a name that
// carries another unit ends with it. Percentages are fractions (0.05 is 5 %).
package pgassay
