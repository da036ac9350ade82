package analysis

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

// This file reads launches from comments. A kernel that is written for a checker, or to show something, often stands alone
// and says in front how it is meant to be launched: `//--blockDim=64 --gridDim=[2,2]`, as GPUVerify has it, `// blockDim.x = 64`,
// or `// kernel<<<2, 64>>>(a)`.

var (
	inComment = regexp.MustCompile(`\b(blockDim|gridDim)(\.[xyz])?(?: ?= ?|: ?)(?:[\[({]([\d\s,]+)[\])}]|(\d+))|(\w*)\s*<<<` + someDim + `,` + someDim + `(?:,[^<>]*)?>>>`)
	threeDims = map[string]int{".x": 0, ".y": 1, ".z": 2}
)

const someDim = `\s*(?:dim3\s*\(([\d\s,]+)\)|(\d+))\s*`

// asCommented is the assumption that a kernel is launched as comments say.
const asCommented = "the kernel is launched as the comment in front of it says"

// assumed is the launch to assume for a kernel that no launch gives: what the configuration says, else the last comments in
// front of it.
func (req Request) assumed(f *ir.Func) (grid, block race.Dim3) {
	grid, block = req.Config.Grid, req.Config.Block
	file, ok := req.Files.File(f.Span.File)
	if !ok || grid != (race.Dim3{}) || block != (race.Dim3{}) {
		return grid, block
	}
	front := file.Text[:min(f.Span.Start, len(file.Text))]
	for _, at := range inComment.FindAllStringSubmatchIndex(front, -1) {
		if !commented(front, at[0]) {
			continue
		}
		part := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return front[at[2*i]:at[2*i+1]]
		}
		if part(1) == "" {
			if part(5) == "" || part(5) == f.Name {
				grid, block = dim3(part(6)+part(7)), dim3(part(8)+part(9))
			}
			continue
		}
		of, d := &grid, dim3(part(3)+part(4))
		if part(1) == "blockDim" {
			of = &block
		}
		if i, one := threeDims[part(2)]; one {
			if *of == (race.Dim3{}) {
				*of = race.Dim3{1, 1, 1}
			}
			of[i] = d[0]
		} else {
			*of = d
		}
	}
	if grid.Count() == 0 {
		grid = race.Dim3{}
	}
	if block.Count() == 0 || block.Count() > mostThreads {
		block = race.Dim3{}
	}
	return grid, block
}

// mostThreads is the number of threads that a block may have.
const mostThreads = 1024

// commented reports whether a place of a text lies in a comment, as far as its line tells.
func commented(text string, at int) bool {
	before := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	start := strings.TrimSpace(before)
	return strings.Contains(before, "//") || strings.HasPrefix(start, "*") || strings.Contains(before, "/*") && !strings.Contains(before, "*/")
}

// dim3 reads up to three numbers; what is missing is 1. It is zero if one is none.
func dim3(text string) race.Dim3 {
	d := race.Dim3{1, 1, 1}
	for i, number := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 1 || i >= len(d) {
			return race.Dim3{}
		}
		d[i] = n
	}
	return d
}
