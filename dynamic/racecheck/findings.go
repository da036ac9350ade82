// This file defines how the records of reports become findings: one for each kernel and pair
// of places, whatever bytes, threads and instances of a template they were seen with.

package racecheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// Finding is a race with the number of hazards that were seen.
type Finding struct {
	race.Finding
	// Count is that of the report, and in it of the form, that shows most: reports of one run
	// repeat each other.
	Count int
}

// Result is what Findings makes of reports.
type Result struct {
	Findings []Finding // in the order of the reports
	Files    source.Provider
	Problems []race.Problem
}

// barrierNote is what racecheck adds to a hazard on a cuda::barrier.
const barrierNote = "CUDA barrier operation"

// Findings makes findings of reports. Their spans point into the texts of Files: those of the
// given provider, and texts of blank lines for files that it lacks, so that lines have their
// numbers. A place without line information becomes the line of the report that tells of it.
// The block is the size that all kernels were launched with; zero if that is not known.
func Findings(reports []*Report, files source.Provider, block race.Dim3) Result {
	atlas := newAtlas(reports, files)
	byKey := map[pairKey]*pair{}
	var pairs []*pair
	for i, report := range reports {
		for _, record := range report.Records {
			key, record := keyOf(atlas, report, record)
			p := byKey[key]
			if p == nil {
				p = &pair{key: key, report: report, example: record, counts: map[form]int{}, equal: true}
				byKey[key] = p
				pairs = append(pairs, p)
			}
			p.see(report, record, form{i, record.Analysis}, kindOf(record, block))
		}
	}
	result := Result{Files: atlas, Problems: atlas.problems}
	for _, p := range pairs {
		result.Findings = append(result.Findings, p.finding(atlas))
	}
	return result
}

// pairKey is what findings have one of.
type pairKey struct {
	kernel        string
	lifetime      bool
	first, second sideKey
}

type sideKey struct {
	path    string // as the atlas names it; with no line information the report's
	line    int    // 0 with no line information
	access  race.Access
	fun, pc string // with no line information only
}

func (s sideKey) compare(t sideKey) int {
	for _, c := range []int{strings.Compare(s.path, t.path), s.line - t.line, strings.Compare(string(s.access), string(t.access)),
		strings.Compare(s.fun, t.fun), strings.Compare(s.pc, t.pc)} {
		if c != 0 {
			return c
		}
	}
	return 0
}

// keyOf puts the sides of a record into the order of the source, since the forms of a report
// differ in theirs.
func keyOf(a *atlas, report *Report, r Record) (pairKey, Record) {
	if r.Lifetime {
		r.Second = r.First
	}
	key := pairKey{kernelOf(r.First), r.Lifetime, a.key(report, r.First), a.key(report, r.Second)}
	if key.second.compare(key.first) < 0 {
		key.first, key.second = key.second, key.first
		r.First, r.Second = r.Second, r.First
	}
	return key, r
}

func kernelOf(a Access) string {
	if n := len(a.Callers); n > 0 {
		return bareName(a.Callers[n-1].Func)
	}
	return bareName(a.Func)
}

// form is a way in which a report shows hazards.
type form struct {
	report   int
	analysis bool
}

// pair gathers what is said about two places.
type pair struct {
	key      pairKey
	example  Record  // one with threads, of the widest kind, if there is any
	report   *Report // that the example is of
	kind     race.Kind
	severity race.Severity
	types    []string
	notes    []string
	counts   map[form]int
	equal    bool // all hazards write what is there already
	errors   bool // the analysis form calls it an error
}

func (p *pair) see(report *Report, r Record, f form, kind race.Kind) {
	if wider(kind, p.kind) {
		p.kind, p.example, p.report = kind, r, report
	}
	p.severity = max(p.severity, r.Severity)
	p.counts[f] += r.Count
	p.errors = p.errors || r.Analysis && r.Severity == race.Error
	p.types = with(p.types, r.Type)
	if len(p.notes) < maxNotes {
		p.notes = with(p.notes, r.Note)
	}
	p.equal = p.equal && r.Type == "WAW" && r.Current != "" && r.Current == r.Incoming
}

const maxNotes = 8 // of one pair; racecheck knows two

