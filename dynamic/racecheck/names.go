// This file defines how a demangled function becomes the name that its source gives it.

package racecheck

import "strings"

// bareName takes return type, namespaces, template arguments and parameters off a demangled
// name, as XML and warplint's other findings name kernels: "void a::k<int, 3>(int *)" is "k".
// A name that has another shape stays as it is.
func bareName(full string) string {
	var name strings.Builder // of the last component
	for i := 0; i < len(full); {
		switch c := full[i]; {
		case c == ':' || c == ' ':
			name.Reset()
			i++
		case name.String() == "operator":
			n := max(len(full[i:])-len(strings.TrimLeft(full[i:], "<>=!+-*/%^&|~,")), 1)
			if strings.HasPrefix(full[i:], "()") || strings.HasPrefix(full[i:], "[]") {
				n = 2
			}
			name.WriteString(full[i : i+n])
			i += n
		case c == '(':
			end := skip(full, i)
			if name.Len() > 0 && !strings.HasPrefix(full[end:], "::") {
				return name.String()
			}
			i = end
		case c == '<':
			i = skip(full, i)
		case c == '{':
			end := skip(full, i)
			name.WriteString(full[i:end])
			i = end
		default:
			name.WriteByte(c)
			i++
		}
	}
	if name.Len() == 0 {
		return full
	}
	return name.String()
}

// skip returns the offset behind the bracket that closes the one at i, or the end of the text.
// Within round brackets "<" and ">" are operators as well, so there they are no brackets.
func skip(text string, i int) int {
	var open []byte
	for ; i < len(text); i++ {
		round := len(open) > 0 && open[len(open)-1] != '<'
		switch c := text[i]; c {
		case '(', '{', '[':
			open = append(open, c)
		case '<':
			if !round {
				open = append(open, c)
			}
		case ')', '}', ']', '>':
			if c == '>' && round {
				continue
			}
			open = open[:max(len(open)-1, 0)]
			if len(open) == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}
