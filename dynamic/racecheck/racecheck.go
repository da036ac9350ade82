// Package racecheck reads the reports of NVIDIA's compute-sanitizer, tool racecheck, and turns
// them into findings. Parse reads one report, as text (its analysis and hazard forms, of old
// and new versions) or as XML; Findings makes one finding of all that the reports say about a
// pair of places.
//
// Text has severities and, by default, file names without folders; XML has full paths and no
// severity. Both together give the best findings. A report that ends too early, or that holds
// what is not understood, has Gaps: it is never taken for a clean one.
package racecheck

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// Report is what one report says.
type Report struct {
	File    string
	Records []Record
	// Gaps are the reasons why races may be missing from Records, in sentences without the file's name.
	Gaps []string
	// Notes are other remarks for the user.
	Notes []string
	// Hidden is the greatest severity of which the summary counts more races than the report
	// shows; race.Hint if it shows all.
	Hidden race.Severity
	// Unknown is the number of lines of compute-sanitizer (in XML: records) that were not understood.
	Unknown int

	firstUnknown string
	moreGaps     int // than are told
	shown        map[race.Severity]int
}

// Record is one race as a report writes it.
type Record struct {
	Analysis bool          // the analysis form: many hazards in one record, and no threads
	Type     string        // "RAW", "WAR" or "WAW" of a hazard, else empty
	Severity race.Severity // race.Hint where the report gives none, as XML does
	Count    int           // hazards, at least 1
	SameWarp bool          // the report marks the two threads as being of one warp
	Note     string        // what the report adds in brackets, such as "CUDA barrier operation"
	Lifetime bool          // an access to memory of another block of the cluster, which may not run; First only
	Address  string        // in shared memory, hexadecimal; empty if not given
	Block    race.Dim3     // of the threads, in a hazard
	First    Access        // the earlier access of a hazard
	Second   Access
	// Current and Incoming are the values of the byte before and after, as the report writes them.
	Current, Incoming string
}

// Access is one side of a race.
type Access struct {
	Access race.Access
	Place
	Thread  race.Dim3 // in a hazard
	Rank    string    // the block's rank in its cluster, if the report gives it
	Callers []Place   // of the function that the access stands in, the innermost first
}

// Place is an instruction of the program.
type Place struct {
	Func string // as the report writes it: with parameters and template arguments in text, bare in XML
	PC   string // offset in the function, hexadecimal without leading zeros
	Path string // of the source file; empty without line information
	Line int    // in the source file, from 1; 0 without line information
	At   int    // the line of the report, from 1
}

// Decoded gives a report in UTF-8: PowerShell writes in UTF-16 what is redirected to a file.
func Decoded(file *source.File) *source.File {
	for mark, order := range map[string]binary.ByteOrder{"\xff\xfe": binary.LittleEndian, "\xfe\xff": binary.BigEndian} {
		if rest, found := strings.CutPrefix(file.Text, mark); found {
			units := make([]uint16, len(rest)/2)
			for i := range units {
				units[i] = order.Uint16([]byte(rest[2*i : 2*i+2]))
			}
			return source.New(file.Path, string(utf16.Decode(units)))
		}
	}
	return file
}

// Parse reads a report. It never fails: what it could not read is in Gaps and Notes.
func Parse(file *source.File) *Report {
	r := &Report{File: file.Path, shown: map[race.Severity]int{}}
	text := strings.TrimPrefix(file.Text, "\ufeff")
	start := strings.TrimSpace(text[:min(len(text), 512)])
	if strings.HasPrefix(start, "<?xml") || strings.HasPrefix(start, "<ComputeSanitizerOutput") {
		parseXML(r, text)
	} else {
		parseText(r, text)
	}
	if r.moreGaps > 0 {
		r.Gaps = append(r.Gaps, count(r.moreGaps, "more gap is not told", "more gaps are not told"))
	}
	if r.Unknown > 0 {
		r.note("%s not understood; the first is %s", count(r.Unknown, "line was", "lines were"), r.firstUnknown)
	}
	return r
}

func (r *Report) add(record Record) { r.Records = append(r.Records, record) }

// maxGaps is how many gaps are told one by one; a report of another kind may have one in each line.
const maxGaps = 5

func (r *Report) gap(format string, args ...any) {
	if len(r.Gaps) == maxGaps {
		r.moreGaps++
		return
	}
	r.Gaps = append(r.Gaps, fmt.Sprintf(format, args...))
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// unknown counts what was not understood, and keeps the first for the message.
func (r *Report) unknown(line int, text string) {
	r.Unknown++
	if r.firstUnknown == "" {
		r.firstUnknown = quoted(line, text)
	}
}

// quoted names a line of the report, shortened so that it fits into a message.
func quoted(line int, text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	return fmt.Sprintf("line %d: %q", line, text)
}

func count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