func with(list []string, text string) []string {
	if text == "" || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

func wider(a, b race.Kind) bool {
	kinds := []race.Kind{"", race.IntraWarp, race.IntraBlock, race.InterBlock}
	return slices.Index(kinds, a) > slices.Index(kinds, b)
}

const warpSize = 32

// kindOf says which two threads a record is about, and "" if it does not tell.
func kindOf(r Record, block race.Dim3) race.Kind {
	switch {
	case r.Lifetime, r.First.Rank != r.Second.Rank:
		return race.InterBlock
	case r.SameWarp:
		return race.IntraWarp
	case r.Analysis:
		return ""
	}
	first, ok1 := linear(r.First.Thread, block)
	second, ok2 := linear(r.Second.Thread, block)
	if ok1 && ok2 && first/warpSize == second/warpSize {
		return race.IntraWarp
	}
	return race.IntraBlock
}

// linear numbers the threads of a block as warps are cut from it. The first row needs no size.
func linear(thread, block race.Dim3) (int, bool) {
	if thread[1] == 0 && thread[2] == 0 {
		return thread[0], true
	}
	for i := range thread {
		if thread[i] >= block[i] { // not known, or of another kernel
			return 0, false
		}
	}
	return thread[0] + block[0]*(thread[1]+block[1]*thread[2]), true
}

func (p *pair) finding(a *atlas) Finding {
	f := Finding{}
	f.Source, f.Kernel, f.Space = "racecheck", p.key.kernel, "shared"
	f.Kind, f.Severity = p.kind, p.severity
	seen, told := p.most(false), p.most(true)
	f.Count = max(seen, told)
	// To racecheck most races within a warp are warnings: where it tells of an error, and not of
	// all threads, those not told of may be of two warps.
	if f.Kind == "" || f.Kind == race.IntraWarp && p.errors && told > seen {
		f.Kind = race.IntraBlock
	}
	if f.Severity == race.Hint {
		f.Severity = race.Warning // what a race is if no text says how bad it is
	}
	f.First = a.site(p.report, p.example.First)
	f.Second = a.site(p.report, p.example.Second)
	p.explain(&f)
	return f
}

// most is the greatest count that a report has in one of the two forms.
func (p *pair) most(analysis bool) int {
	n := 0
	for f, c := range p.counts {
		if f.analysis == analysis {
			n = max(n, c)
		}
	}
	return n
}

// explain chooses the rule, and says in words what racecheck saw.
func (p *pair) explain(f *Finding) {
	f.Message = fmt.Sprintf("%s: one %s shared memory, the other %s it, and nothing orders them", who(f.Kind), does(f.First), does(f.Second))
	if f.First.Access == race.Write && f.Second.Access == race.Write {
		f.Message = fmt.Sprintf("%s both write shared memory, and nothing orders them", who(f.Kind))
	}
	switch {
	case p.key.lifetime:
		f.Rule = race.InterBlockRace
		f.Message = fmt.Sprintf("a thread %s shared memory of another block of its cluster, which may not have begun or may have ended", does(f.First))
		f.Mend = "Let the blocks of the cluster wait for each other, before the first such access and before a block ends."
	case p.equal && p.severity == race.Information:
		f.Rule = race.SameValueWrite
		f.Message = fmt.Sprintf("%s write the same value to shared memory", who(f.Kind))
		f.Mend = "Let one thread write, if the program must be free of races by the letter."
	case slices.ContainsFunc(p.notes, func(n string) bool { return strings.Contains(n, "memcpy_async") }):
		f.Rule = race.AsyncCopy
		f.Mend = "Wait for the copy before its data is used or overwritten."
	case f.Kind == race.IntraWarp:
		f.Rule = race.MissingSyncwarp
		f.Mend = "Insert __syncwarp() between the two accesses."
	case f.Kind == race.InterBlock:
		f.Rule = race.InterBlockRace
		f.Mend = "Synchronize the cluster between the two accesses."
	default:
		f.Rule = race.MissingSyncthreads
		f.Mend = "Insert __syncthreads() between the two accesses, where all threads of the block pass."
	}
	f.Why = p.why()
}

func who(k race.Kind) string {
	switch k {
	case race.IntraWarp:
		return "two threads of one warp"
	case race.InterBlock:
		return "two blocks of one cluster"
	}
	return "two threads of one block"
}

func does(s race.Site) string {
	return map[race.Access]string{race.Read: "reads", race.Write: "writes", race.Atomic: "updates"}[s.Access]
}

var typeNames = map[string]string{"RAW": "read after write", "WAR": "write after read", "WAW": "write after write"}

// why says what racecheck saw, and which threads, where the report tells.
func (p *pair) why() string {
	var hazards []string
	for _, t := range p.types {
		hazards = append(hazards, typeNames[t])
	}
	text := "racecheck saw the accesses meet when the program ran"
	if len(hazards) > 0 {
		text += ": " + strings.Join(hazards, ", ")
	}
	text += "."
	if e := p.example; !e.Analysis && !e.Lifetime {
		text += fmt.Sprintf(" One pair is thread %s and thread %s of block %s, at shared address %s.",
			e.First.Thread.Coordinate(), e.Second.Thread.Coordinate(), e.Block.Coordinate(), e.Address)
	}
	if len(p.notes) > 0 {
		text += fmt.Sprintf(" It notes: %s.", strings.Join(p.notes, ", "))
	}
	if p.key.first.line == 0 || p.key.second.line == 0 {
		text += fmt.Sprintf(" The report does not say on which lines (%s, %s): build with nvcc -lineinfo.", p.example.First.offset(), p.example.Second.offset())
	}
	return text
}

func (p Place) offset() string { return p.Func + "+" + p.PC }
