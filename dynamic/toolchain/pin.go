// This file pins memory accesses: it edits LLVM IR, as clang's front end wrote it, so that no
// pass of the optimizer removes, merges or moves an access of the source to memory that
// threads can share.
//
// After each load, store or block copy comes an empty inline assembly statement that claims
// to read and write all memory. Across it, LLVM may not reorder, forward, merge or delete
// accesses; the code generator makes a comment of it. Variables whose address never escapes
// are out of its reach by LLVM's own rules, and so become registers as ever. A loaded scalar
// is an operand of the statement as well, so that a load whose result is not used stays.

package toolchain

import (
	"fmt"
	"regexp"
	"strings"
)

// pin returns the IR with each access pinned. Before LLVM 15, pointers have types in it.
func pin(ir string, typed bool) string {
	p := pinner{locals: map[string]bool{}}
	p.out.Grow(len(ir) + len(ir)/4)
	for line := range strings.Lines(ir) {
		p.line(line)
	}
	return keepVariables(p.out.String(), typed)
}

type pinner struct {
	out    strings.Builder
	locals map[string]bool // pointers into this function's own variables
	debug  bool            // the function has debug information: it is the user's
	names  int
}

func (p *pinner) line(line string) {
	// Lanes other than the leader's hand a variable that they never set to a shuffle, and nvcc minds as little as the
	// hardware does; as an argument that may not be undefined, it would make all lanes leaders.
	line = strings.ReplaceAll(line, " noundef ", " ")
	if strings.HasPrefix(line, "define ") {
		// Nothing reaches what __restrict__ points to but the pointer itself, not even the statement.
		line = strings.ReplaceAll(line, "noalias ", "")
		clear(p.locals)
		p.debug = strings.Contains(line, " !dbg ")
	}
	p.out.WriteString(line)
	text := strings.TrimSpace(line)
	result, operation, assigned := strings.Cut(text, " = ")
	if !assigned || !strings.HasPrefix(result, "%") {
		result, operation = "", text
	}
	opcode, rest, _ := strings.Cut(operation, " ")
	switch opcode {
	case "alloca":
		p.locals[result] = true
	case "getelementptr", "bitcast", "addrspacecast":
		if p.derivedFromLocal(opcode, rest) {
			p.locals[result] = true
		}
	case "load":
		p.load(result, rest)
	case "store":
		p.store(rest)
	case "call", "tail":
		p.call(result, rest)
	}
}

// derivedFromLocal reports whether a pointer computation starts at a local variable.
func (p *pinner) derivedFromLocal(opcode, rest string) bool {
	operands := splitOperands(rest)
	if opcode == "getelementptr" {
		return len(operands) > 1 && p.locals[lastWord(operands[1])]
	}
	from, _, _ := strings.Cut(operands[0], " to ")
	return p.locals[lastWord(from)]
}

// load pins "load TYPE, POINTER, …". Atomic loads are safe by themselves, and volatile ones but for one thing: two that
// lead to one place, such as those in front of a loop and at its end, become one that is on neither line.
func (p *pinner) load(result, rest string) {
	if strings.HasPrefix(rest, "atomic ") {
		return
	}
	rest, volatile := strings.CutPrefix(rest, "volatile ")
	if volatile && !p.debug {
		return
	}
	operands := splitOperands(rest)
	if len(operands) < 2 || p.private(operands[1]) {
		return
	}
	constraint, known := registerConstraints[operands[0]]
	switch {
	case !p.debug:
		p.barrier("", "", "")
	case known:
		p.barrier(constraint, operands[0], result)
	case operands[0] == "i8":
		p.names++
		wide := fmt.Sprintf("%%pin.%d", p.names)
		fmt.Fprintf(&p.out, "  %s = zext i8 %s to i16\n", wide, result)
		p.barrier("h", "i16", wide)
	case strings.HasSuffix(operands[0], "*"): // typed pointers, before LLVM 15
		p.barrier("l", operands[0], result)
	default:
		p.barrier("", "", "")
	}
}

// registerConstraints are NVPTX's inline assembly constraints by IR type.
var registerConstraints = map[string]string{
	"i16": "h", "i32": "r", "i64": "l", "ptr": "l", "float": "f", "double": "d",
}

func (p *pinner) store(rest string) {
	if strings.HasPrefix(rest, "volatile ") || strings.HasPrefix(rest, "atomic ") {
		return
	}
	if operands := splitOperands(rest); len(operands) >= 2 && !p.private(operands[1]) {
		p.barrier("", "", "")
	}
}

