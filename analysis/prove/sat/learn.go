package sat

import (
	"cmp"
	"slices"
)

// This file learns a clause from each conflict, and forgets those that are of little use.

// learned is a clause that was learned.
type learned struct {
	at     reason
	levels int32 // how many guesses its literals come of: the fewer, the more useful (Audemard and Simon, 2009)
}

// learn draws from a clause that fails another that says which guesses exclude each other. Of the last guess it has
// one literal only (the first unique implication point), which holds once that guess is taken back.
func (s *Solver) learn(failed reason, other Lit) {
	s.number++
	s.found, s.seen = append(s.found[:0], 0), s.seen[:0]
	open, at := 0, len(s.trail)
	open += s.see(other)
	for why := failed; ; {
		if why&pair != 0 {
			open += s.see(Lit(why &^ pair))
		} else {
			for _, l := range s.literals(why) {
				open += s.see(l)
			}
		}
		for at--; !s.state[s.trail[at]>>1].seen; at-- {
		}
		l := s.trail[at]
		if open--; open == 0 {
			s.found[0] = l.Not()
			break
		}
		why = s.state[l>>1].reason
	}
	s.found = slices.DeleteFunc(s.found, func(l Lit) bool { return l != s.found[0] && s.follows(l) })
	for _, l := range s.seen {
		s.state[l>>1].seen = false
	}
	s.order.decay()
	s.keep()
}

// see adds a literal that fails to the clause, if it is of an earlier guess. It returns 1 if it is of the last one, of which
// all literals but one are yet to be replaced by their reasons.
func (s *Solver) see(l Lit) int {
	v := &s.state[l>>1]
	if v.seen || v.level == 0 {
		return 0
	}
	v.seen = true
	s.seen = append(s.seen, l)
	s.order.bump(int32(l >> 1))
	if int(v.level) == len(s.levels) {
		return 1
	}
	s.found = append(s.found, l)
	return 0
}

// follows reports whether a literal of the clause fails because others of it do.
func (s *Solver) follows(l Lit) bool {
	why := s.state[l>>1].reason
	met := func(l Lit) bool { return s.state[l>>1].seen || s.state[l>>1].level == 0 }
	switch {
	case why == none:
		return false
	case why&pair != 0:
		return met(Lit(why &^ pair))
	}
	for _, o := range s.literals(why) {
		if o != l.Not() && !met(o) {
			return false
		}
	}
	return true
}

// keep adds the clause, and goes back to where its first literal follows from it.
func (s *Solver) keep() {
	c := s.found
	if len(c) == 1 {
		s.back(0)
		s.assign(c[0], none)
		return
	}
	last, levels := 1, int32(0)
	for i, l := range c {
		level := s.state[l>>1].level
		if s.counted[level] != s.number {
			s.counted[level] = s.number
			levels++
		}
		if i > 0 && level > s.state[c[last]>>1].level {
			last = i
		}
	}
	c[1], c[last] = c[last], c[1]
	s.back(int(s.state[c[1]>>1].level))
	why := pair | reason(c[1])
	if at := reason(len(s.clauses)); len(c) > 2 {
		s.Add(c...)
		c, why = s.literals(at), at
		s.learned = append(s.learned, learned{at, levels})
	}
	s.watch(c, why)
	s.assign(c[0], why)
}

const (
	manyLearned = 2_000
	glue        = 2 // guesses of a clause that is kept for good
)

// forget drops the less useful half of the learned clauses if there are many. Nothing may follow from guesses.
func (s *Solver) forget() {
	if len(s.learned) < manyLearned {
		return
	}
	slices.SortStableFunc(s.learned, func(a, b learned) int { return cmp.Compare(a.levels, b.levels) })
	kept := len(s.learned) / 2
	for _, c := range s.learned[kept:] {
		if c.levels <= glue {
			kept++
			continue
		}
		s.clauses[c.at] = 0
	}
	s.learned = s.learned[:kept]
}
