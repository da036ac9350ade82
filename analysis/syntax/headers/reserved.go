package headers

import "strings"

// Reserved returns the text of a header with names in place of its short ones (T, N, T0) that no program defines as macros.
// Programs say -DN=64 or #define T 32 before they include a header; those of CUDA keep such names out of theirs.
func Reserved(text string) string {
	var out strings.Builder
	done := 0
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '/' && strings.HasPrefix(text[i:], "//"):
			end = after(text, i, "\n")
		case c == '/' && strings.HasPrefix(text[i:], "/*"):
			end = after(text, i+2, "*/")
		case c == '"' || c == '\'':
			for end < len(text) && text[end] != c && text[end] != '\n' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
		case c >= '0' && c <= '9': // 1U and 0xFF hold no names
			for end < len(text) && (inName(text[end]) || text[end] == '.' || text[end] == '\'') {
				end++
			}
		case inName(c):
			for end < len(text) && inName(text[end]) {
				end++
			}
			if short(text[i:end]) && (end == len(text) || text[end] != '"' && text[end] != '\'') {
				out.WriteString(text[done:i])
				out.WriteString("_Wl")
				done = i
			}
		}
		i = end
	}
	out.WriteString(text[done:])
	return out.String()
}

func after(text string, from int, mark string) int {
	if i := strings.Index(text[from:], mark); i >= 0 {
		return from + i + len(mark)
	}
	return len(text)
}

func inName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// short says whether a name is a capital letter, maybe with another or a digit behind it.
func short(name string) bool {
	capital := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	return capital(name[0]) && (len(name) == 1 || len(name) == 2 && (capital(name[1]) || name[1] >= '0' && name[1] <= '9'))
}
