package experiment

import (
	"bytes"
	"encoding/json"
)

// Schema returns the JSON Schema (2020-12) of the experiment file, written
// from the field table. It is committed as experiments/schema.json.
func Schema() []byte {
	root := schemaOf(experimentType, false)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "pgassay experiment"
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		panic("encode schema: " + err.Error()) // maps, slices, strings and numbers always encode
	}
	return b.Bytes()
}

// schemaOf writes one type. In a profile nothing is required and null deletes.
func schemaOf(t *typ, partial bool) map[string]any {
	var forms []any
	if t.scalar != nil {
		forms = append(forms, t.scalar.schema)
	}
	if t.list != nil {
		list := map[string]any{"type": "array", "items": schemaOf(t.list, false)}
		if !t.empty {
			list["minItems"] = 1
		}
		forms = append(forms, list)
	}
	if t.isMap() {
		forms = append(forms, schemaOfMap(t, partial))
	}
	if t.null || partial {
		forms = append(forms, map[string]any{"type": "null"})
	}
	out := map[string]any{}
	if len(forms) == 1 {
		for k, v := range forms[0].(map[string]any) {
			out[k] = v
		}
		return out
	}
	out["anyOf"] = forms
	return out
}

func schemaOfMap(t *typ, partial bool) map[string]any {
	out := map[string]any{"type": "object", "additionalProperties": false}
	properties, required := map[string]any{}, []string{}
	for _, f := range t.fields {
		// profiles themselves are partial whatever the file around them is
		p := schemaOf(f.typ, partial)
		if f.key == "profiles" {
			profiles := schemaOfMap(f.typ, false)
			profiles["additionalProperties"] = schemaOf(f.typ.others, true)
			p = profiles
		}
		p["description"] = f.doc
		if f.def != "" && f.def != "{}" && !partial {
			p["default"] = f.def
		}
		properties[f.key] = p
		if f.required && !partial {
			required = append(required, f.key)
		}
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	if len(required) > 0 {
		out["required"] = required
	}
	if t.others != nil {
		out["additionalProperties"] = schemaOf(t.others, partial)
		if len(t.fields) == 0 && !t.empty && !partial {
			out["minProperties"] = 1
		}
	}
	if len(t.exactly) > 0 && !partial {
		var one []any
		for _, key := range t.exactly {
			one = append(one, map[string]any{"required": []string{key}})
		}
		out["oneOf"] = one
	}
	return out
}
