// Package race is the vocabulary that every part of warplint shares: what kinds of races
// there are, what rules name them, and what a finding, a witness and a fix are.
package race

import (
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/source"
)

// Kind says which two threads race, or which two operations.
type Kind string

const (
	IntraWarp  Kind = "intra-warp"
	IntraBlock Kind = "intra-block" // same block, another warp
	InterBlock Kind = "inter-block"
	InterGrid  Kind = "inter-grid" // two launches, copies or fills that the host enqueues
)

// Rule says what is wrong, and so what mends it. It is the diagnostic's code, the name of
// its page, and what a suppression comment names.
type Rule string

const (
	MissingSyncthreads Rule = "missing-syncthreads"
	MissingSyncwarp    Rule = "missing-syncwarp"
	MissingClusterSync Rule = "missing-cluster-sync"
	InterBlockRace     Rule = "inter-block-race"
	AtomicScope        Rule = "atomic-scope"
	FenceScope         Rule = "fence-scope"
	MissingFence       Rule = "missing-fence"
	WeakAccess         Rule = "weak-access"
	MixedAtomic        Rule = "mixed-atomic"
	LockScope          Rule = "lock-scope"
	LockFence          Rule = "lock-fence"
	LockMismatch       Rule = "lock-mismatch"
	GroupScope         Rule = "group-scope"
	BarrierDivergence  Rule = "barrier-divergence"
	AsyncCopy          Rule = "async-copy"
	SameValueWrite     Rule = "same-value-write"
	StreamOrder        Rule = "stream-order"
)

// LacksBarrier reports whether a barrier is what such a race lacks.
func (r Rule) LacksBarrier() bool {
	return r == MissingSyncthreads || r == MissingSyncwarp || r == MissingClusterSync
}

// Severity orders findings by how sure it is that they hurt.
type Severity int

const (
	Hint Severity = iota
	Information
	Warning
	Error
)

func (s Severity) String() string {
	return [...]string{"hint", "information", "warning", "error"}[s]
}

// Scope is the set of threads that a synchronizing operation covers. Scopes are ordered:
// each includes the one before it.
type Scope uint8

const (
	ScopeNone Scope = iota
	ScopeBlock
	ScopeCluster
	ScopeDevice
	ScopeSystem
)

func (s Scope) String() string {
	return [...]string{"", "block", "cluster", "device", "system"}[s]
}

// Scope returns the least scope that includes both threads of the kind.
func (k Kind) Scope() Scope {
	if k == InterBlock || k == InterGrid {
		return ScopeDevice
	}
	return ScopeBlock
}

// Access says what an access does to memory.
type Access string

const (
	Read   Access = "read"
	Write  Access = "write"
	Atomic Access = "atomic"
	End    Access = "end" // of the block whose shared memory it is
)

// Verdict is the honest answer about a kernel.
type Verdict string

const (
	RaceFree Verdict = "race-free" // proved: no pair of accesses can race under the stated assumptions
	Racy     Verdict = "racy"      // at least one finding of severity warning or error
	Unknown  Verdict = "unknown"   // something was not understood or not decided; Reasons say what
)

// Site is one side of a race: the access as it stands in the source.
type Site struct {
	Span   source.Span
	Access Access
	Scope  Scope
	// Inlined holds the calls through which the access is reached, the kernel's first; empty
	// when the access stands in the kernel itself.
	Inlined []source.Span
	// Macro is where the text of the access is defined, if it comes from a macro.
	Macro source.Span
	// Library is where in a header that warplint brings the access stands, if Span is the call of a library.
	Library source.Span
}

// WarpSize is the number of lanes of a warp on all devices so far.
const WarpSize = 32

// Dim3 is a dimension or a coordinate: x, y, z.
type Dim3 [3]int

// Count returns the product of the three dimensions.
func (d Dim3) Count() int { return d[0] * d[1] * d[2] }

