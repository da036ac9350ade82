package analysis

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/recent"
	"github.com/warplint/warplint/analysis/term"
	"github.com/warplint/warplint/analysis/witness"
)

// This file finds the launches of a kernel, by running the host functions that launch it.

// hostRuns are the runs of the host functions of one text, so that each serves all kernels that it launches. It is for
// one goroutine.
type hostRuns struct {
	cache *hostCache // of other texts; nil for none
	done  map[*ir.Func]hostRun
	keys  map[*ir.Func]hostKey
}

func newHostRuns(c *hostCache) hostRuns {
	return hostRuns{c, map[*ir.Func]hostRun{}, map[*ir.Func]hostKey{}}
}

type hostRun struct {
	*access.Host
	share int64 // of what the run took, for each kernel that the host launches
}

func (r hostRuns) run(ctx context.Context, host *ir.Func) hostRun {
	if done, ok := r.done[host]; ok {
		return done
	}
	key := r.key(host)
	done, again := r.cache.get(key.sum)
	if again {
		done.Host = done.Host.Of(host)
	} else {
		table := term.NewTable()
		work := &budget{Context: ctx, table: table, limit: kernelWork}
		done.Host = access.RunHost(work.asking(askPerStatement), table, host)
		done.share = work.spent() / int64(max(1, len(key.numbers)))
	}
	if ctx.Err() == nil {
		r.done[host] = done
		r.cache.put(key.sum, done, again)
	}
	return done
}

// hostKey stands for all that goes into a run: the host function's print, which of its launches are of one kernel, and what
// each kernel does to memory that the host knows.
type hostKey struct {
	sum     [sha256.Size]byte
	numbers map[*ir.Func]int // of the kernels, in the order of their first launches
}

func (r hostRuns) key(host *ir.Func) hostKey {
	if key, ok := r.keys[host]; ok {
		return key
	}
	key := hostKey{numbers: map[*ir.Func]int{}}
	h := sha256.New()
	h.Write(digest(host))
	for l := range ir.All[*ir.Launch](host.Body) {
		n, met := key.numbers[l.Kernel]
		if !met {
			n = len(key.numbers)
			key.numbers[l.Kernel] = n
			effects := r.cache.effectsOf(l.Kernel)
			h.Write(effects[:])
		}
		fmt.Fprint(h, n, " ")
	}
	key.sum = [sha256.Size]byte(h.Sum(nil))
	r.keys[host] = key
	return key
}

// hostCache keeps runs of host functions by what goes into them, and what kernels do by their prints. It is safe for
// concurrent use; a nil one keeps nothing.
type hostCache struct {
	mu      sync.Mutex
	runs    *recent.Map[[sha256.Size]byte, hostRun]
	effects *recent.Map[[sha256.Size]byte, [sha256.Size]byte]
	ran     int // how many runs it did not have
}

func newHostCache(runs, kernels int) *hostCache {
	return &hostCache{runs: recent.New[[sha256.Size]byte, hostRun](runs), effects: recent.New[[sha256.Size]byte, [sha256.Size]byte](kernels)}
}

func (c *hostCache) get(key [sha256.Size]byte) (run hostRun, ok bool) {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		run, ok = c.runs.Get(key)
	}
	return run, ok
}

// put keeps a run. Of one that was there already it takes the newer text, so that the older one can go.
func (c *hostCache) put(key [sha256.Size]byte, run hostRun, again bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !again {
		c.ran++
	}
	c.runs.Put(key, run)
}

func (c *hostCache) effectsOf(kernel *ir.Func) [sha256.Size]byte {
	if c == nil {
		return access.Effects(kernel)
	}
	print := ir.Digest(kernel)
	c.mu.Lock()
	effects, ok := c.effects.Get(print)
	c.mu.Unlock()
	if !ok {
		effects = access.Effects(kernel)
		c.mu.Lock()
		c.effects.Put(print, effects)
		c.mu.Unlock()
	}
	return effects
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
		sum += r.done[h].share
	}
	return sum
}

// maxLaunches is the number of different launches of a kernel that are judged each for itself;
// with more, it is judged for any, and for those that break what is assumed of any.
const maxLaunches = 8

// Launches returns launches of a kernel, the likeliest to show a race first: those that the host
// code makes, with small numbers for what it does not tell, or one that fits the kernel. Their
// threads are not set. There may be none.
func (e *Engine) Launches(ctx context.Context, req Request, kernel string) []race.Witness {
	runs := newHostRuns(e.hosts)
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
