// Package pair defines what the detectors of the papers report: pairs of instructions of which
// two threads' accesses to one location raced, by the condition of the paper that says so. It
// collects them for a launch, gives locations their names, and makes findings of them.
package pair

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic/event"
)

// Access is one side of a race, as far as the detector knows it.
type Access struct {
	PC                uint32
	Block, Warp, Lane int // as in event.Step
	Does              race.Access
	Scope             race.Scope // of an atomic
}

// Race is a pair of instructions, with the first two threads that met there.
type Race struct {
	First, Second Access // in the order of the run
	Kind          race.Kind
	Rule          race.Rule // the rule of warplint that comes closest to the condition
	Condition     string    // as the paper names it
	Why           string    // what the condition says, in a full sentence
	Space         event.Space
	Address       uint64 // of the first common byte: an offset for shared memory
	Launch        *event.Launch
	Variable      string // empty if unknown
	Count         int
}

// Log collects races. Detectors embed it: it is a listener that remembers the allocations.
type Log struct {
	event.Nothing
	races       map[key]*Race
	allocations []*event.Allocation
}

type key struct {
	program   event.Program
	pcs       [2]uint32
	does      [2]race.Access
	kind      race.Kind
	condition string
}

// Allocate implements event.Listener.
func (l *Log) Allocate(a *event.Allocation) {
	kept := *a
	l.allocations = append(l.allocations, &kept)
}

// Free implements event.Listener.
func (l *Log) Free(a *event.Allocation) {
	l.allocations = slices.DeleteFunc(l.allocations, func(o *event.Allocation) bool { return o.ID == a.ID })
}

// Allocations are those that are live.
func (l *Log) Allocations() []*event.Allocation { return l.allocations }

// Add counts a race; only the first of its pair of instructions is kept as the witness.
func (l *Log) Add(r Race) {
	k := key{r.Launch.Program, [2]uint32{r.First.PC, r.Second.PC}, [2]race.Access{r.First.Does, r.Second.Does}, r.Kind, r.Condition}
	if r.First.PC > r.Second.PC || r.First.PC == r.Second.PC && r.First.Does > r.Second.Does {
		k.pcs, k.does = [2]uint32{r.Second.PC, r.First.PC}, [2]race.Access{r.Second.Does, r.First.Does}
	}
	if have := l.races[k]; have != nil {
		have.Count++
		return
	}
	r.Count = 1
	r.Variable = l.variable(&r)
	if l.races == nil {
		l.races = map[key]*Race{}
	}
	l.races[k] = &r
}

func (l *Log) variable(r *Race) string {
	if r.Space == event.Shared {
		for _, v := range r.Launch.Shared {
			if at := int(r.Address); v.Offset <= at && at < v.Offset+v.Size {
				return v.Name
			}
		}
		return ""
	}
	for _, a := range l.allocations {
		if a.Base <= r.Address && r.Address < a.Base+a.Size {
			return a.Name
		}
	}
	return ""
}

// Races returns what was found so far, in the order of launches and instructions.
func (l *Log) Races() []*Race {
	list := make([]*Race, 0, len(l.races))
	for _, r := range l.races {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *Race) int {
		return cmp.Or(cmp.Compare(a.Launch.ID, b.Launch.ID), cmp.Compare(a.First.PC, b.First.PC), cmp.Compare(a.Second.PC, b.Second.PC),
			cmp.Compare(a.First.Does, b.First.Does), cmp.Compare(a.Second.Does, b.Second.Does), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Condition, b.Condition))
	})
	return list
}

// KindOf says how far apart two threads are, given their warps within the launch.
func KindOf(firstBlock, firstWarp, secondBlock, secondWarp int) race.Kind {
	switch {
	case firstBlock != secondBlock:
		return race.InterBlock
	case firstWarp != secondWarp:
		return race.IntraBlock
	}
	return race.IntraWarp
}

// Does names what an access does to memory.
func Does(k event.Kind) race.Access {
	return [...]race.Access{race.Read, race.Write, race.Atomic}[k]
}

// Finding describes the race for people. The function finds the text that an instruction stems
// from; the message is left to the caller.
func (r *Race) Finding(span func(event.Place) source.Span) race.Finding {
	thread := func(a *Access) race.Thread { return r.Launch.Thread(a.Block, a.Warp, a.Lane) }
	site := func(a *Access) race.Site {
		at := r.Launch.Program.Location(a.PC)
		out := race.Site{Span: span(at.Place), Access: a.Does, Scope: a.Scope}
		for _, p := range at.Inlined {
			out.Inlined = append(out.Inlined, span(p))
		}
		return out
	}
	severity := race.Error
	if r.Rule == race.SameValueWrite {
		severity = race.Hint
	}
	return race.Finding{
		Source: "dynamic", Rule: r.Rule, Kind: r.Kind, Severity: severity, Kernel: r.Launch.Kernel,
		Space: r.Space.String(), Variable: r.Variable, Why: fmt.Sprintf("%s (%s)", r.Why, r.Condition),
		First: site(&r.First), Second: site(&r.Second),
		Witness: &race.Witness{Grid: r.Launch.Grid, Block: r.Launch.Block, First: thread(&r.First), Second: thread(&r.Second)},
	}
}
