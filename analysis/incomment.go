package analysis

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// This file reads launches from comments. A kernel that is written for a checker, or to show something, often stands alone
// and says in front how it is meant to be launched: `//--blockDim=64 --gridDim=[2,2]`, GPUVerify's options, which hold for the
// file from there on, `// kernel<<<2, 64>>>(a)`, which do for a kernel of that name, or `// blockDim.x = 64`, for the kernel that comes next.

var (
	inComment = regexp.MustCompile(`\b(blockDim|gridDim)(\.[xyz])?(?: ?= ?|: ?)(?:[\[({]([\d\s,]+)[\])}]|(\d+))|(\w*)\s*<<<` + someDim + `,` + someDim + `(?:,[^<>]*)?>>>`)
	option    = regexp.MustCompile(`--(block|grid)Dim=`)
	threeDims = map[string]int{".x": 0, ".y": 1, ".z": 2}
)

const someDim = `\s*(?:dim3\s*\(([\d\s,]+)\)|(\d+))\s*`

// asCommented is the assumption that a kernel is launched as comments say.
const asCommented = "the kernel is launched as the comment in front of it says"

// assumed is the launch to assume for a kernel that no host launches: what the configuration says, else the last comments in
// front of it.
func (req Request) assumed(f *ir.Func, hosts []*ir.Func) (grid, block race.Dim3) {
	grid, block = req.Config.Grid, req.Config.Block
	file, ok := req.Files.File(f.Span.File)
	if !ok || len(hosts) > 0 || grid != (race.Dim3{}) || block != (race.Dim3{}) {
		return grid, block
	}
	var ofFile [2]race.Dim3
	hear := func(line string) {
		comment := commentIn(line)
		if ends(line, comment) { // what was in front of that is not in front of this kernel
			grid, block = ofFile[0], ofFile[1]
		}
		if !mayTell(comment) {
			return
		}
		stays := option.MatchString(comment)
		for _, part := range inComment.FindAllStringSubmatch(comment, -1) {
			grid, block = told(part, f.Name, grid, block)
			stays = stays || part[5] == f.Name
		}
		if stays {
			ofFile = [...]race.Dim3{grid, block}
		}
	}
	before := file.Text[:min(f.Span.Start, len(file.Text))]
	begun := strings.LastIndexByte(before, '\n') + 1
	for _, r := range req.remarks.in(file) {
		if r.at >= begun {
			break
		}
		hear(r.line)
	}
	hear(before[begun:])
	if grid.Count() == 0 {
		grid = race.Dim3{}
	}
	if block.Count() == 0 || block.Count() > mostThreads {
		block = race.Dim3{}
	}
	return grid, block
}

// ends reports whether a line ends what comments in front of it have said of the next kernel.
func ends(line, comment string) bool {
	return strings.ContainsAny(strings.TrimSuffix(line, comment), ";}")
}

// mayTell reports whether a comment may tell of a launch.
func mayTell(comment string) bool {
	return strings.Contains(comment, "Dim") || strings.Contains(comment, "<<<")
}

// remark is a line that tells of launches, or that ends what one before has told.
type remark struct {
	at   int // where it begins, in bytes
	line string
}

// remarks are those of files that were looked through for some kernel, by their paths; nil keeps none.
type remarks map[string][]remark

func (all remarks) in(file *source.File) []remark {
	out, known := all[file.Path]
	if known {
		return out
	}
	at, open := 0, false
	for line := range strings.Lines(file.Text) {
		comment := commentIn(line)
		tells := mayTell(comment) && (option.MatchString(comment) || inComment.MatchString(comment))
		if tells || open && ends(line, comment) {
			out = append(out, remark{at, line})
			open = tells
		}
		at += len(line)
	}
	if all != nil {
		all[file.Path] = out
	}
	return out
}

// mostThreads is the number of threads that a block may have.
const mostThreads = 1024

// told is a launch of a kernel with what a comment says of it, given the parts of a match.
func told(part []string, kernel string, grid, block race.Dim3) (race.Dim3, race.Dim3) {
	if part[1] == "" {
		if part[5] == "" || part[5] == kernel {
			return dim3(part[6] + part[7]), dim3(part[8] + part[9])
		}
		return grid, block
	}
	of, d := &grid, dim3(part[3]+part[4])
	if part[1] == "blockDim" {
		of = &block
	}
	i, one := threeDims[part[2]]
	switch {
	case !one:
		*of = d
	case *of == race.Dim3{}:
		*of = race.Dim3{1, 1, 1}
		fallthrough
	default:
		of[i] = d[0]
	}
	return grid, block
}

// commentIn is the part of a line that is a comment, as far as the line tells.
func commentIn(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), "*") {
		return line
	}
	at := strings.Index(line, "//")
	if block := strings.Index(line, "/*"); at < 0 || block >= 0 && block < at {
		at = block
	}
	if at < 0 {
		return ""
	}
	return line[at:]
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
