// Package stats holds the statistics that verdicts are made of, as functions of
// their arguments.
//
//  1. Every block of an experiment gives one number per comparison: the log of
//     a ratio ([LogRatio]), or a difference.
//  2. [TInterval] and [TTest] turn these numbers into an interval and a
//     p-value; [RatioInterval] is the interval of the ratio itself.
//  3. [Holm] corrects the p-values of a family of comparisons.
//  4. [HodgesLehmann] is the robust twin of the mean, [Detectable] the effect
//     that a design of this size can see.
//
// Nothing here keeps or reorders the caller's slices.
package stats
