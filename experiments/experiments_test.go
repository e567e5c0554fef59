package experiments_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgassay/pgassay"
	"github.com/pgassay/pgassay/experiments"
	"github.com/pgassay/pgassay/internal/experiment"
	"github.com/pgassay/pgassay/internal/labtest"
	"github.com/pgassay/pgassay/internal/load/script"
)

// small are parameters with which a dataset loads at once, and where its rows
// are.
var small = map[string]struct{ parameters, count string }{
	"events":  {"rows: 2_000", "SELECT count(*) FROM events"},
	"pgbench": {"scale: 1", "SELECT (SELECT count(*) FROM pgbench_accounts) + (SELECT count(*) FROM pgbench_tellers) + (SELECT count(*) FROM pgbench_branches)"},
	"upsert":  {"keys: 2_000", "SELECT count(*) FROM upsert_target"},
	"ladder":  {"percent: 10", "SELECT " + ladderCount()},
}

func ladderCount() string {
	var terms []string
	for i := 1; i <= 13; i++ {
		terms = append(terms, fmt.Sprintf("(SELECT count(*) FROM ladder_%02d)", i))
		if i <= 3 {
			terms = append(terms, fmt.Sprintf("(SELECT count(*) FROM ladder_%02d_b)", i))
		}
	}
	return strings.Join(terms, " + ")
}

// decode makes an experiment of a dataset and scripts.
func decode(t *testing.T, dataset string, scripts []string) *pgassay.Experiment {
	t.Helper()
	text := "version: 1\nname: test\ndataset: {builtin: " + dataset + ", " + small[dataset].parameters + "}\nworkload: {clients: [1], scripts: ["
	for _, s := range scripts {
		text += "{builtin: " + s + "}, "
	}
	f, err := experiment.Decode("test.yaml", []byte(text+"]}\n"), experiment.Options{Builtin: experiments.FS})
	if err != nil {
		t.Fatal(err)
	}
	return f.Experiment
}

// TestBuiltinsOnServer loads every dataset on a real server and runs every one
// of its scripts 50 times: the rows are as many as announced, two loads are
// equal, no statement fails, and each script does to its tables what its shape
// says.
func TestBuiltinsOnServer(t *testing.T) {
	scripts := map[string][]string{}
	for _, e := range experiments.List() {
		if e.Kind == "script" {
			text, err := experiments.FS.ReadFile(e.Path)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(text), "-- dataset: ")
			dataset, _, _ := strings.Cut(rest, "\n")
			scripts[dataset] = append(scripts[dataset], e.Name)
		}
	}
	server := labtest.Server(t, labtest.Options{Settings: map[string]string{"autovacuum": "off"}})
	for dataset := range small {
		if len(scripts[dataset]) == 0 {
			t.Errorf("dataset %s has no script", dataset)
		}
		e := decode(t, dataset, scripts[dataset])
		load := "BEGIN;" + e.Dataset.Schema + ";" + e.Dataset.Load + ";" + e.Dataset.Finish + ";COMMIT"
		server.Exec(t, load)
		if got := server.Query1(t, small[dataset].count); got != fmt.Sprint(e.Dataset.Rows) {
			t.Errorf("dataset %s: got %s rows, want %d", dataset, got, e.Dataset.Rows)
		}
		conn := server.Conn(t)
		for i, s := range e.Workload.Scripts {
			t.Run(s.Name, func(t *testing.T) { runScript(t, conn.PgConn(), s, uint64(i)) })
		}
	}
	const digest = "SELECT md5(string_agg(md5(e::text), '' ORDER BY id)) FROM events e"
	e := decode(t, "events", []string{"insert-batch"})
	var digests [2]string
	for i := range digests {
		server.Exec(t, "DROP TABLE events;"+e.Dataset.Schema+";"+e.Dataset.Load+";"+e.Dataset.Finish)
		digests[i] = server.Query1(t, digest)
	}
	if digests[0] != digests[1] || digests[0] == "" {
		t.Errorf("got digests %v of two loads, want equal ones", digests)
	}
	size := server.Query1(t, "SELECT avg(length(payload::text))::int FROM events")
	if size != "197" && size != "198" {
		t.Errorf("got payloads of %s bytes, want about 200", size)
	}
}

// runScript runs a script 50 times and compares the rows it wrote with its
// shape. Random deletes and upserts may miss, so a quarter is forgiven them.
func runScript(t *testing.T, conn *pgconn.PgConn, s pgassay.Script, seed uint64) {
	parsed, err := script.Parse(s.Name, s.Text)
	if err != nil {
		t.Fatal(err)
	}
	program, err := script.Compile([]script.Unit{{Script: parsed, Weight: 1, Variables: s.Variables}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := program.NewClient(script.Options{Seed: seed})
	const times = 50
	var rows int64
	for range times {
		client.Start(0)
		for {
			step, err := client.Next()
			if err != nil {
				t.Fatal(err)
			}
			if step.Kind == script.StepEnd {
				break
			}
			rows += execute(t, conn, client, program, step.Statement)
		}
	}
	want := 0.0
	for _, shape := range s.Shape {
		want += times * (shape.Inserts + shape.Updates + shape.Deletes)
	}
	if got := float64(rows); got < 0.75*want || got > 1.01*want {
		t.Errorf("wrote %v rows, want about %v by its shape", got, want)
	}
}

// execute runs one statement and returns the rows it wrote.
func execute(t *testing.T, conn *pgconn.PgConn, client *script.Client, program *script.Program, id int) int64 {
	t.Helper()
	var rows int64
	for part, p := range program.Statements()[id].Parts {
		params := make([][]byte, client.Params(id, part))
		for i := range params {
			if text, null := client.AppendParam([]byte{}, id, part, i); !null {
				params[i] = text
			}
		}
		result := conn.ExecParams(context.Background(), p.SQL, params, nil, nil, nil).Read()
		if result.Err != nil {
			t.Fatalf("%s: %v", p.SQL, result.Err)
		}
		if tag := result.CommandTag; tag.Insert() || tag.Update() || tag.Delete() {
			rows += tag.RowsAffected()
		} else if strings.Contains(p.SQL, "upsert_key") {
			rows++ // written within the function
		}
	}
	return rows
}
