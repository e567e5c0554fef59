// Package dial connects to PostgreSQL as libpq and psql do, and never tells a
// password.
//
//  1. [Parse] collects what the flags, the connection string, the service
//     file, the environment and the password file say, in libpq's precedence,
//     into a [Target]. [Socket] makes a Target for a server of our own, which
//     ignores all of them.
//  2. [Target.WithDatabase] and [Target.WithOption] derive other targets.
//  3. [Target.Connect] and [Target.ConnectRaw] make a session: up to three
//     tries with a growing wait, a time limit for each, and an application_name
//     by which the administrator can tell our sessions apart.
//  4. A failure wraps [pgassay.ErrConnect], says which server it was, why it
//     failed and (as its hint) what can be done. [Redact] removes secrets from
//     any other text.
package dial
