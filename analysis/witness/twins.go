package witness

import "github.com/warplint/warplint/analysis/ir/interp/hb"

// This file spares runs that show nothing new.
//
// DESIGN. Many plans and contents make no difference to what a kernel does: a size that only a loop's
// end hangs on which no thread comes to, data that decides nothing. Two plans, run from the same contents
// under the same schedule, that make each thread access the same places in the same order are twins; so
// are two contents that do so in the first plan. Twins are taken to be alike in all: what one of them
// has shown from other contents or under another schedule counts for the other as well. This is a guess,
// since data may decide something only in other plans, or when threads come in another order; a wrong
// guess misses a witness, and makes none up.

// twins knows for each plan and each contents the first one that does the same.
type twins struct {
	plans, contents []int                // those that come behind stand for themselves: they come to where others were cut off
	known           map[[2]int]behaviour // by plan and contents, under the first schedule
}

// behaviour is what a run was like.
type behaviour struct {
	trace uint64
	steps int64
	limit string
	trap  bool
}

func newTwins(plans, contents int) twins {
	t := twins{plans: make([]int, plans), contents: make([]int, contents), known: map[[2]int]behaviour{}}
	for i := range t.plans {
		t.plans[i] = i
	}
	for i := range t.contents {
		t.contents[i] = i
	}
	return t
}

// of is the run that may stand for another.
func (t *twins) of(a attempt) attempt {
	if a.plan < len(t.plans) {
		a.plan, a.contents = t.plans[a.plan], t.contents[a.contents]
	}
	return a
}

// learn takes in how a plan went from some contents, under the first schedule.
func (t *twins) learn(plan, contents int, result *hb.Result) {
	if _, known := t.known[[2]int{plan, contents}]; known || plan >= len(t.plans) || plan != 0 && contents != 0 {
		return
	}
	out := result.Outcomes[0]
	is := behaviour{result.Trace, out.Steps, out.Limit, out.Trap != nil}
	t.known[[2]int{plan, contents}] = is
	for i := range plan {
		if t.known[[2]int{i, 0}] == is {
			t.plans[plan] = t.plans[i]
			break
		}
	}
	for i := range contents {
		if t.known[[2]int{0, i}] == is {
			t.contents[contents] = t.contents[i]
			break
		}
	}
}
