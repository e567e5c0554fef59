package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/pgassay/pgassay"
)

// The exit codes (docs/commands.md).
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitFailOn      = 3
	exitConnect     = 4
	exitInvalid     = 5
	exitInterrupted = 130
)

// app is the outside world of a command: everything it reads and writes. Tests
// replace it.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) (string, bool)
}

func main() {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv}
	os.Exit(a.main(context.Background(), os.Args[1:]))
}

// cli is the command line.
type cli struct {
	Help helpFlag `name:"help" short:"?" help:"Show help for a command."`

	Run      runCmd      `cmd:"" help:"Run an experiment: a built-in one by name, or a YAML file."`
	Check    checkCmd    `cmd:"" help:"Check an experiment file against a server and say what a run will take."`
	Init     initCmd     `cmd:"" help:"Write an experiment file to start from."`
	List     listCmd     `cmd:"" help:"List the built-in experiments, datasets and scripts."`
	Schema   schemaCmd   `cmd:"" help:"Print the JSON Schema of experiment files."`
	Report   reportCmd   `cmd:"" help:"Make the reports of a run again, from its run.db alone."`
	Postgres postgresCmd `cmd:"" help:"List the PostgreSQL builds on this host, or fetch one."`
	Restore  restoreCmd  `cmd:"" help:"Put back settings that an interrupted run left changed on your server."`
	Clean    cleanCmd    `cmd:"" help:"Remove cached templates and what dead runs left behind."`
	Doctor   doctorCmd   `cmd:"" help:"Say what this host can and cannot do."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
}

// helpFlag prints help and ends the command. -h is the host, as in psql.
type helpFlag bool

// BeforeReset is called by kong when the flag is seen.
func (helpFlag) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	ctx.Kong.Exit(exitDone)
	return nil
}

const description = `pgassay finds out what a PostgreSQL setting really does: on your hardware, under your load, with evidence.

  pgassay run quick            three autovacuum settings compared in a few minutes
  pgassay run my.yaml          your own experiment
  pgassay report DIR           the report of a run again

Exit codes: 0 done, 1 failed, 2 usage or experiment file, 3 a verdict matched --fail-on, 4 cannot connect or no permission, 5 the primary comparison is invalid, 130 interrupted.`

// exited carries the exit code that kong asks for out of its parser.
type exited int

// main parses args, runs the command and returns the exit code.
func (a *app) main(ctx context.Context, args []string) (code int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exited:
			code = int(r)
		default:
			panic(r)
		}
	}()
	var c cli
	parser, err := kong.New(&c, kong.Name("pgassay"), kong.Description(description), kong.NoDefaultHelp(),
		kong.Writers(a.stdout, a.stderr), kong.Exit(func(code int) { panic(exited(code)) }), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 110}),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(a))
	if err != nil {
		return a.fail(err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return a.fail(pgassay.WithHint(fmt.Errorf("%w: %w", pgassay.ErrUsage, err), "See `pgassay --help`, or `pgassay COMMAND --help`."))
	}
	return a.fail(parsed.Run())
}

// coded is an outcome with its own exit code.
type coded struct {
	code int
	err  error
}

func (c *coded) Error() string { return c.err.Error() }
func (c *coded) Unwrap() error { return c.err }

// fail prints an error with its hint and returns the exit code.
func (a *app) fail(err error) int {
	if err == nil {
		return exitDone
	}
	// The exit code says that it is the request; the word would only be noise.
	text := strings.ReplaceAll(err.Error(), pgassay.ErrUsage.Error()+": ", "")
	fmt.Fprintf(a.stderr, "pgassay: %s\n", strings.TrimRight(text, "\n"))
	if hint := pgassay.Hint(err); hint != "" {
		fmt.Fprintf(a.stderr, "  → %s\n", hint)
	}
	var c *coded
	switch {
	case errors.As(err, &c):
		return c.code
	case errors.Is(err, pgassay.ErrUsage):
		return exitUsage
	case errors.Is(err, pgassay.ErrRefused), errors.Is(err, pgassay.ErrConnect):
		return exitConnect
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailed
}
