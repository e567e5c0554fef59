// Package store keeps a run: one SQLite file that is written while the run
// goes on and read afterwards. It is the only truth; every report can be made
// from it again.
//
//  1. [Create] makes the file with the experiment, its files and its arms.
//  2. [Store.Begin] notes that a trial was ordered; [Store.Commit] stores all
//     of a trial in one transaction that is on disk when it returns
//     (synchronous=FULL); [Store.Decide] stores what the plan decided.
//  3. After a crash, [Open] finds what was committed. Trials that began and
//     never ended are marked interrupted by [Store.Recover].
//  4. [Store.Read] returns the records; [Store.Derive] replaces the derived_
//     tables, which are never needed to read a run.
//
// The file is in WAL mode while it is written and one single file after
// [Store.Close]. user_version is the version of the schema; newer ones are
// refused.
package store
