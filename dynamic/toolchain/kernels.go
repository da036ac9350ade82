// This file finds the kernels of a module in its IR: names as written, parameters, lines.

package toolchain

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	// !5 = !{ptr @_Z1kPi, !"kernel", i32 1}
	kernelMark = regexp.MustCompile(`(?m)^!\d+ = !\{[^@\n]*@("[^"]+"|[\w.$]+), !"kernel", i32 1\}`)
	// !25 = distinct !DISubprogram(name: "k<int>", …, line: 4, …)
	subprogram = regexp.MustCompile(`(?m)^(!\d+) = distinct !DISubprogram\(name: "([^"]+)".*? line: (\d+)`)
	parameter  = regexp.MustCompile(`%([\w.$]+)$`)
	reference  = regexp.MustCompile(`!dbg (!\d+)`)
)

func kernels(ir string) []Kernel {
	marked := map[string]bool{}
	for _, m := range kernelMark.FindAllStringSubmatch(ir, -1) {
		marked[strings.Trim(m[1], `"`)] = true
	}
	type origin struct {
		name string
		line int
	}
	origins := map[string]origin{}
	for _, m := range subprogram.FindAllStringSubmatch(ir, -1) {
		line, _ := strconv.Atoi(m[3])
		name, _, _ := strings.Cut(m[2], "<")
		origins[m[1]] = origin{name, line}
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
		k := Kernel{Symbol: symbol, Name: symbol, Parameters: parameters(rest)}
		if m := reference.FindStringSubmatch(line); m != nil {
			if o, ok := origins[m[1]]; ok {
				k.Name, k.Line = o.name, o.line
			}
		}
		found = append(found, k)
	}
	return found
}

// parameters reads the names in "ptr noundef %a, i32 noundef %n) #0 …".
func parameters(text string) []string {
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
		return nil
	}
	var names []string
	for _, operand := range splitOperands(body) {
		name := ""
		if m := parameter.FindStringSubmatch(operand); m != nil {
			name = strings.TrimSuffix(m[1], ".coerce")
		}
		names = append(names, name)
	}
	return names
}
