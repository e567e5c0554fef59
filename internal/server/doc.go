// Package server makes the servers that experiments run on, and works with
// those that it did not make.
//
// A created server:
//
//  1. [OpenHome] opens the place where everything is kept (PGASSAY_HOME).
//  2. [Home.Template] loads a dataset once per key: an initdb'ed cluster, schema,
//     data, storage parameters, the arm's SQL, VACUUM (FREEZE, ANALYZE), a
//     checkpoint and a clean stop. The key holds everything that changes stored
//     bytes, so a template is never wrong, only missing.
//  3. [Home.Instance] clones a template (sharing blocks where the file system
//     can), waits until write-back of the copy is over, writes the settings and
//     starts the server on a Unix socket in a directory of its own.
//  4. [Instance.Stop] stops it and removes the directory.
//
// The server is a child of this process and dies with it: the kernel signals
// the postmaster when the thread that started it ends. Each instance directory
// names its owner (process id and start time); what a dead owner left is
// removed by the next [OpenHome] or by [Home.Clean].
//
// An attached server ([Attach]) is read-only to us unless the user allows
// more; what is changed is in the journal first and put back by
// [Attached.Restore] or, after a crash of ours, by [RestorePending].
package server
