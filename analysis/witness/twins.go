package witness

import (
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
)

// This file spares runs that show nothing new.
//
// DESIGN. Many plans and contents make no difference to what a kernel does: a size that only a loop's
// end hangs on which no thread comes to, data that decides nothing. Two plans, run from the same contents
// under the same schedule, that make each thread access the same places in the same order are twins; so
// are two contents that do so in the first plan. Twins are taken to be alike in all: what one of them
// has shown from other contents or under another schedule counts for the other as well. This is a guess,
// since data may decide something only in other plans, or when threads come in another order; a wrong
// guess misses a witness, and makes none up. Plans that are aimed at the same blocks are twins if those are that they are
// made of. A run in which no thread has come to an access says the same of other schedules.

// twins knows for each plan and each contents the first one that does the same.
type twins struct {
	aimed           map[int]int          // of plans that are aimed
	plans, contents []int                // those that come behind stand for themselves: they come to where others were cut off
	known           map[[2]int]behaviour // by plan and contents, under the first schedule
	untouched       map[int]int64        // by plan, steps of a run without any access under the first schedule
}

// behaviour is what a run was like.
type behaviour struct {
	trace uint64
	steps int64
	limit string
	trap  bool
}

func newTwins(plans, contents int) twins {
	t := twins{plans: make([]int, plans), contents: make([]int, contents), aimed: map[int]int{}, known: map[[2]int]behaviour{}, untouched: map[int]int64{}}
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
	} else if first, ok := t.aimed[a.plan]; ok {
		a.plan = first
	}
	return a
}

// same reports whether two plans are twins.
func (t *twins) same(i, j int) bool {
	return t.of(attempt{plan: i}).plan == t.of(attempt{plan: j}).plan
}

// barren reports whether an attempt comes to no access, as threads that have not come to one have nothing to do with each
// other, and each gets no further than before. (That does not hold if each goes as far as it can first.)
func (t *twins) barren(a attempt) bool {
	return a.options.Order != interp.Foremost && a.options.MaxSteps <= t.untouched[a.plan]
}

// learn takes in how a plan went from some contents, under the first schedule.
func (t *twins) learn(plan, contents int, result *hb.Result) {
	if result.Trace == 0 && result.Outcomes[0].Limit != "" {
		t.untouched[plan] = result.Outcomes[0].Steps
	}
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
