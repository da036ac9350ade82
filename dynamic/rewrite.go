// This file rewrites what nvcc takes, or took before CUDA 12, and clang does not, at the places that clang complains about:
// inline assembly that names a special register with one percent sign, "%smid" for "%%smid", texture references, dimensions of
// a launch in braces, deduction guides in device code, and launches by kernels (launches.go).

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
	deductionGuide = regexp.MustCompile(`^\w+\s*\([^;{}]*\)\s*->\s*\w`)
	inParentheses  = regexp.MustCompile(`[(,<]\s*(const\s+)?$`) // a parameter begins, or an argument of a template
)

// rewrite is what to do at a place, in a text, about an error.
type rewrite func(text string, offset int) (rewritten string, ok bool)

// rewriteFor says what to do about an error, and whether at the places of its notes, too.
func rewriteFor(message string) (change rewrite, notes bool) {
	switch {
	case message == escapeError:
		return escapeAt, true
	case strings.HasPrefix(message, "no template named 'texture'"), strings.HasPrefix(message, "no template named 'surface'"):
		return referenceAt, true
	case strings.HasPrefix(message, "no viable constructor or deduction guide"):
		return guideAt, true
	case message == "expected expression":
		return bracesAt, false
	case isLaunchByKernel(message):
		return launchAt, false
	case isUnclearKernel(message):
		return clearerKernelAt, false
	}
	return nil, false
}

// rewritten returns options that compile with what the compiler complains about written as it wants it.
func (o *Options) rewritten(err error) (*Options, bool) {
	var refused *toolchain.CompileError
	if !errors.As(err, &refused) {
		return nil, false
	}
	texts := maps.Clone(o.Texts)
	if texts == nil {
		texts = map[string]string{}
	}
	var change rewrite
	notes := false
	changed := map[string]bool{} // lines: what stands behind the change moves, so the next attempt does the rest
	var blamed []string          // the last error
	for _, m := range messagePlace.FindAllStringSubmatch(refused.Messages, -1) {
		if m[4] == "error" {
			change, notes = rewriteFor(m[5])
			blamed = m
		} else if blamed != nil && isLaunchByKernelNote(m[5]) {
			change, m = launchAt, blamed
		} else if !notes {
			continue
		}
		if change == nil || changed[m[1]+":"+m[2]] || strings.Contains(m[5], "declared here") {
			continue
		}
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		path, text, ok := textOf(texts, m[1])
		if !ok {
			continue
		}
		offset := min(source.New(path, text).Offset(source.Position{Line: line, Column: column}), len(text)-1)
		if text, ok = change(text, offset); ok {
			texts[path], changed[m[1]+":"+m[2]] = text, true
		}
	}
	next := *o
	next.Texts = texts
	return &next, len(changed) > 0
}

func textOf(texts map[string]string, name string) (path, text string, ok bool) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", "", false
	}
	if text, known := texts[path]; known {
		return path, text, text != ""
	}
	raw, err := os.ReadFile(path)
	return path, string(raw), err == nil && len(raw) > 0
}

// escapeAt doubles the percent sign at a place, if there is one, and those before special registers on its line.
func escapeAt(text string, offset int) (string, bool) {
	start := strings.LastIndexByte(text[:offset+1], '\n') + 1
	// The place is that of the letter that can't be, the first or the second one behind the sign.
	back := strings.LastIndexByte(text[start:offset+1], '%')
	if back < 0 || start+back < offset-2 {
		return "", false
	}
	offset = start + back
	end := len(text)
	if i := strings.IndexByte(text[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	line := text[start:offset] + "%" + text[offset:end]
	return text[:start] + specialRegister.ReplaceAllString(line, "$1%$2") + text[end:], true
}

// referenceAt makes a texture or surface reference the variable that our headers have for it, or a parameter that is one.
func referenceAt(text string, offset int) (string, bool) {
	rest := text[offset:]
	if !strings.HasPrefix(rest, "texture") && !strings.HasPrefix(rest, "surface") {
		return "", false
	}
	if inParentheses.MatchString(text[:offset]) {
		return text[:offset] + "::warplint::" + rest, true
	}
	return text[:offset] + "__device__ ::warplint::" + rest, true
}

// guideAt makes a deduction guide one for both sides, as guides are for nvcc.
func guideAt(text string, offset int) (string, bool) {
	if !deductionGuide.MatchString(text[offset:]) {
		return "", false
	}
	return text[:offset] + "__host__ __device__ " + text[offset:], true
}

// bracesAt says of what type the dimensions of a launch are, where they stand in braces alone.
func bracesAt(text string, offset int) (string, bool) {
	start := strings.LastIndex(text[:offset], "<<<")
	if text[offset] != '{' || start < 0 || strings.ContainsAny(text[start:offset], ";>") {
		return "", false
	}
	if before := strings.TrimRight(text[:offset], " \t\r\n"); !strings.HasSuffix(before, "<<<") && !strings.HasSuffix(before, ",") {
		return "", false
	}
	return text[:offset] + "dim3" + text[offset:], true
}
