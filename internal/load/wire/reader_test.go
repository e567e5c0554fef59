package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func message(kind byte, body string) string {
	return string(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4))) + body
}

// answer is a round trip with everything in it.
var answer = message('1', "") + message('2', "") + message('N', "SNOTICE\x00\x00") + message('D', strings.Repeat("d", 10_000)) +
	message('C', "INSERT 0 17\x00") + message('C', "COPY 3\x00") + message('C', "SELECT 5\x00") +
	message('E', "SERROR\x00C40P01\x00Mdeadlock detected\x00\x00") + message('E', "SERROR\x00C25P02\x00M"+strings.Repeat("later", 2_000)+"\x00\x00") +
	message('S', "a\x00b\x00") + message('Z', "E")

// readAll reads one round trip.
func readAll(from io.Reader) (outcome, Reply, error) {
	b := reader{buf: make([]byte, readerSize)}
	var o outcome
	var r Reply
	for {
		if err := b.scan(&o, &r); err != nil || o.ready || o.copyIn {
			return o, r, err
		}
		if err := b.fill(from); err != nil {
			return o, r, err
		}
	}
}

// TestReader: the pieces in which an answer arrives change nothing.
func TestReader(t *testing.T) {
	for says, from := range map[string]io.Reader{
		"at once":        strings.NewReader(answer),
		"byte by byte":   iotest.OneByteReader(strings.NewReader(answer)),
		"in half pieces": iotest.HalfReader(strings.NewReader(answer)),
	} {
		o, r, err := readAll(from)
		if err != nil || !o.ready || o.parsed != 1 || r.Rows != 20 || r.Status != 'E' || r.Code != "40P01" || r.Message != "ERROR: deadlock detected" {
			t.Errorf("%s: got %+v, %+v, %v", says, o, r, err)
		}
	}
}

// TestReaderRefuses: a stream that is no protocol ends the session.
func TestReaderRefuses(t *testing.T) {
	for says, text := range map[string]string{
		"HTTP":                 "HTTP/1.1 400 Bad Request\r\n",
		"a length below four":  "C\x00\x00\x00\x03",
		"a huge error":         "E\x7f\x00\x00\x00",
		"a long ReadyForQuery": message('Z', "II"),
	} {
		if _, _, err := readAll(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read", says)
		}
	}
	if _, _, err := readAll(strings.NewReader(answer[:100])); !errors.Is(err, io.EOF) {
		t.Errorf("an answer that breaks off: got %v, want EOF", err)
	}
}

// FuzzReader: no bytes panic, and how they are cut changes nothing.
func FuzzReader(f *testing.F) {
	f.Add([]byte(answer))
	f.Add([]byte(message('G', "\x00\x00\x00")))
	f.Fuzz(func(t *testing.T, data []byte) {
		o1, r1, err1 := readAll(bytes.NewReader(data))
		o2, r2, err2 := readAll(iotest.OneByteReader(bytes.NewReader(data)))
		if o1 != o2 || r1 != r2 || (err1 == nil) != (err2 == nil) {
			t.Errorf("at once: %+v %+v %v; byte by byte: %+v %+v %v", o1, r1, err1, o2, r2, err2)
		}
	})
}
