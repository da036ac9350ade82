package analysis

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/prove"
	"github.com/warplint/warplint/analysis/prove/z3"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/recent"
	"github.com/warplint/warplint/analysis/sweep"
	"github.com/warplint/warplint/analysis/term"
	"github.com/warplint/warplint/analysis/witness"
)

// This file judges one kernel, and keeps verdicts by what went into them.

// verdict is what is known of a kernel, independent of where its text stands.
type verdict struct {
	kernel    *ir.Func   // the function that was judged; its twin may stand elsewhere now
	hosts     []*ir.Func // its launchers then
	races     []witness.Race
	divergent []witness.Divergence
	reasons   []access.Reason
	gaps      []access.Reason // those of reasons that more work would not help
	outside   []string        // what of the kernel was not lowered
	assumes   []string
	missable  int // barriers that some threads of a block may not come to
	key       verdictKey
	work      int64
	exhausted bool // the work was at its end
	unshown   int  // candidates without a witness
	cut       bool // a time limit ended the work
	took      time.Duration
	postponed bool // the text is half typed, and nothing was looked at
}

type verdictKey [sha256.Size]byte

type verdictCache struct {
	mu     sync.Mutex
	of     *recent.Map[verdictKey, *verdict]
	judged int // how many verdicts were not in the cache
}

// judge returns the verdict on a kernel, from the cache where nothing that it rests on has
// changed: the printed IR of the kernel, the runs of its launchers, and the assumed launch. left is the
// work that the file has left, and limit what the kernel gets of it at most. Of what is half typed there is no other verdict than one from the cache.
func (c *verdictCache) judge(ctx context.Context, req Request, f *ir.Func, hosts []*ir.Func, runs hostRuns, left, limit int64, half bool) *verdict {
	h := sha256.New()
	fmt.Fprintln(h, limit)
	second, version := z3.Named(req.Config.Z3)
	grid, block := req.assumed(f, hosts)
	fmt.Fprintln(h, grid, block, version)
	h.Write(digest(f))
	for _, host := range hosts {
		of := runs.key(host)
		fmt.Fprintf(h, "%x %d ", of.sum, of.numbers[f])
	}
	key := verdictKey(h.Sum(nil))
	c.mu.Lock()
	v, _ := c.of.Get(key)
	c.mu.Unlock()
	if v != nil && v.work <= left {
		return v
	}
	if half {
		return postponed(f, hosts)
	}
	bounded, cancel := context.WithTimeout(ctx, kernelTime)
	defer cancel()
	v = judge(bounded, req, f, hosts, runs, min(left, limit), second)
	v.key = key
	if bounded.Err() == nil && !(v.exhausted && left < limit) {
		c.mu.Lock()
		c.judged++
		c.of.Put(key, v)
		c.mu.Unlock()
	}
	return v
}

func digest(f *ir.Func) []byte {
	sum := ir.Digest(f)
	return sum[:]
}

// kernelTime is the backstop behind the budget of a kernel; a verdict that hits it is not kept.
const kernelTime = 20 * time.Second

