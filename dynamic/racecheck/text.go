// This file defines the reader of racecheck's text. Lines of compute-sanitizer begin with
// eight or nine "="; what the program itself prints stands between them, and may stand before
// the "=" of a line. Names of functions hold spaces, commas and brackets, so places are
// matched from their right end.

package racecheck

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/race"
)

const marker = "========" // with which lines of compute-sanitizer begin

const tuple = `\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)`

var (
	severityPattern = regexp.MustCompile(`(?i)^(error|warning|warn|info)\s*:\s*(.*)$`)
	hazardPattern   = regexp.MustCompile(`^Potential (RAW|WAR|WAW) hazard detected(?: \(([^()]*)\))? at __shared__ 0x([0-9a-fA-F]+) in block ` + tuple + `\s*:?$`)
	threadPattern   = regexp.MustCompile(`^(Read|Write|Atomic) Thread ` + tuple + `(?: \(block rank (\d+)\))? at (.*)$`)
	analysisPattern = regexp.MustCompile(`^Race reported between (Read|Write|Atomic) access at (.*)$`)
	againstPattern  = regexp.MustCompile(`^and (Read|Write|Atomic) access at (.*?)(?:\s*\[(\d+) hazards?\])?$`)
	lifetimePattern = regexp.MustCompile(`^Potential invalid __shared__ (read|write) of size \d+(?: bytes?)?$`)
	byThreadPattern = regexp.MustCompile(`^by thread ` + tuple + ` in block ` + tuple + `$`)
	valuesPattern   = regexp.MustCompile(`^Current Value\s*:\s*(.*?)(?:\s*,\s*Incoming Value\s*:\s*(.*))?$`)
	summaryPattern  = regexp.MustCompile(`^RACECHECK SUMMARY: (\d+) hazards? displayed \((\d+) errors?, (\d+) warnings?`)
	placePattern    = regexp.MustCompile(`^(.*)\+0x([0-9a-fA-F]+)(?: in (.*?)(?::(\d+))?)?$`)
	oldPlacePattern = regexp.MustCompile(`^0x([0-9a-fA-F]+) in (?:(.+?):(\d+):)?(.+)$`)
)

const warpMark = "(Warp Level Programming)"

// chatter begins the lines that say nothing about a race.
var chatter = []string{"COMPUTE-SANITIZER", "CUDA-MEMCHECK", "Host Frame:", "Saved host backtrace", "Address 0x"}

// textParser holds the record whose lines are being read.
type textParser struct {
	report *Report
	number int     // of the line, from 1
	open   *Record // nil between records
	begun  int     // the line that the open record begins in
	sides  int     // how many places the open record has

	headers, summaries, displayed int
	total                         map[race.Severity]int // as the summaries count
}

func parseText(r *Report, text string) {
	p := &textParser{report: r, total: map[race.Severity]int{}}
	for line := range strings.Lines(text) {
		p.number++
		if at := strings.Index(line, marker); at >= 0 {
			p.line(strings.TrimSpace(strings.TrimLeft(line[at:], "=")))
		}
	}
	p.close()
	p.judge()
}

// line reads the body of a line of compute-sanitizer.
func (p *textParser) line(body string) {
	switch {
	case body == "":
		p.close()
	case strings.HasPrefix(body, "RACECHECK SUMMARY"):
		p.close()
		p.summary(body)
	case p.open != nil && p.continued(body):
	case p.begin(body):
	case startsWithAny(body, chatter):
		if strings.HasPrefix(body, chatter[0]) || strings.HasPrefix(body, chatter[1]) {
			p.headers++
		}
	default:
		p.report.unknown(p.number, body)
	}
}

// begin reads the first line of a record.
func (p *textParser) begin(body string) bool {
	m := severityPattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	p.close()
	record := &Record{Severity: severity(m[1]), Count: 1}
	rest, marked := strings.CutPrefix(m[2], warpMark)
	record.SameWarp = marked
	rest = strings.TrimSpace(rest)
	p.sides = 0
	switch {
	case p.beginHazard(record, rest), p.beginAnalysis(record, rest), p.beginLifetime(record, rest):
		p.open, p.begun = record, p.number
		return true
	case record.Severity > race.Information:
		p.report.gap("%s is not understood", quoted(p.number, body))
		return true
	}
	return false
}

func (p *textParser) beginHazard(record *Record, body string) bool {
	m := hazardPattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	record.Type, record.Note, record.Address = m[1], m[2], hex(m[3])
	var ok bool
	record.Block, ok = dim(m[4:7])
	return ok
}

func (p *textParser) beginAnalysis(record *Record, body string) bool {
	m := analysisPattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	place, ok := p.place(m[2])
	record.Analysis, record.First = true, Access{Access: access(m[1]), Place: place}
	p.sides = 1
	return ok
}

func (p *textParser) beginLifetime(record *Record, body string) bool {
	m := lifetimePattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	record.Lifetime, record.First.Access = true, access(m[1])
	return true
}

// continued reads a further line of the open record, and reports whether it is one.
func (p *textParser) continued(body string) bool {
	switch r := p.open; {
	case strings.HasPrefix(body, "Device Frame:"):
		return p.caller(strings.TrimSpace(strings.TrimPrefix(body, "Device Frame:")))
	case r.Analysis:
		return p.against(body)
	case r.Lifetime:
		return p.lifetime(body)
	default:
		return p.thread(body) || p.values(body)
	}
}

