package streams

// This file defines races, and which of them are one.

import (
	"math/bits"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
)

// Side is one access of a race.
type Side struct {
	Operation event.Operation
	Stream    Stream
	Launch    *event.Launch // nil unless it is a kernel's
	PC        uint32
	Location  event.Location // of a kernel's access
	Thread    race.Thread    // likewise
	Access    race.Access
}

// Race is a pair of accesses of two operations that nothing orders, with the first pair that was seen.
type Race struct {
	First, Second Side // in the order of the run
	Address       uint64
	Variable      string // what the allocation is called; may be empty
	// SameValue is set if all that was seen were writes by kernels of what was there.
	SameValue bool
	Count     int
}

// place is where the program says that memory is touched.
type place struct {
	program event.Program // nil for a copy
	pc      uint32
	from    string // the call, for a copy
	access  event.Kind
}

type key struct{ first, second place }

func (d *Detector) place(l *layer) place {
	if l.launch == 0 {
		return place{from: d.operations[l.operation-1].From, access: l.access}
	}
	return place{program: d.launches[l.launch-1].Program, pc: l.pc, access: l.access}
}

// report keeps a race, about some bytes of a row.
func (d *Detector) report(o, l *layer, base, common uint64) {
	k := key{d.place(o), d.place(l)}
	r := d.races[k]
	if r == nil {
		byte := bits.TrailingZeros64(common)
		r = &Race{First: d.side(o, byte), Second: d.side(l, byte), Address: base + uint64(byte), SameValue: true}
		if a, ok := d.allocation(r.Address); ok {
			r.Variable = a.Name
		}
		d.races[k] = r
		d.list = append(d.list, r)
	}
	r.Count++
	r.SameValue = r.SameValue && o.launch != 0 && o.access == event.Write
	for rest := common; r.SameValue && rest != 0; rest &= rest - 1 {
		r.SameValue = d.rewrites(l, base+uint64(bits.TrailingZeros64(rest)))
	}
}

func (d *Detector) side(l *layer, byte int) Side {
	x := d.operations[l.operation-1]
	s := Side{Operation: x.Operation, Stream: d.stream(x.Stream).Stream, PC: l.pc, Access: [...]race.Access{race.Read, race.Write, race.Atomic}[l.access]}
	if l.launch > 0 {
		s.Launch = d.launches[l.launch-1]
		thread := l.thread(byte)
		s.Thread = s.Launch.Thread(int(l.block), thread/event.WarpSize, thread%event.WarpSize)
		s.Location = s.Launch.Program.Location(l.pc)
	}
	return s
}

// rewrites reports whether the present access writes to a byte what is there.
func (d *Detector) rewrites(l *layer, address uint64) bool {
	a := d.access
	if a == nil || a.Kind != event.Write || a.Launch.Memory == nil {
		return false
	}
	word, ok := a.Launch.Memory.Word(event.Global, 0, address&^3)
	if !ok {
		return false
	}
	lane := l.thread(int(address&(rowSize-1))) % event.WarpSize
	at := address - a.Addr[lane]
	each := uint64(a.Size / a.Elements)
	if each == 0 || !a.Value[at/each].Known() {
		return false
	}
	return byte(word>>(8*(address&3))) == byte(a.Value[at/each].At(lane)>>(8*(at%each)))
}

// Races returns what was found, in the order in which it was.
func (d *Detector) Races() []*Race { return d.list }
