package wire

import "encoding/binary"

// appendRequest appends the messages of a statement's round trip. prepared says
// for each part whether its statement exists already in the session (prepared
// protocol only).
func appendRequest(dst []byte, protocol Protocol, st *Statement, c Client, prepared []bool) []byte {
	if protocol == Simple {
		dst = append(dst, 'Q', 0, 0, 0, 0)
		start := len(dst) - 4
		dst = appendText(dst, st, c)
		dst = append(dst, 0)
		return patchLength(dst, start)
	}
	for i := range st.Parts {
		p := &st.Parts[i]
		name := ""
		if protocol == Prepared {
			name = p.Name
		}
		if protocol == Extended || !prepared[i] {
			dst = appendParse(dst, name, p.SQL)
		}
		dst = appendBind(dst, name, st, i, c)
		dst = append(dst, 'E', 0, 0, 0, 9, 0, 0, 0, 0, 0) // Execute the unnamed portal, all rows
	}
	return append(dst, 'S', 0, 0, 0, 4)
}

// patchLength writes a message's length into the four bytes at start.
func patchLength(dst []byte, start int) []byte {
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst
}

// appendParse leaves the parameters' types to the server.
func appendParse(dst []byte, name, sql string) []byte {
	dst = append(dst, 'P', 0, 0, 0, 0)
	start := len(dst) - 4
	dst = append(dst, name...)
	dst = append(dst, 0)
	dst = append(dst, sql...)
	dst = append(dst, 0, 0, 0)
	return patchLength(dst, start)
}

// appendBind binds the unnamed portal with parameters and results as text.
func appendBind(dst []byte, name string, st *Statement, part int, c Client) []byte {
	dst = append(dst, 'B', 0, 0, 0, 0, 0)
	start := len(dst) - 5
	dst = append(dst, name...)
	dst = append(dst, 0, 0, 0)
	n := st.Parts[part].params()
	dst = binary.BigEndian.AppendUint16(dst, uint16(n))
	for i := range n {
		at := len(dst)
		out, null := c.AppendParam(append(dst, 0, 0, 0, 0), st.ID, part, i)
		dst = out
		size := uint32(len(dst) - at - 4)
		if null {
			size = ^uint32(0)
		}
		binary.BigEndian.PutUint32(dst[at:], size)
	}
	dst = append(dst, 0, 0)
	return patchLength(dst, start)
}

// appendText puts the values into the statement's text, as pgbench's simple
// protocol does: NULL for a NULL, everything else as it is. Between a minus
// and a negative number goes a space, because two minuses begin a comment.
func appendText(dst []byte, st *Statement, c Client) []byte {
	for i := range st.Parts {
		if i > 0 {
			dst = append(dst, ';')
		}
		p := &st.Parts[i]
		dst = append(dst, p.Pieces[0]...)
		for j := range p.params() {
			at := len(dst)
			out, null := c.AppendParam(dst, st.ID, i, j)
			dst = out
			switch {
			case null:
				dst = append(dst, "NULL"...)
			case at > 0 && dst[at-1] == '-' && len(dst) > at && dst[at] == '-':
				dst = append(dst, 0)
				copy(dst[at+1:], dst[at:])
				dst[at] = ' '
			}
			dst = append(dst, p.Pieces[j+1]...)
		}
	}
	return dst
}