// Coordinate writes the place of a thread or a block, such as "(3,0,0)".
func (d Dim3) Coordinate() string { return fmt.Sprintf("(%d,%d,%d)", d[0], d[1], d[2]) }

// Confirmation is what became of a finding's witness on the simulator.
type Confirmation struct {
	Seen      bool   `json:"seen"`
	Reason    string `json:"reason"`    // why the race was not seen; "" if it was
	Count     int    `json:"count"`     // how often it was seen
	Schedules int    `json:"schedules"` // how many were run
}

// Edit replaces the text of a span.
type Edit struct {
	Span source.Span
	Text string
}

// Fix is a change that mends a finding.
type Fix struct {
	Title string
	Edits []Edit
	// Verified is set when the analysis of the edited text showed neither this finding nor a new one.
	Verified bool
	// Safe is set when the edits cannot deadlock or change a result, so that "fix all" may apply them.
	Safe bool
}

// Pair is two places that race.
type Pair struct{ First, Second Site }

// Finding is one race between two places of the source.
type Finding struct {
	Source   string // "static", "dynamic" or "racecheck"
	Rule     Rule
	Kind     Kind
	Severity Severity
	Kernel   string
	Space    string // "shared" or "global"
	Variable string
	Message  string // one line, fact first
	Why      string // why nothing orders the two accesses, in full sentences
	Mend     string // what mends it, in a sentence
	First    Site
	Second   Site
	Witness  *Witness
	// Operations are the two that an inter-grid race is between, the first one's first; else there are none. They take the place of
	// a witness.
	Operations []Operation
	// Allocated is the host's call that allocated the memory; zero if unknown.
	Allocated source.Span
	Assumes   []string // assumptions on which the verdict rests
	Fixes     []Fix
	Also      []Pair // further races that the same fix mends, or that may not matter for the same reason
	// Tolerated is set for what today's hardware orders and the memory model does not, such as
	// reads of volatile data behind a flag with no fence between: the verdict does not count it.
	Tolerated bool
	// Presumed is set for what an assumption of the verdict rules out, such as rows that are shorter
	// than their columns need: the verdict does not count it.
	Presumed bool
}

// Operation is what the host has a stream do, and that races.
type Operation struct {
	What   string      // in a few words, such as "a copy"
	Stream string      // as people call it
	Span   source.Span // the host's call; zero if unknown
	// Kernel is empty if it is no launch. Thread is the one that makes the access.
	Kernel      string
	Grid, Block Dim3
	Thread      Thread
}

// Kernel is the verdict on one kernel.
type Kernel struct {
	Name         string
	Span         source.Span // its definition
	Verdict      Verdict
	Reasons      []string
	Assumes      []string
	Milliseconds float64

	// Outside are the constructs of the kernel that were not understood, without their places; a
	// kernel that has none was lowered whole.
	Outside []string
	// Unshown is the number of pairs of accesses that may race, but that no run showed to.
	Unshown int
	// CutShort is set if a time limit ended the work on the kernel.
	CutShort bool
}

// Merge returns one verdict on a kernel for two, as on instances of a template or for several launches: the worse one,
// with the reasons of both.
func (k Kernel) Merge(o Kernel) Kernel {
	worse := func(v Verdict) int { return slices.Index([]Verdict{RaceFree, Unknown, Racy}, v) }
	if worse(o.Verdict) > worse(k.Verdict) {
		k.Verdict = o.Verdict
	}
	k.Milliseconds += o.Milliseconds
	k.Reasons = union(k.Reasons, o.Reasons)
	k.Assumes = union(k.Assumes, o.Assumes)
	k.Outside = union(k.Outside, o.Outside)
	k.Unshown += o.Unshown
	k.CutShort = k.CutShort || o.CutShort
	return k
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Problem is something about a file that is no finding: it could not be read or understood.
type Problem struct {
	File    string
	Message string
	// Handled is set where a program was told of it by an error of the runtime, and came to its end all the same.
	Handled bool
}
