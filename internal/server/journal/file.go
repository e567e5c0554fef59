package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// formatVersion is written into the header; a later one is not read.
const formatVersion = 1

// header is the first line.
type header struct {
	Version int       `json:"journal_version"`
	Server  Server    `json:"server"`
	Owner   Owner     `json:"owner"`
	Opened  time.Time `json:"opened"`
}

// line is every other line: one of its fields is set.
type line struct {
	Change *Change `json:"change,omitempty"`
	Done   int     `json:"done,omitempty"` // the Seq of a change that was put back
}

// contents is what a file says.
type contents struct {
	header  *header // nil when the crash came before it was whole
	pending []Change
	seq     int // the last one used
	whole   int // bytes of whole lines; what follows was cut off
}

// decode reads a file. Text after the last line feed was cut off by a crash
// and is left out; everything else must be right, and the error names the line.
func decode(text []byte) (contents, error) {
	var c contents
	for n := 1; ; n++ {
		end := bytes.IndexByte(text[c.whole:], '\n')
		if end < 0 {
			return c, nil
		}
		if err := c.add(text[c.whole : c.whole+end]); err != nil {
			return contents{}, fmt.Errorf("line %d: %w", n, err)
		}
		c.whole += end + 1
	}
}

// add takes one whole line in.
func (c *contents) add(text []byte) error {
	if c.header == nil {
		h := &header{}
		if err := strict(text, h); err != nil {
			return fmt.Errorf("no header of a journal: %w", err)
		}
		if h.Version != formatVersion {
			return fmt.Errorf("journal version %d is not known to this pgassay (it knows %d)", h.Version, formatVersion)
		}
		c.header = h
		return nil
	}
	var l line
	if err := strict(text, &l); err != nil {
		return err
	}
	switch {
	case l.Change != nil && l.Done == 0:
		if l.Change.Seq != c.seq+1 {
			return fmt.Errorf("change %d follows change %d", l.Change.Seq, c.seq)
		}
		if err := l.Change.validate(); err != nil {
			return err
		}
		c.seq++
		c.pending = append(c.pending, *l.Change)
	case l.Change == nil && l.Done > 0:
		i := slices.IndexFunc(c.pending, func(p Change) bool { return p.Seq == l.Done })
		if i < 0 {
			return fmt.Errorf("change %d was put back but is not pending", l.Done)
		}
		c.pending = slices.Delete(c.pending, i, i+1)
	default:
		return errors.New("neither a change nor one that was put back")
	}
	return nil
}

// strict decodes one JSON object without unknown fields.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("text after the object")
	}
	return nil
}

// syncDir makes the entries of a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// makeDir makes a directory, and those above it that are missing, for our eyes
// only and durably.
func makeDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	parent := filepath.Dir(dir)
	if err := makeDir(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(parent)
}
