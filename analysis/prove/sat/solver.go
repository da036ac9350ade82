// Package sat decides whether clauses can hold together, within a number of propagations.
//
// It is a solver of the usual kind: clauses are learned from conflicts, and two literals of each are watched
// (Moskewicz et al., "Chaff", 2001; Eén and Sörensson, "An extensible SAT-solver", 2003). It is made for many
// questions of some ten thousand clauses each, of which most are soon answered: clauses lie in one slice, those of
// two literals in the watches alone, and a solver is used again with its memory. It looks at no clock and uses no
// random numbers, so the same clauses have the same answer after the same number of propagations.
package sat

import "context"

// Lit is a literal: a variable's number, doubled, and 1 more if it is negated. Variables count from 1.
type Lit uint32

// Not is the opposite.
func (l Lit) Not() Lit { return l ^ 1 }

// IsPos reports whether the literal is its variable.
func (l Lit) IsPos() bool { return l&1 == 0 }

// Var is the literal's variable as a literal.
func (l Lit) Var() Lit { return l &^ 1 }

// Answer says whether the clauses can hold together.
type Answer uint8

// The answers.
const (
	Unknown Answer = iota // the propagations did not suffice, or the context ended
	Unsat
	Sat // with the values that the solver has
)

func (a Answer) String() string { return [...]string{"unknown", "unsat", "sat"}[a] }

// Solver holds clauses, and what is known of them while they are solved.
type Solver struct {
	// Variables is how many there are, and Propagations how many literals' consequences were drawn.
	Variables    int
	Propagations int64

	clauses []Lit // one after the other, each behind its length; those that were learned come last
	learned []learned

	values  []int8    // by literal: 1 if it holds, -1 if its opposite does
	watches [][]watch // by literal: the clauses to look at once it holds
	state   []variable
	order   order

	trail  []Lit // what holds, in the order in which it came to
	levels []int // where on the trail each guess stands
	head   int   // what follows on the trail has no consequences yet

	found   []Lit   // the clause that is being learned
	seen    []Lit   // the variables that were met for it
	counted []int32 // by level: the number of the conflict that it was counted for last
	number  int32   // of conflicts
}

type variable struct {
	level   int32
	reason  reason
	seen    bool // for the clause that is being learned
	negated bool // in its last value
}

// watch is a clause to look at; if another literal of it holds there is no need to.
type watch struct {
	other  Lit
	clause reason
}

// reason is a clause: its place, or pair and a literal for one of two, of which the other is known. It is none for a guess.
type reason uint32

const (
	none reason = 0
	pair reason = 1 << 31
)

// Reset makes the solver one without clauses.
func (s *Solver) Reset() {
	s.Variables, s.Propagations = 0, 0
	s.clauses = append(s.clauses[:0], 0) // no clause has the place 0
}

// Variable returns a new variable.
func (s *Solver) Variable() Lit {
	s.Variables++
	return Lit(s.Variables) << 1
}

// Add adds a clause: one of its literals holds.
func (s *Solver) Add(literals ...Lit) {
	s.clauses = append(append(s.clauses, Lit(len(literals))), literals...)
}

// Value reports whether a literal holds, after the answer Sat.
func (s *Solver) Value(l Lit) bool { return s.values[l] > 0 }

const (
	restartUnit = 128    // conflicts
	between     = 20_000 // propagations, between two questions to the context
)

// Solve looks for values with which all clauses hold, by so many propagations at most. It is for one call
// after Reset.
func (s *Solver) Solve(ctx context.Context, most int64) Answer {
	if ctx.Err() != nil {
		return Unknown
	}
	if !s.begin() {
		return Unsat
	}
	ask := int64(between)
	for round := 1; ; round++ {
		for left := restartUnit * luby(round); left > 0; {
			failed, other := s.propagate()
			switch {
			case s.Propagations > most:
				return Unknown
			case s.Propagations > ask:
				if ask += between; ctx.Err() != nil {
					return Unknown
				}
			}
			if failed != none {
				if len(s.levels) == 0 {
					return Unsat
				}
				s.learn(failed, other)
				left--
				continue
			}
			guess, ok := s.guess()
			if !ok {
				return Sat
			}
			s.levels = append(s.levels, len(s.trail))
			s.assign(guess, none)
		}
		s.back(0)
		s.forget()
	}
}

// luby is the n-th of the numbers 1, 1, 2, 1, 1, 2, 4, … (Luby, Sinclair and Zuckerman, 1993).
func luby(n int) int {
	for {
		size := 1
		for size <= n {
			size *= 2
		}
		if size == n+1 {
			return size / 2
		}
		n -= size/2 - 1
	}
}