// judge runs the stages on one kernel, once for each launch that the host makes, or once for
// any launch if it makes none.
func judge(ctx context.Context, req Request, f *ir.Func, hosts []*ir.Func, runs hostRuns, limit int64, second prove.Second) *verdict {
	start := time.Now()
	v := &verdict{kernel: f, hosts: hosts, outside: outside(f)}
	assumes := map[string]bool{}
	table := term.NewTable()
	work := &budget{Context: ctx, table: table, limit: limit}
	var steps int64
	known := prove.NewAnswers()
	all := runs.launches(ctx, table, f, hosts)
	grid, block := req.assumed(f, hosts)
	unproved := false
	tried := witness.NewTried(len(all))
	if len(all) > 0 && all[0] == nil && (grid != req.Config.Grid || block != req.Config.Block) {
		assumes[asCommented] = true
	}
	for i, l := range all {
		summary := access.Summarize(work.asking(askPerStatement), table, f, l, grid, block)
		pairs := meet.Pairs(work.asking(askPerPair), summary, known)
		unproved = unproved || work.exhausted() // what else is not done for lack of work has reasons of its own
		candidates := sweep.Decide(work.asking(askPerSweep), summary, v.notShown(pairs.Candidates))
		found := witness.Find(ctx, summary, candidates, len(pairs.Divergent)+len(pairs.Missed) > 0, instances(f, hosts), tried)
		steps += found.Steps
		v.gaps = append(v.gaps, summary.Reasons...)
		v.reasons = append(v.reasons, summary.Reasons...)
		v.reasons = append(v.reasons, pairs.Reasons...)
		if i == len(all)-1 && len(v.reasons)+len(v.races)+len(found.Races) == 0 && len(found.Reasons) > 0 {
			work.asking(askPerPair)
			if pairs.AskSecond(second); !slices.ContainsFunc(candidates, pairs.Holds) {
				found.Reasons = nil
			}
		}
		v.reasons = append(v.reasons, found.Reasons...)
		v.missable += pairs.Missable
		v.unshown += len(found.Reasons)
		for _, r := range found.Races {
			v.addRace(r)
		}
		for _, d := range witness.Divergences(ctx, summary, append(pairs.Divergent, pairs.Missed...)) {
			v.addDivergence(d)
		}
		maps.Copy(assumes, summary.Assumes)
		maps.Copy(assumes, pairs.Assumes)
	}
	v.work = work.spent() + runs.work(hosts) + steps*stepWork
	v.exhausted = work.exhausted()
	switch {
	case ctx.Err() != nil:
		v.cut = true
		v.reasons = append(v.reasons, access.Reason{Text: "the analysis ran out of time", Site: -1})
	case unproved:
		v.reasons = append(v.reasons, access.Reason{Text: errWork.Error(), Site: -1})
	}
	v.assumes = slices.Sorted(maps.Keys(assumes))
	v.took = time.Since(start)
	return v
}

// instances counts the instances of a kernel's template that its hosts launch.
func instances(f *ir.Func, hosts []*ir.Func) int {
	all := map[*ir.Func]bool{f: true}
	for _, h := range hosts {
		for l := range ir.All[*ir.Launch](h.Body) {
			if l.Kernel != nil && l.Kernel.Span == f.Span {
				all[l.Kernel] = true
			}
		}
	}
	return len(all)
}

// addDivergence keeps one finding for each barrier, the one that does not hang on sizes.
func (v *verdict) addDivergence(d witness.Divergence) {
	for i, old := range v.divergent {
		if old.At.Site == d.At.Site {
			if old.Small && !d.Small {
				v.divergent[i] = d
			}
			return
		}
	}
	v.divergent = append(v.divergent, d)
}

// notShown leaves out the candidates of which an earlier launch has shown all that there is to show.
func (v *verdict) notShown(candidates []meet.Candidate) []meet.Candidate {
	return slices.DeleteFunc(slices.Clone(candidates), func(c meet.Candidate) bool {
		return slices.ContainsFunc(v.races, func(r witness.Race) bool {
			return r.A.Site == c.A.Site && r.B.Site == c.B.Site && r.Kind == race.InterBlock && !r.Small && !r.Presumed && !r.Tolerated && !r.Rechecked && !r.Same
		})
	})
}

// addRace keeps one race for each pair of sites: the one between the most distant threads.
func (v *verdict) addRace(r witness.Race) {
	rank := map[race.Kind]int{race.IntraWarp: 0, race.IntraBlock: 1, race.InterBlock: 2}
	for i, old := range v.races {
		if old.A.Site == r.A.Site && old.B.Site == r.B.Site {
			if old.Presumed != r.Presumed {
				if old.Presumed {
					v.races[i] = r
				}
				return
			}
			if old.Tolerated && !r.Tolerated || old.Tolerated == r.Tolerated && (old.Small && !r.Small || old.Small == r.Small && rank[r.Kind] > rank[old.Kind]) {
				v.races[i] = r
			}
			return
		}
	}
	v.races = append(v.races, r)
}
