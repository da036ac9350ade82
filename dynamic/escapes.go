// This file lets programs through whose inline assembly names a special register with one percent sign, "%smid": nvcc
// takes that, clang wants "%%smid".

package dynamic

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic/toolchain"
)

const escapeError = "invalid % escape in inline assembly string"

var (
	messagePlace = regexp.MustCompile(`(?m)^(.+?):(\d+):(\d+): (error|note): (.*)$`)
	// A special register that stands behind a single percent sign (PTX ISA, "Special Registers").
	specialRegister = regexp.MustCompile(`(^|[^%])(%(?:laneid|n?warpid|n?smid|gridid|n?tid|n?ctaid|clock|globaltimer|lanemask|` +
		`dynamic_smem|total_smem|aggr_smem|is_explicit|cluster|ncluster|envreg)\w*\b)`)
)

// escaped returns options that compile with the percent signs doubled that the compiler complains about.
func (o *Options) escaped(err error) (*Options, bool) {
	var refused *toolchain.CompileError
	if !errors.As(err, &refused) || !strings.Contains(refused.Messages, escapeError) {
		return nil, false
	}
	texts := maps.Clone(o.Texts)
	if texts == nil {
		texts = map[string]string{}
	}
	ours := false
	changed := map[string]bool{} // lines: what stands behind the sign moves, so the next attempt does the rest
	for _, m := range messagePlace.FindAllStringSubmatch(refused.Messages, -1) {
		if m[4] == "error" {
			ours = m[5] == escapeError
		}
		if !ours {
			continue
		}
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		if at := m[1] + ":" + m[2]; !changed[at] && escapeAt(texts, m[1], source.Position{Line: line, Column: column}) {
			changed[at] = true
		}
	}
	next := *o
	next.Texts = texts
	return &next, len(changed) > 0
}

// escapeAt doubles the percent sign at a place, if there is one, and those before special registers on its line.
func escapeAt(texts map[string]string, name string, at source.Position) bool {
	path, err := filepath.Abs(name)
	if err != nil {
		return false
	}
	text, known := texts[path]
	if !known {
		raw, err := os.ReadFile(path)
		if err != nil {
			return false
		}
		text = string(raw)
	}
	offset := min(source.New(path, text).Offset(at), len(text)-1)
	start := strings.LastIndexByte(text[:offset+1], '\n') + 1
	// The place is that of the letter that can't be, the first or the second one behind the sign.
	back := strings.LastIndexByte(text[start:offset+1], '%')
	if back < 0 || start+back < offset-2 {
		return false
	}
	offset = start + back
	end := len(text)
	if i := strings.IndexByte(text[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	line := text[start:offset] + "%" + text[offset:end]
	texts[path] = text[:start] + specialRegister.ReplaceAllString(line, "$1%$2") + text[end:]
	return true
}
