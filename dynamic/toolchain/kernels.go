// This file finds the kernels of a module in its IR: names as written, parameters, lines.

package toolchain

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/warplint/warplint/dynamic/ptx"
)

var (
	// !5 = !{ptr @_Z1kPi, !"kernel", i32 1}
	kernelMark = regexp.MustCompile(`(?m)^!\d+ = !\{[^@\n]*@("[^"]+"|[\w.$]+), !"kernel", i32 1\}`)
	// !25 = distinct !DISubprogram(name: "k<int>", …, file: !1, line: 4, …)
	subprogram = regexp.MustCompile(`(?m)^(!\d+) = distinct !DISubprogram\(name: "([^"]+)".*? file: (!\d+), line: (\d+)`)
	// !1 = !DIFile(filename: "a.cuh", directory: "/tmp", …)
	debugFile = regexp.MustCompile(`(?m)^(!\d+) = !DIFile\(filename: "([^"]*)", directory: "([^"]*)"`)
	parameter = regexp.MustCompile(`%([\w.$]+)$`)
	reference = regexp.MustCompile(`!dbg (!\d+)`)
)

func kernels(ir string) []Kernel {
	marked := map[string]bool{}
	for _, m := range kernelMark.FindAllStringSubmatch(ir, -1) {
		marked[strings.Trim(m[1], `"`)] = true
	}
	files := map[string]string{}
	for _, m := range debugFile.FindAllStringSubmatch(ir, -1) {
		files[m[1]] = m[2]
		if !filepath.IsAbs(m[2]) {
			files[m[1]] = filepath.Join(m[3], m[2])
		}
	}
	type origin struct {
		name, instance, file string
		line                 int
	}
	origins := map[string]origin{}
	for _, m := range subprogram.FindAllStringSubmatch(ir, -1) {
		line, _ := strconv.Atoi(m[4])
		name, _, _ := strings.Cut(m[2], "<")
		origins[m[1]] = origin{name, m[2], files[m[3]], line}
	}
	var found []Kernel
	for line := range strings.Lines(ir) {
		if !strings.HasPrefix(line, "define ") {
			continue
		}
		_, rest, _ := strings.Cut(line, "@")
		symbol, rest, _ := strings.Cut(rest, "(")
		symbol = strings.Trim(symbol, `"`)
		if !marked[symbol] && !strings.Contains(line, "ptx_kernel ") {
			continue
		}
		k := Kernel{Symbol: symbol, Name: symbol}
		k.Parameters, k.Types = parameters(rest)
		if m := reference.FindStringSubmatch(line); m != nil {
			if o, ok := origins[m[1]]; ok {
				k.Name, k.Instance, k.File, k.Line = o.name, o.instance, o.file, o.line
			}
		}
		found = append(found, k)
	}
	return found
}

// parameters reads the names and types in "ptr noundef %a, i32 noundef %n) #0 …".
func parameters(text string) (names, types []string) {
	depth, end := 1, 0
	for end < len(text) && depth > 0 {
		switch text[end] {
		case '(':
			depth++
		case ')':
			depth--
		}
		end++
	}
	body := text[:max(end-1, 0)]
	if body == "" {
		return nil, nil
	}
	for _, operand := range splitOperands(body) {
		name, inRegister := "", false
		if m := parameter.FindStringSubmatch(operand); m != nil {
			name, inRegister = strings.CutSuffix(m[1], ".coerce")
		}
		kind, _, _ := strings.Cut(operand, " ")
		switch {
		case inRegister || strings.Contains(operand, " byval("):
			kind = "" // a structure
		case strings.HasSuffix(kind, "*"): // before LLVM 15
			kind = "ptr"
		}
		names, types = append(names, name), append(types, kind)
	}
	return names, types
}

// .visible .entry _Z1kPi(
var entry = regexp.MustCompile(`(?m)^\s*(?:\.visible |\.weak )?\s*\.entry\s+([\w.$%]+)`)

// KernelsOfPTX lists the kernels of a PTX text. Their names and parameters as written are not
// in it: a name is taken out of the symbol, parameters go by number.
func KernelsOfPTX(text string) []Kernel {
	var found []Kernel
	for _, m := range entry.FindAllStringSubmatch(text, -1) {
		found = append(found, Kernel{Symbol: m[1], Name: PlainName(m[1])})
	}
	return found
}

// PlainName takes the last identifier out of a mangled name (Itanium C++ ABI, section 5.1.2):
// "k" for _Z1kPi, _ZL1kPi and _ZN2ns1kIiEEvPi. Only a nested name, which begins with N, has several; behind any other
// stand the types of the parameters.
func PlainName(symbol string) string {
	symbol, _, _ = strings.Cut(symbol, ptx.LinkMark)
	rest, mangled := strings.CutPrefix(symbol, "_Z")
	if !mangled {
		return symbol
	}
	rest, nested := strings.CutPrefix(rest, "N")
	name := symbol
	for {
		rest = strings.TrimPrefix(rest, "L") // a static one
		digits := 0
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || n > len(rest)-digits {
			return name
		}
		name, rest = rest[digits:digits+n], rest[digits+n:]
		if !nested {
			return name
		}
	}
}
