// Package autovacuum holds PostgreSQL's own rules for when autovacuum works on
// a table and how fast it may go, for versions 14 to 18 and, by the parameters
// that a server has, for 19. It is pure: planner, checks, policy and simulator
// all ask it, so that there is one truth about the server.
//
// How the rules are asked:
//
//  1. [For] gives the rules of a major version; [Rules.Detect] corrects them by
//     what a server really has.
//  2. [Defaults] or [Read] gives the [Parameters] of the server, and
//     [Parameters.ForTable] what is in force for one table after its storage
//     parameters.
//  3. [Rules.Thresholds] gives the three triggers of a table; [Thresholds.Due]
//     holds counters against them.
//  4. [Rules.Budgets] divides the cost budget between workers.
//  5. [Work.Units] predicts what a vacuum is charged for and [Budget.Seconds]
//     how long it then takes; [Cadence] how often a table is vacuumed.
//
// The formulas are from relation_needs_vacanalyze, autovac_balance_cost and
// AutoVacuumUpdateCostLimit (postmaster/autovacuum.c), vacuum_delay_point
// (commands/vacuum.c) and lazy_scan_heap (access/heap/vacuumlazy.c).
package autovacuum
