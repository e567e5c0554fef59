package load

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/internal/load/script"
	"github.com/pgassay/pgassay/internal/load/wire"
)

// compile makes the program of the workload and the statements for the engine.
func compile(c *Config) (*script.Program, []*wire.Statement, error) {
	var units []script.Unit
	var faults []error
	for _, s := range c.Scripts {
		parsed, err := script.Parse(s.Name, s.Text)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		units = append(units, script.Unit{Script: parsed, Weight: max(s.Weight, 1), Variables: s.Variables})
	}
	var program *script.Program
	if len(faults) == 0 {
		var err error
		if program, err = script.Compile(units, c.Variables); err != nil {
			faults = append(faults, err)
		}
	}
	if len(faults) > 0 {
		return nil, nil, fmt.Errorf("%w: read scripts:\n%w", pgassay.ErrUsage, errors.Join(faults...))
	}
	var all []*wire.Statement
	for _, st := range program.Statements() {
		out := &wire.Statement{ID: st.ID}
		for i, p := range st.Parts {
			out.Parts = append(out.Parts, wire.Part{SQL: p.SQL, Pieces: p.Pieces, Name: fmt.Sprintf("pgassay_%d_%d", st.ID, i)})
		}
		all = append(all, out)
	}
	return program, all, nil
}

var (
	copyFromClient = regexp.MustCompile(`(?is)^copy\b.*\bfrom\s+stdin\b`)
	// changesSchema is a statement after which others may become valid.
	changesSchema = regexp.MustCompile(`(?is)^(create|alter|drop|do|call|set|discard)\b|\binto\s+temp`)
)

const syntaxError = "42601"

// check asks the server to prepare every statement. Where the scripts change
// the schema themselves, only a syntax error is sure to be a fault.
func check(ctx context.Context, c *Config, program *script.Program, all []*wire.Statement) error {
	var faults []error
	changing := false
	at := func(id, line int) string {
		st := program.Statements()[id]
		return fmt.Sprintf("%s:%d", st.Script, st.Line+line)
	}
	for _, st := range all {
		for _, p := range st.Parts {
			changing = changing || changesSchema.MatchString(p.SQL)
			if copyFromClient.MatchString(p.SQL) {
				faults = append(faults, fmt.Errorf("%s: COPY FROM STDIN needs data, which a script does not have", at(st.ID, 0)))
			}
		}
	}
	conn, err := c.Target.ConnectRaw(ctx, "load")
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	found, err := wire.Check(ctx, conn, wire.Protocol(c.Protocol), all)
	if err != nil {
		return err
	}
	hint := ""
	for _, f := range found {
		if changing && f.Err.Code != syntaxError {
			continue
		}
		faults = append(faults, fmt.Errorf("%s: %s (SQLSTATE %s)", at(f.Statement, f.Line), f.Err.Message, f.Err.Code))
		if p := all[f.Statement].Parts[f.Part]; f.Err.Code == syntaxError && strings.Contains(f.Err.Message, `"$`) && len(p.Pieces) > 1 {
			hint = "a variable stands where a prepared statement takes no parameter; the simple protocol puts its text in"
		}
	}
	if len(faults) == 0 {
		return nil
	}
	err = fmt.Errorf("%w: check scripts:\n%w", pgassay.ErrUsage, errors.Join(faults...))
	if hint != "" {
		err = pgassay.WithHint(err, hint)
	}
	return err
}