// begin watches the clauses. It returns false if those of one literal contradict each other.
func (s *Solver) begin() bool {
	s.values = zeros(s.values, 2*s.Variables+2)
	s.state = zeros(s.state, s.Variables+1)
	s.counted = zeros(s.counted, s.Variables+1)
	s.trail, s.levels, s.head = s.trail[:0], s.levels[:0], 0
	s.learned, s.number = s.learned[:0], 0
	s.order.reset(s.Variables)
	for i := range s.state {
		s.state[i].negated = true
	}
	s.makeRoom()
	for at := 1; at < len(s.clauses); {
		c := s.literals(reason(at))
		switch len(c) {
		case 0:
			return false
		case 1:
			switch s.values[c[0]] {
			case -1:
				return false
			case 0:
				s.assign(c[0], none)
			}
		default:
			s.watch(c, reason(at))
		}
		at += 1 + len(c)
	}
	return true
}

// makeRoom makes the lists of watches long enough for the clauses, and some more.
func (s *Solver) makeRoom() {
	n := 2*s.Variables + 2
	if more := n - cap(s.watches); more > 0 {
		s.watches = append(s.watches[:cap(s.watches)], make([][]watch, more)...)
	}
	s.watches = s.watches[:n]
	need := make([]int32, n)
	for at := 1; at < len(s.clauses); {
		c := s.literals(reason(at))
		if len(c) > 1 {
			need[c[0].Not()]++
			need[c[1].Not()]++
		}
		at += 1 + len(c)
	}
	const spare = 4
	total := 0
	for i, k := range need {
		if cap(s.watches[i]) < int(k) {
			total += int(k) + spare
		}
	}
	room := make([]watch, total)
	for i, k := range need {
		if size := int(k) + spare; cap(s.watches[i]) < int(k) {
			s.watches[i], room = room[:0:size], room[size:]
		}
		s.watches[i] = s.watches[i][:0]
	}
}

func (s *Solver) literals(at reason) []Lit {
	first := at + 1
	return s.clauses[first : first+reason(s.clauses[at])]
}

// watch begins to watch the first two literals of a clause.
func (s *Solver) watch(c []Lit, at reason) {
	if len(c) == 2 {
		at = pair
	}
	for i := range 2 {
		list := &s.watches[c[i].Not()]
		*list = append(*list, watch{c[1-i], at})
	}
}

func (s *Solver) assign(l Lit, why reason) {
	s.values[l], s.values[l.Not()] = 1, -1
	v := &s.state[l>>1]
	v.level, v.reason = int32(len(s.levels)), why
	s.trail = append(s.trail, l)
}

// propagate draws the consequences of what holds. It returns a clause that fails, if it comes to one, and a literal of it.
func (s *Solver) propagate() (failed reason, other Lit) {
	for s.head < len(s.trail) {
		l := s.trail[s.head]
		s.head++
		s.Propagations++
		fails, list := l.Not(), s.watches[l]
		kept := 0
	next:
		for i, w := range list {
			value := s.values[w.other]
			if value <= 0 && w.clause != pair {
				c := s.literals(w.clause)
				if len(c) == 0 { // it was forgotten
					continue
				}
				if c[0] == fails {
					c[0], c[1] = c[1], fails
				}
				w.other = c[0]
				if value = s.values[w.other]; value <= 0 {
					for k := 2; k < len(c); k++ {
						if o := c[k]; s.values[o] >= 0 {
							c[1], c[k] = o, fails
							s.watches[o.Not()] = append(s.watches[o.Not()], w)
							continue next
						}
					}
				}
			}
			list[kept] = w
			kept++
			if value > 0 {
				continue
			}
			why := w.clause
			if why == pair {
				why |= reason(fails)
			}
			if value < 0 {
				s.watches[l] = list[:kept+copy(list[kept:], list[i+1:])]
				return why, w.other
			}
			s.assign(w.other, why)
		}
		s.watches[l] = list[:kept]
	}
	return none, 0
}

// back takes back all guesses but the first ones, and what followed from them.
func (s *Solver) back(guesses int) {
	if len(s.levels) == guesses {
		return
	}
	stop := s.levels[guesses]
	for _, l := range s.trail[stop:] {
		s.values[l], s.values[l.Not()] = 0, 0
		s.state[l>>1].negated = !l.IsPos()
		s.order.add(int32(l >> 1))
	}
	s.trail, s.levels, s.head = s.trail[:stop], s.levels[:guesses], stop
}

// guess chooses a variable to try, with the value that it had last; there is none if all have values.
func (s *Solver) guess() (l Lit, ok bool) {
	for len(s.order.heap) > 0 {
		v := s.order.take()
		l := Lit(v) << 1
		if s.values[l] != 0 {
			continue
		}
		if s.state[v].negated {
			l = l.Not()
		}
		return l, true
	}
	return 0, false
}

// zeros returns so many zeros, in the room of an old slice if it suffices.
func zeros[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n, n+n/4)
	}
	old = old[:n]
	clear(old)
	return old
}
