package experiment

// typ is what a value of the file may be: a scalar, a map or a list, and where
// the file offers a choice, more than one of them. It drives walk and schema.
type typ struct {
	scalar *scalar
	// fields are the known keys of a map; others is the type of the remaining
	// keys (nil: there are none), and key what such a key has to be.
	fields []field
	others *typ
	key    *scalar
	// exactly lists keys of which exactly one must be given.
	exactly []string
	// list is the type of a list's items; a list and a free map need one entry
	// unless empty is set.
	list  *typ
	empty bool
	// null says that nothing means an empty map ("default:" as an arm).
	null bool
	// says names a map or a list in a message: "want …".
	says string
}

// field is one key of a map.
type field struct {
	key string
	// doc is one sentence for the schema; editors show it.
	doc      string
	typ      *typ
	required bool
	// def is the default as YAML text, "" for none; "{}" fills in a map so that
	// its own defaults appear.
	def string
}

func (t *typ) isMap() bool { return t.fields != nil || t.others != nil }

// want completes "want …" in a message.
func (t *typ) want() string {
	if t.says != "" {
		return t.says
	}
	if t.scalar != nil {
		return t.scalar.says
	}
	if t.list != nil {
		return "a list"
	}
	return "a map"
}

// names returns the known keys of a map.
func (t *typ) names() []string {
	out := make([]string, len(t.fields))
	for i, f := range t.fields {
		out[i] = f.key
	}
	return out
}

func (t *typ) field(key string) (field, bool) {
	for _, f := range t.fields {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}
