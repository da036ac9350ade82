// This file rewrites launches of kernels by kernels, which nvcc takes and clang does not: kernel<<<a, b>>>(c) becomes
// ::warplint::child<&kernel>(a, b)(c), which toolchain/include/warplint/device_runtime.h defines. Where several kernels have the
// name, or it is a template's, the number of the arguments says which one is meant, or else their types.

package dynamic

import (
	"fmt"
	"strings"
)

const child = "::warplint::child<"

// isLaunchByKernel reports whether a compiler's message is about a launch in device code.
func isLaunchByKernel(message string) bool {
	return strings.HasPrefix(message, "reference to __global__ function") || strings.Contains(message, "'__cudaPushCallConfiguration'")
}

// isLaunchByKernelNote reports the same of what a compiler says behind an error, where a kernel's name has several meanings.
func isLaunchByKernelNote(message string) bool {
	return strings.Contains(message, "call to __global__ function from __global__") || strings.Contains(message, "call to __global__ function from __device__")
}

// launchAt rewrites the launch that begins or has its configuration at a place.
func launchAt(text string, offset int) (string, bool) {
	line := text[offset:]
	if end := strings.IndexAny(line, ";{}"); end >= 0 {
		line = line[:end]
	}
	open := strings.Index(line, "<<<")
	if open < 0 {
		return "", false
	}
	open += offset
	start := calleeStart(text, open)
	closing := configurationEnd(text, open+3)
	if start == open || closing < 0 {
		return "", false
	}
	return text[:start] + child + "&" + text[start:open] + ">(" + text[open+3:closing] + ")" + text[closing+3:], true
}

// isUnclearKernel reports whether a message is about a launch that launchAt has rewritten, whose kernel's name does not do.
func isUnclearKernel(message string) bool {
	return strings.Contains(message, "template parameter 'Kernel'") || strings.HasPrefix(message, "address of overloaded function") ||
		strings.HasPrefix(message, "no matching function for call to 'kernel_with_") || strings.HasPrefix(message, "no member named 'kernel_with_")
}

// clearerKernelAt says more of the kernel of a launch that has been rewritten.
func clearerKernelAt(text string, offset int) (string, bool) {
	at := strings.LastIndex(text[:min(offset+len(child), len(text))], child)
	if at < 0 || strings.ContainsAny(text[at:offset], ";{}") {
		return "", false
	}
	begin := at + len(child)
	end := matching(text, begin, '>')
	if end < 0 {
		return "", false
	}
	first := strings.IndexByte(text[end:], '(')
	if first < 0 {
		return "", false
	}
	after := matching(text, end+first+1, ')')
	if after < 0 || after+1 >= len(text) {
		return "", false
	}
	open := after + 1 + strings.IndexByte(text[after+1:], '(')
	last := matching(text, open+1, ')')
	if open <= after || last < 0 {
		return "", false
	}
	name, configuration, arguments := text[begin:end], text[end+first+1:after], text[open+1:last]
	if inner, ok := strings.CutPrefix(name, "&"); ok {
		// In a struct, as in a function the compiler looks at no kernels.
		name = fmt.Sprintf("%s::warplint::kernel_with_%d(&%s)>; }; typename launch_::type", child, countArguments(arguments), inner)
		return text[:at] + "({ struct launch_ { using type = " + name + "(" + configuration + ")(" + arguments + "); })" + text[last+1:], true
	}
	if _, inner, ok := strings.Cut(name, "(&"); ok && strings.HasPrefix(name, "::warplint::kernel_with_") {
		return text[:begin] + "(decltype(::warplint::kernel_for(" + arguments + "))::pointer)(&" + inner + text[end:], true
	}
	return "", false
}

// matching finds what closes what stands before a place; -1 if nothing does.
func matching(text string, at int, closing byte) int {
	depth := 0
	for ; at < len(text); at++ {
		switch c := text[at]; {
		case c == closing && depth == 0:
			return at
		case strings.IndexByte("([{", c) >= 0 || c == '<' && closing == '>':
			depth++
		case strings.IndexByte(")]}", c) >= 0 || c == '>' && closing == '>':
			depth--
		}
		if depth < 0 {
			return -1
		}
	}
	return -1
}

func countArguments(text string) int {
	if strings.TrimSpace(text) == "" {
		return 0
	}
	n := 1
	depth := 0
	for i := range len(text) {
		switch {
		case strings.IndexByte("([{", text[i]) >= 0:
			depth++
		case strings.IndexByte(")]}", text[i]) >= 0:
			depth--
		case text[i] == ',' && depth == 0:
			n++
		}
	}
	return n
}

// calleeStart is where the name begins, with its namespaces and template arguments, that ends at a place.
func calleeStart(text string, end int) int {
	at := end
	for {
		for at > 0 && strings.IndexByte(" \t\r\n", text[at-1]) >= 0 {
			at--
		}
		if at > 0 && text[at-1] == '>' {
			depth := 0
			for at > 0 {
				at--
				if text[at] == '>' {
					depth++
				} else if text[at] == '<' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			continue
		}
		name := at
		for name > 0 && isWord(text[name-1]) {
			name--
		}
		if name == at {
			return end // no name
		}
		if name < 2 || text[name-2:name] != "::" {
			return name
		}
		at = name - 2
		if at == 0 || !isWord(text[at-1]) && text[at-1] != '>' {
			return at // of the global namespace
		}
		end = at
	}
}

// configurationEnd finds the >>> that ends a configuration; -1 if there is none.
func configurationEnd(text string, at int) int {
	depth := 0
	for ; at+3 <= len(text); at++ {
		switch text[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return -1
			}
		case ';':
			if depth == 0 {
				return -1
			}
		case '>':
			if depth == 0 && text[at:at+3] == ">>>" {
				return at
			}
		}
	}
	return -1
}
