// This file carries __cluster_dims__ into PTX: the clangs that we know have no such attribute, so that our headers
// write an annotation.

package toolchain

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	// @.args2 = private unnamed_addr constant { i32, i32 } { i32 2, i32 1 }, section …
	annotationArguments = regexp.MustCompile(`(?m)^(@\.args[.\w]*) = [^{\n]*\{[^}\n]*\} \{ ([^}\n]*) \}`)
	// @.str = private unnamed_addr constant [17 x i8] c"__cluster_dims__\00", section …
	annotationText = regexp.MustCompile(`(?m)^(@\.str[.\w]*) = [^\n]*c"__cluster_dims__\\00"`)
	// { ptr @_Z1kPi, ptr @.str, ptr @.str1, i32 3, ptr @.args }, before LLVM 15 with casts around the names
	annotation      = regexp.MustCompile(`\{[^{}]*?@("[^"]+"|[\w.$]+)[^{}]*?(@\.str[.\w]*)[^{}]*?@\.str[.\w]*[^{}]*?(@\.args[.\w]*)[^{}]*?\}`)
	constantInteger = regexp.MustCompile(`i\d+ (\d+)`)
)

// withClusters writes the directives for kernels of a fixed cluster size (PTX ISA, ".reqnctapercluster").
func withClusters(ptx, ir string) string {
	_, list, found := strings.Cut(ir, "@llvm.global.annotations = ")
	if !found {
		return ptx
	}
	list, _, _ = strings.Cut(list, "\n")
	ours, arguments := map[string]bool{}, map[string]string{}
	for _, m := range annotationText.FindAllStringSubmatch(ir, -1) {
		ours[m[1]] = true
	}
	for _, m := range annotationArguments.FindAllStringSubmatch(ir, -1) {
		arguments[m[1]] = m[2]
	}
	for _, m := range annotation.FindAllStringSubmatch(list, -1) {
		if !ours[m[2]] {
			continue
		}
		dimensions := [3]string{"1", "1", "1"}
		for i, n := range constantInteger.FindAllStringSubmatch(arguments[m[3]], 3) {
			dimensions[i] = n[1]
		}
		directives := fmt.Sprintf(".explicitcluster\n.reqnctapercluster %s\n", strings.Join(dimensions[:], ", "))
		ptx = beforeBody(ptx, strings.Trim(m[1], `"`), directives)
	}
	return ptx
}

// beforeBody inserts directives between a kernel's parameters and its body.
func beforeBody(ptx, kernel, directives string) string {
	mark := ".entry " + kernel
	for at := 0; ; {
		next := strings.Index(ptx[at:], mark)
		if next < 0 {
			return ptx
		}
		at += next + len(mark)
		if rest := ptx[at:]; rest != "" && strings.ContainsAny(rest[:1], "(\n ") {
			if end := strings.IndexAny(rest, ";{"); end >= 0 && rest[end] == '{' {
				return ptx[:at+end] + directives + ptx[at+end:]
			}
		}
	}
}