// against reads the second place of an analysis. There may be several, each a race with the first.
func (p *textParser) against(body string) bool {
	m := againstPattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	place, ok := p.place(m[2])
	n := 1
	if m[3] != "" && ok {
		n, ok = number(m[3])
	}
	if !ok {
		return false
	}
	record := *p.open
	record.Second, record.Count = Access{Access: access(m[1]), Place: place}, max(n, 1)
	p.report.add(record)
	p.sides++
	return true
}

func (p *textParser) thread(body string) bool {
	m := threadPattern.FindStringSubmatch(body)
	if m == nil || p.sides == 2 {
		return false
	}
	place, ok := p.place(m[6])
	thread, good := dim(m[2:5])
	if !ok || !good {
		return false
	}
	a := Access{Access: access(m[1]), Place: place, Thread: thread, Rank: m[5]}
	if p.sides == 0 {
		p.open.First = a
	} else {
		p.open.Second = a
	}
	p.sides++
	return true
}

func (p *textParser) lifetime(body string) bool {
	if rest, found := strings.CutPrefix(body, "at "); found {
		place, ok := p.place(rest)
		if ok {
			p.open.First.Place = place
			p.sides = 2 // a peer's end is no place
		}
		return ok
	}
	m := byThreadPattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	thread, ok := dim(m[1:4])
	block, good := dim(m[4:7])
	p.open.First.Thread, p.open.Block = thread, block
	return ok && good
}

func (p *textParser) values(body string) bool {
	m := valuesPattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	p.open.Current, p.open.Incoming = m[1], m[2]
	return true
}

// caller reads a function through which the access above it was reached.
func (p *textParser) caller(body string) bool {
	place, ok := p.place(body)
	if !ok || p.sides == 0 || p.open.Analysis {
		return false
	}
	side := &p.open.First
	if p.sides == 2 && !p.open.Lifetime {
		side = &p.open.Second
	}
	side.Callers = append(side.Callers, place)
	return true
}

// close ends the open record, and keeps it if it is whole.
func (p *textParser) close() {
	r := p.open
	p.open = nil
	switch {
	case r == nil:
	case p.sides < 2:
		p.report.gap("the race in line %d breaks off, or is not understood", p.begun)
	default:
		p.report.shown[r.Severity]++
		if !r.Analysis {
			p.report.add(*r)
		}
	}
}

func (p *textParser) summary(body string) {
	m := summaryPattern.FindStringSubmatch(body)
	if m == nil {
		p.report.gap("the summary in %s is not understood", quoted(p.number, body))
		return
	}
	displayed, ok1 := number(m[1])
	errors, ok2 := number(m[2])
	warnings, ok3 := number(m[3])
	if !ok1 || !ok2 || !ok3 {
		p.report.gap("the summary in %s is not understood", quoted(p.number, body))
		return
	}
	p.summaries++
	p.displayed += displayed
	p.total[race.Error] += errors
	p.total[race.Warning] += warnings
}

// judge decides whether the report says all, by its summaries: each process that
// compute-sanitizer watched to its end has one.
func (p *textParser) judge() {
	r := p.report
	switch {
	case p.summaries == 0 && p.headers == 0 && len(r.Records) == 0:
		r.gap("this is no report of racecheck: it has no line of it and no summary")
	case p.summaries == 0:
		r.gap("the report has no RACECHECK SUMMARY, so it is incomplete")
	case p.summaries < p.headers:
		r.gap("%d runs begin in the report and only %d end with a RACECHECK SUMMARY, so it is incomplete", p.headers, p.summaries)
	case p.displayed > 0 && len(r.Records) == 0:
		r.gap("the summary counts %s, and none was found in the report", count(p.displayed, "hazard", "hazards"))
	}
	for _, s := range []race.Severity{race.Warning, race.Error} {
		if p.total[s] > r.shown[s] {
			r.Hidden = s
		}
	}
	if r.Hidden > race.Hint {
		r.note("the summary counts %s and %s, and the report shows %d and %d of them; --print-limit 0 shows all",
			count(p.total[race.Error], "error", "errors"), count(p.total[race.Warning], "warning", "warnings"),
			r.shown[race.Error], r.shown[race.Warning])
	}
}

// place reads where an instruction stands, in the form of today or in the older one.
func (p *textParser) place(text string) (Place, bool) {
	text = strings.TrimSpace(text)
	if m := oldPlacePattern.FindStringSubmatch(text); m != nil {
		return located(Place{Func: m[4], PC: hex(m[1]), At: p.number}, m[2], m[3]), true
	}
	m := placePattern.FindStringSubmatch(text)
	if m == nil {
		return Place{}, false
	}
	return located(Place{Func: m[1], PC: hex(m[2]), At: p.number}, m[3], m[4]), true
}

// located adds the place in the source, if there is one: a path with no line is that of a module.
func located(p Place, path, line string) Place {
	if n, ok := number(line); ok && n > 0 && path != "" {
		p.Path, p.Line = path, n
	}
	return p
}

// number reads a count or a coordinate; none that the CUDA model allows comes near the limit,
// and sums of numbers below it do not overflow.
func number(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && n <= 1<<40
}

func dim(texts []string) (d race.Dim3, ok bool) {
	for i := range d {
		if d[i], ok = number(texts[i]); !ok {
			return race.Dim3{}, false
		}
	}
	return d, true
}

func hex(digits string) string {
	return "0x" + strings.ToLower(strings.TrimLeft(digits[:len(digits)-1], "0")+digits[len(digits)-1:])
}

func access(word string) race.Access { return race.Access(strings.ToLower(word)) }

func severity(word string) race.Severity {
	switch strings.ToLower(word) {
	case "error":
		return race.Error
	case "info":
		return race.Information
	}
	return race.Warning
}

func startsWithAny(text string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}
