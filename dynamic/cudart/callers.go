// This file writes down where in the program a call came from, in the names of allocations and launches.

package cudart

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// calledFrom is a name for what a call of the program makes: the addresses through which the call came, the innermost first.
func calledFrom(callers []byte) string {
	var b strings.Builder
	b.WriteString(fromProgram)
	for ; len(callers) >= 8; callers = callers[8:] {
		if at := binary.LittleEndian.Uint64(callers); at != 0 {
			b.WriteString(" " + strconv.FormatUint(at, 16))
		}
	}
	return b.String()
}

func fromLaunch(callers [8]uint64) string {
	raw, _ := binary.Append(nil, binary.LittleEndian, callers[:]) // numbers of a fixed size
	return calledFrom(raw)
}

const fromProgram = "called from"

// Callers takes such a name apart. The addresses are those of the program's file.
func Callers(name string) (list []uint64, ok bool) {
	rest, ok := strings.CutPrefix(name, fromProgram)
	for _, word := range strings.Fields(rest) {
		if at, err := strconv.ParseUint(word, 16, 64); err == nil {
			list = append(list, at)
		}
	}
	return list, ok
}
