// This file defines the reader of racecheck's text. Lines of compute-sanitizer begin with
// eight or nine "="; what the program itself prints stands between them, and may stand before
// the "=" of a line. Names of functions hold spaces, commas and brackets, so places are
// matched from their right end.

package racecheck

import (
	"regexp"
	"slices"
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

// maxWaiting is how many records wait for their ends: more than there are processes, as what stands in front of
// lines may also be the time of day.
const maxWaiting = 1024

// textParser holds the records whose lines are being read.
type textParser struct {
	report *Report
	number int // of the line, from 1
	// waiting has the records that may go on, the one last read from at the end. There are several where
	// processes write into one report, and their launcher, such as mpirun or srun, names each in front of its lines.
	waiting []*openRecord

	headers, summaries, displayed int
	total                         map[race.Severity]int // as the summaries count
}

// openRecord is a record that is not at its end.
type openRecord struct {
	Record
	tag   string // what stands in front of the "=" of its first line
	begun int    // the line that it begins in
	sides int    // how many places it has
}

func parseText(r *Report, text string) {
	p := &textParser{report: r, total: map[race.Severity]int{}}
	for line := range strings.Lines(text) {
		p.number++
		if at := strings.Index(line, marker); at >= 0 {
			p.line(line[:at], strings.TrimSpace(strings.TrimLeft(line[at:], "=")))
		}
	}
	for _, r := range p.waiting {
		p.end(r)
	}
	p.judge()
}

// line reads the body of a line of compute-sanitizer, and the tag in front of it.
func (p *textParser) line(tag, body string) {
	switch r := p.openOf(tag); {
	case body == "":
		p.close(tag)
	case strings.HasPrefix(body, "RACECHECK SUMMARY"):
		p.close(tag)
		p.summary(body)
	case r != nil && p.continued(r, body):
	case p.begin(tag, body):
	case strings.HasPrefix(body, "Target application returned an error"):
		p.report.gap("the program ended with an error, so what came behind was not watched")
	case startsWithAny(body, chatter):
		if strings.HasPrefix(body, chatter[0]) || strings.HasPrefix(body, chatter[1]) {
			p.headers++
		}
	default:
		p.report.unknown(p.number, body)
	}
}

// openOf finds the record that a line with a tag goes on with: the one of that tag, or else, as it may be the
// program's own output that stands there, the one last read from.
func (p *textParser) openOf(tag string) *openRecord {
	if len(p.waiting) == 0 {
		return nil
	}
	if i := p.tagged(tag); i >= 0 {
		r := p.waiting[i]
		p.waiting = append(slices.Delete(p.waiting, i, i+1), r)
	}
	return p.waiting[len(p.waiting)-1]
}

func (p *textParser) tagged(tag string) int {
	return slices.IndexFunc(p.waiting, func(r *openRecord) bool { return r.tag == tag })
}

// begin reads the first line of a record.
func (p *textParser) begin(tag, body string) bool {
	m := severityPattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	p.close(tag)
	record := &openRecord{Record: Record{Severity: severity(m[1]), Count: 1}, tag: tag, begun: p.number}
	rest, marked := strings.CutPrefix(m[2], warpMark)
	record.SameWarp = marked
	rest = strings.TrimSpace(rest)
	switch {
	case p.beginHazard(record, rest), p.beginAnalysis(record, rest), p.beginLifetime(record, rest):
		if len(p.waiting) == maxWaiting {
			p.end(p.waiting[0])
			p.waiting = p.waiting[1:]
		}
		p.waiting = append(p.waiting, record)
		return true
	case record.Severity > race.Information:
		p.report.gap("%s is not understood", quoted(p.number, body))
		return true
	}
	return false
}

func (p *textParser) beginHazard(record *openRecord, body string) bool {
	m := hazardPattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	record.Type, record.Note, record.Address = m[1], m[2], hex(m[3])
	var ok bool
	record.Block, ok = dim(m[4:7])
	return ok
}

func (p *textParser) beginAnalysis(record *openRecord, body string) bool {
	m := analysisPattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	place, ok := p.place(m[2])
	record.Analysis, record.First = true, Access{Access: access(m[1]), Place: place}
	record.sides = 1
	return ok
}

func (p *textParser) beginLifetime(record *openRecord, body string) bool {
	m := lifetimePattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	record.Lifetime, record.First.Access = true, access(m[1])
	return true
}

// continued reads a further line of an open record, and reports whether it is one.
func (p *textParser) continued(r *openRecord, body string) bool {
	switch {
	case strings.HasPrefix(body, "Device Frame:"):
		return p.caller(r, strings.TrimSpace(strings.TrimPrefix(body, "Device Frame:")))
	case r.Analysis:
		return p.against(r, body)
	case r.Lifetime:
		return p.lifetime(r, body)
	default:
		return p.thread(r, body) || r.values(body)
	}
}

// against reads the second place of an analysis. There may be several, each a race with the first.
func (p *textParser) against(r *openRecord, body string) bool {
	m := againstPattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	place, ok := p.place(m[2])
	n := 1
	if m[3] != "" && ok {
		n, ok = number(m[3])
	}
	second := Access{Access: access(m[1]), Place: place}
	if !ok || !second.races(r.First) {
		return false
	}
	record := r.Record
	record.Second, record.Count = second, max(n, 1)
	p.report.add(record)
	r.sides++
	return true
}

func (p *textParser) thread(r *openRecord, body string) bool {
	m := threadPattern.FindStringSubmatch(body)
	if m == nil || r.sides == 2 {
		return false
	}
	place, ok := p.place(m[6])
	thread, good := dim(m[2:5])
	if !ok || !good {
		return false
	}
	a := Access{Access: access(m[1]), Place: place, Thread: thread, Rank: m[5]}
	switch {
	case r.sides == 0:
		r.First = a
	case a.races(r.First):
		r.Second = a
	default:
		return false
	}
	r.sides++
	return true
}

// races reports whether two accesses can race: two reads next to each other are of two records whose lines are mixed up.
func (a Access) races(b Access) bool { return a.Access != race.Read || b.Access != race.Read }

func (p *textParser) lifetime(r *openRecord, body string) bool {
	if rest, found := strings.CutPrefix(body, "at "); found {
		place, ok := p.place(rest)
		if ok {
			r.First.Place = place
			r.sides = 2 // a peer's end is no place
		}
		return ok
	}
	m := byThreadPattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	thread, ok := dim(m[1:4])
	block, good := dim(m[4:7])
	r.First.Thread, r.Block = thread, block
	return ok && good
}

func (r *openRecord) values(body string) bool {
	m := valuesPattern.FindStringSubmatch(body)
	if m == nil {
		return false
	}
	r.Current, r.Incoming = m[1], m[2]
	return true
}

// caller reads a function through which the access above it was reached.
func (p *textParser) caller(r *openRecord, body string) bool {
	place, ok := p.place(body)
	if !ok || r.sides == 0 || r.Analysis {
		return false
	}
	side := &r.First
	if r.sides == 2 && !r.Lifetime {
		side = &r.Second
	}
	side.Callers = append(side.Callers, place)
	return true
}

// close ends the open record of a tag, if there is one.
func (p *textParser) close(tag string) {
	if i := p.tagged(tag); i >= 0 {
		p.end(p.waiting[i])
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
}

// end keeps a record if it is whole.
func (p *textParser) end(r *openRecord) {
	if r.sides < 2 {
		p.report.gap("the race in line %d breaks off, or is not understood", r.begun)
		return
	}
	p.report.shown[r.Severity]++
	if !r.Analysis {
		p.report.add(r.Record)
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
