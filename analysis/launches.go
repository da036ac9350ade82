package analysis

import (
	"context"
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
	"github.com/warplint/warplint/analysis/witness"
)

// This file finds the launches of a kernel, by running the host functions that launch it.

// hostRuns are the runs of host functions, so that each serves all kernels that it launches. It is for
// one goroutine.
type hostRuns map[*ir.Func]hostRun

type hostRun struct {
	*access.Host
	share int64 // of what the run took, for each kernel that the host launches
}

func (r hostRuns) run(ctx context.Context, host *ir.Func) hostRun {
	if done, ok := r[host]; ok {
		return done
	}
	table := term.NewTable()
	work := &budget{Context: ctx, table: table, limit: kernelWork}
	done := hostRun{Host: access.RunHost(work.asking(askPerStatement), table, host)}
	done.share = work.spent() / int64(max(1, kernelsOf(host)))
	if ctx.Err() == nil {
		r[host] = done
	}
	return done
}

// launches lists the different launches of a kernel, on terms of a table; a nil entry stands for any
// launch. Of those that are alike it lists the first, for all.
func (r hostRuns) launches(ctx context.Context, t *term.Table, f *ir.Func, hosts []*ir.Func) []*access.Launch {
	var out []*access.Launch
	seen := map[string]*access.Launch{}
	anyhow := false
	for _, h := range hosts {
		for _, l := range r.run(ctx, h).Launches(t, f) {
			if l.Stmt.Anyhow {
				anyhow = true
				continue
			}
			if l.Refused() {
				continue
			}
			if old := seen[l.Key()]; old != nil {
				old.Weaken(l)
				continue
			}
			seen[l.Key()] = l
			out = append(out, l)
		}
	}
	shapes := map[string]*access.Launch{}
	out = slices.DeleteFunc(out, func(l *access.Launch) bool {
		shape := l.Shape()
		if alike := shapes[shape]; alike != nil {
			alike.Either(l)
			return true
		}
		shapes[shape] = l
		return false
	})
	if len(out) > maxLaunches {
		out = slices.DeleteFunc(out, func(l *access.Launch) bool { return !l.Breaks(f) })
		return append(out, nil)
	}
	if len(out) == 0 || anyhow {
		out = append(out, nil)
	}
	return out
}

// work is a kernel's share of what it took to run the host functions that launch it.
func (r hostRuns) work(hosts []*ir.Func) int64 {
	var sum int64
	for _, h := range hosts {
		sum += r[h].share
	}
	return sum
}

// kernelsOf counts the kernels that a host function launches.
func kernelsOf(host *ir.Func) int {
	all := map[*ir.Func]bool{}
	for l := range ir.All[*ir.Launch](host.Body) {
		all[l.Kernel] = true
	}
	return len(all)
}

// maxLaunches is the number of different launches of a kernel that are judged each for itself;
// with more, it is judged for any, and for those that break what is assumed of any.
const maxLaunches = 8

// Launches returns launches of a kernel, the likeliest to show a race first: those that the host
// code makes, with small numbers for what it does not tell, or one that fits the kernel. Their
// threads are not set. There may be none.
func (e *Engine) Launches(ctx context.Context, req Request, kernel string) []race.Witness {
	runs := hostRuns{}
	for _, module := range e.modules(ctx, req) {
		for _, f := range module.Kernels {
			if f.Name != kernel {
				continue
			}
			var all []race.Witness
			table := term.NewTable()
			grid, block := req.assumed(f, launchersIn(module)[f])
			for _, l := range runs.launches(ctx, table, f, launchersIn(module)[f]) {
				all = append(all, witness.Launches(access.Summarize(ctx, table, f, l, grid, block))...)
			}
			return all
		}
	}
	return nil
}
