// This file tells in PTX through which calls an instruction got into its function. LLVM knows
// it, but up to version 21 its NVPTX code generator writes only the innermost place. So each
// inlined location is numbered in the optimized IR, the number takes the place of its line, and
// in the PTX it is replaced by .loc directives with inlined_at, in the form that nvcc writes
// (PTX ISA, "Debugging Directives: .loc").

package toolchain

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// firstNumber is larger than any line of a source file.
const firstNumber = 1 << 28

// maxDepth bounds how far chains and nested scopes are followed: a cycle must not be our hang.
const maxDepth = 100

// place is a line of a file, and the function that holds it.
type place struct {
	file, function string
	line, column   int
}

// inlining holds the numbered locations: each is a chain of places, the innermost first.
type inlining struct {
	chains [][]place
	nodes  map[string]string // metadata by name: "!45" to its text
}

var (
	metadata      = regexp.MustCompile(`^(![0-9]+) = (?:distinct )?(!DI(?:Location|Subprogram|LexicalBlock|LexicalBlockFile|File)\(.*\))\s*$`)
	locationNode  = regexp.MustCompile(`^!DILocation\(line: ([0-9]+)(?:, column: ([0-9]+))?, scope: (![0-9]+)(?:, inlinedAt: (![0-9]+))?`)
	fileField     = regexp.MustCompile(`\bfile: (![0-9]+)`)
	scopeField    = regexp.MustCompile(`\bscope: (![0-9]+)`)
	nameField     = regexp.MustCompile(`\bname: "((?:[^"\\]|\\.)*)"`)
	fileNode      = regexp.MustCompile(`^!DIFile\(filename: "([^"]*)", directory: "([^"]*)"`)
	locationStart = "!DILocation(line: "
)

// number returns the IR with each inlined location's line replaced by its number.
func (n *inlining) number(ir string) string {
	n.nodes = map[string]string{}
	for line := range strings.Lines(ir) {
		if line[0] == '!' {
			if m := metadata.FindStringSubmatch(line); m != nil {
				n.nodes[m[1]] = m[2]
			}
		}
	}
	var out strings.Builder
	out.Grow(len(ir) + len(ir)/16)
	for line := range strings.Lines(ir) {
		if line[0] == '!' && strings.Contains(line, locationStart) && strings.Contains(line, "inlinedAt: ") {
			name, _, _ := strings.Cut(line, " ")
			if chain := n.chain(name); len(chain) > 1 && chain[0].line > 0 {
				before, after, _ := strings.Cut(line, locationStart)
				_, rest, _ := strings.Cut(after, ",")
				line = fmt.Sprintf("%s%s%d,%s", before, locationStart, firstNumber+len(n.chains), rest)
				n.chains = append(n.chains, chain)
			}
		}
		out.WriteString(line)
	}
	return out.String()
}

// chain follows a location to the function that it was inlined into.
func (n *inlining) chain(name string) []place {
	var chain []place
	for range maxDepth {
		m := locationNode.FindStringSubmatch(n.nodes[name])
		if m == nil {
			return chain
		}
		p := n.scope(m[3])
		p.line, _ = strconv.Atoi(m[1])
		p.column, _ = strconv.Atoi(m[2])
		chain = append(chain, p)
		if name = m[4]; name == "" {
			return chain
		}
	}
	return chain
}

// scope finds the file of a scope and the function around it.
func (n *inlining) scope(name string) (p place) {
	for range maxDepth {
		text := n.nodes[name]
		if p.file == "" {
			if m := fileField.FindStringSubmatch(text); m != nil {
				p.file = n.file(m[1])
			}
		}
		if strings.HasPrefix(text, "!DISubprogram(") {
			if m := nameField.FindStringSubmatch(text); m != nil {
				p.function = m[1]
			}
			return p
		}
		m := scopeField.FindStringSubmatch(text)
		if m == nil {
			return p
		}
		name = m[1]
	}
	return p
}

func (n *inlining) file(name string) string {
	m := fileNode.FindStringSubmatch(n.nodes[name])
	if m == nil {
		return ""
	}
	if filepath.IsAbs(m[1]) {
		return m[1]
	}
	return filepath.Join(m[2], m[1])
}

var (
	numberedLoc = regexp.MustCompile(`^\s*\.loc\s+\d+ (\d+) \d+`)
	fileLine    = regexp.MustCompile(`^\s*\.file\s+(\d+) "([^"]*)"`)
)

// restore returns the PTX with the numbers replaced by what they stand for.
func (n *inlining) restore(ptx string) string {
	files, last := map[string]int{}, 0
	for line := range strings.Lines(ptx) {
		if m := fileLine.FindStringSubmatch(line); m != nil {
			number, _ := strconv.Atoi(m[1])
			files[m[2]] = number
			last = max(last, number)
		}
	}
	var added strings.Builder
	fileNumber := func(path string) int {
		number, known := files[path]
		if !known {
			last++
			number = last
			files[path] = number
			fmt.Fprintf(&added, "\t.file\t%d %q\n", number, path)
		}
		return number
	}
	names := map[string]int{}
	var out strings.Builder
	out.Grow(len(ptx) + len(ptx)/8)
	for line := range strings.Lines(ptx) {
		m := numberedLoc.FindStringSubmatch(line)
		if m == nil {
			out.WriteString(line)
			continue
		}
		number, err := strconv.Atoi(m[1])
		if i := number - firstNumber; err != nil || i < 0 || i >= len(n.chains) {
			out.WriteString(line)
			continue
		}
		chain := n.chains[number-firstNumber]
		for i := len(chain) - 1; i >= 0; i-- {
			p := chain[i]
			fmt.Fprintf(&out, "\t.loc\t%d %d %d", fileNumber(p.file), p.line, p.column)
			if i+1 < len(chain) {
				label, known := names[p.function]
				if !known {
					label = len(names)
					names[p.function] = label
				}
				at := chain[i+1]
				fmt.Fprintf(&out, ", function_name $L__info_string%d, inlined_at %d %d %d", label, fileNumber(at.file), at.line, at.column)
			}
			out.WriteString("\n")
		}
	}
	out.WriteString(added.String())
	writeNames(&out, names)
	return out.String()
}

// writeNames writes the strings that function_name refers to.
func writeNames(out *strings.Builder, names map[string]int) {
	if len(names) == 0 {
		return
	}
	ordered := make([]string, len(names))
	for name, i := range names {
		ordered[i] = name
	}
	out.WriteString("\t.section\t.debug_str\n\t{\n")
	for i, name := range ordered {
		fmt.Fprintf(out, "$L__info_string%d:\n", i)
		for _, c := range []byte(name + "\x00") {
			fmt.Fprintf(out, "\t.b8 %d\n", c)
		}
	}
	out.WriteString("\t}\n")
}
