package observe

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgassay/pgassay/internal/observe/pglog"
)

// serverLog is the part of the server's log that belongs to the trial.
type serverLog struct {
	path   string
	offset int64 // where the trial begins
	zone   *time.Location
}

// open notes where the log ends now and names the settings that keep lines out
// of it.
func (l *serverLog) open(ctx context.Context, path string, conn *pgx.Conn, lacks *missing) {
	if path == "" {
		lacks.add("server log: its place is not known here")
		return
	}
	info, err := os.Stat(path)
	if err != nil {
		lacks.add("server log: " + err.Error())
		return
	}
	l.path, l.offset = path, info.Size()
	settings := map[string]string{}
	rows, err := conn.Query(ctx, logSettings)
	if err == nil {
		var name, value string
		_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error {
			settings[name] = value
			return nil
		})
	}
	if err != nil {
		lacks.add("settings of the server log: " + err.Error())
	}
	var why []string
	l.zone, why = judgeLog(settings)
	lacks.add(why...)
}

// judgeLog says what the settings keep out of the log, and finds the time zone
// of its lines.
func judgeLog(settings map[string]string) (zone *time.Location, lacks []string) {
	zone = time.UTC
	if name := settings["log_timezone"]; name != "" {
		z, err := time.LoadLocation(name)
		if err != nil {
			lacks = append(lacks, fmt.Sprintf("times of log events: time zone %s is not known here, they are read as UTC unless they show an offset", name))
		} else {
			zone = z
		}
	}
	if p, ok := settings["log_line_prefix"]; ok && !strings.HasPrefix(p, "%m [%p] ") {
		lacks = append(lacks, fmt.Sprintf("log events: log_line_prefix is %q, want %q", p, pglog.Prefix))
	}
	if m := settings["lc_messages"]; m != "" && m != "C" && m != "POSIX" && !strings.HasPrefix(m, "C.") && !strings.HasPrefix(m, "en") {
		lacks = append(lacks, fmt.Sprintf("log events: lc_messages is %s, want C", m))
	}
	for _, name := range []string{"log_autovacuum_min_duration", "log_autoanalyze_min_duration"} {
		switch v, ok := settings[name]; {
		case !ok || v == "0":
		case v == "-1":
			lacks = append(lacks, fmt.Sprintf("autovacuum events: %s is off", name))
		default:
			lacks = append(lacks, fmt.Sprintf("short autovacuum runs: %s is %s ms", name, v))
		}
	}
	if settings["log_checkpoints"] == "off" {
		lacks = append(lacks, "checkpoint events: log_checkpoints is off")
	}
	return zone, lacks
}

// read reads the log from the trial's beginning to its end. A log that has
// become shorter was replaced, and is read from its start.
func (l *serverLog) read(lacks *missing) []pglog.Entry {
	if l.path == "" {
		return nil
	}
	f, err := os.Open(l.path)
	if err != nil {
		lacks.add("server log: " + err.Error())
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() < l.offset {
		lacks.add("server log: it was replaced or cut during the trial")
		l.offset = 0
	}
	if _, err := f.Seek(l.offset, io.SeekStart); err != nil {
		lacks.add("server log: " + err.Error())
		return nil
	}
	var entries []pglog.Entry
	counts, err := pglog.Read(pglog.NewStderr(f, l.zone), func(e pglog.Entry) { entries = append(entries, e) })
	if err != nil {
		lacks.add("server log: " + err.Error())
	}
	if counts.Records == 0 && counts.Strays > 0 {
		lacks.add(fmt.Sprintf("log events: none of the log's %d lines begins like %q", counts.Strays, pglog.Prefix))
	}
	if counts.UnknownLines > 0 {
		lacks.add(fmt.Sprintf("log events: %d lines about vacuum and analyze are of a kind not known here", counts.UnknownLines))
	}
	return entries
}