// allocation matches calls of the allocation functions of C and C++.
var allocation = regexp.MustCompile(`(ptr|i8\*) @(malloc|_Zn[wa]m\w*)\(`)

// call pins block copies, and what malloc and new return: memory whose address escapes is not
// removed together with the accesses to it. Other calls are what their callees do.
func (p *pinner) call(result, rest string) {
	if m := allocation.FindStringSubmatch(rest); m != nil {
		p.barrier("l", m[1], result)
		return
	}
	_, after, found := strings.Cut(rest, "@llvm.mem")
	if !found {
		return
	}
	_, arguments, _ := strings.Cut(after, "(")
	for _, a := range splitOperands(arguments) {
		if (strings.HasPrefix(a, "ptr ") || strings.Contains(a, "* ")) && !p.private(a) {
			p.barrier("", "", "")
			return
		}
	}
}

// private reports whether no other thread can reach what a pointer operand points to, or
// nobody can write there: local variables and constant memory.
func (p *pinner) private(operand string) bool {
	return p.locals[lastWord(operand)] || strings.Contains(operand, "addrspace(4)")
}

func (p *pinner) barrier(constraint, kind, value string) {
	if constraint == "" {
		p.out.WriteString("  call void asm sideeffect \"\", \"~{memory}\"() nounwind\n")
		return
	}
	fmt.Fprintf(&p.out, "  call void asm sideeffect \"\", \"%s,~{memory}\"(%s %s) nounwind\n", constraint, kind, value)
}

// splitOperands splits at the commas that stand outside of all brackets and quotes.
func splitOperands(text string) []string {
	var parts []string
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("([{<", c) >= 0:
			depth++
		case strings.IndexByte(")]}>", c) >= 0:
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

// lastWord returns what follows the last space outside of brackets: the value of "TYPE VALUE".
func lastWord(text string) string {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch c := text[i]; {
		case strings.IndexByte(")]}>", c) >= 0:
			depth++
		case strings.IndexByte("([{<", c) >= 0:
			depth--
		case c == ' ' && depth == 0:
			return text[i+1:]
		}
	}
	return text
}

// keepVariables lists the module's own shared and global variables in @llvm.compiler.used:
// LLVM deletes the stores to a variable that nobody outside sees and nobody reads.
func keepVariables(ir string, typed bool) string {
	const list = "@llvm.compiler.used = appending global "
	var entries []string
	var out strings.Builder
	out.Grow(len(ir) + 256)
	pointer := "ptr"
	if typed {
		pointer = "i8*"
	}
	for line := range strings.Lines(ir) {
		switch {
		case strings.HasPrefix(line, list):
			old, ok := compilerUsed(line[len(list):])
			if !ok {
				return ir
			}
			entries = append(entries, old...)
			continue
		case strings.HasPrefix(line, "@"):
			if e, ok := keptVariable(line, typed); ok {
				entries = append(entries, e)
			}
		}
		out.WriteString(line)
	}
	if len(entries) > 0 {
		fmt.Fprintf(&out, "\n%s[%d x %s] [%s], section \"llvm.metadata\"\n", list, len(entries), pointer, strings.Join(entries, ", "))
	}
	return out.String()
}

// compilerUsed reads "[2 x ptr] [ptr …, ptr …], section …".
func compilerUsed(text string) (entries []string, ok bool) {
	_, rest, ok1 := strings.Cut(text, "] [")
	body, _, ok2 := strings.Cut(rest, "], section")
	return splitOperands(body), ok1 && ok2
}

// keptVariable makes the entry for "@name = internal addrspace(3) global TYPE …".
func keptVariable(line string, typed bool) (string, bool) {
	name, definition, found := strings.Cut(line, " = ")
	if !found || !strings.HasPrefix(definition, "internal ") {
		return "", false
	}
	before, after, found := strings.Cut(definition, " global ")
	if !found {
		return "", false
	}
	for _, space := range []string{"addrspace(3)", "addrspace(1)"} {
		switch {
		case !strings.Contains(before, space):
		case typed:
			return fmt.Sprintf("i8* addrspacecast (i8 %s* bitcast (%s %s* %s to i8 %s*) to i8*)",
				space, firstWord(after), space, name, space), true
		default:
			return fmt.Sprintf("ptr addrspacecast (ptr %s %s to ptr)", space, name), true
		}
	}
	return "", false
}

// firstWord returns what precedes the first space outside of brackets: the type of "TYPE VALUE".
func firstWord(text string) string {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case strings.IndexByte("([{<", c) >= 0:
			depth++
		case strings.IndexByte(")]}>", c) >= 0:
			depth--
		case c == ' ' && depth == 0:
			return text[:i]
		}
	}
	return text
}
