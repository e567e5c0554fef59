// Package script is pgbench's script language: text in, transactions out.
//
//  1. [Parse] turns a script's text into a [Script]: SQL commands with their
//     :variables found, and backslash commands with their expressions parsed.
//     It collects every error, each an [*Error] with line, column and hint.
//  2. [Compile] joins the scripts of a workload into a [Program]: variables
//     become slots, \if becomes jumps. An undefined variable is an error here,
//     before any load.
//  3. [Program.NewClient] makes one client's state: its variables and its
//     random numbers, which depend on (seed, client) only.
//  4. [Client.Choose] picks a script by weight, [Client.Start] begins it, and
//     [Client.Next] runs it up to the next thing that takes time: an SQL command,
//     a sleep, or the end. It allocates nothing.
//
// Expressions have pgbench's types (integer, double, boolean, NULL), operators,
// precedence and functions, and its errors: integer overflow, division by zero
// and a wrong type end the run instead of giving a wrong key. hash_fnv1a,
// hash_murmur2 and permute give pgbench's values. random gives other values than
// pgbench's generator, which its own versions do not keep either, but with one
// seed the same ones on every platform: integers only, or logarithms and
// exponentials computed here in a fixed order (portable.go). The functions exp,
// ln and pow use the machine's best and may differ in the last of 17 digits.
//
// Where it is better than pgbench: \; commands work with prepared statements, a
// :name inside quotes or comments is never replaced, and a misspelt variable is
// found before the load.
package script
