// This file mends how clang hands tables of virtual bases to constructors: for device code it takes them to be in global memory,
// and then calls a change of the address space a change of the type, which LLVM does not read back.

package toolchain

import (
	"regexp"
	"strings"
)

var tableInGlobal = regexp.MustCompile(`\bbitcast (\(\S+ (?:getelementptr inbounds \([^()]*\)|@_ZTT\S*) to \S+ addrspace\(1\)\*?\))`)

// withTables returns IR in which tables of virtual bases are handed over as LLVM wants it.
func withTables(ir string) string {
	if !strings.Contains(ir, "@_ZTT") {
		return ir
	}
	return tableInGlobal.ReplaceAllString(ir, "addrspacecast $1")
}
