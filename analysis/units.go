package analysis

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/lower"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/analysis/workspace"
)

// This file parses and lowers the units that a file is looked at in.

// UnitsOf returns what an index says of a file as units of a request; config says how files are
// compiled.
func UnitsOf(program []workspace.Unit, config func(path string) syntax.Config) []Unit {
	var out []Unit
	for _, u := range program {
		unit := Unit{Source: Source{u.Path, config(u.Path)}}
		for _, w := range u.With {
			unit.With = append(unit.With, Source{w, config(w)})
		}
		out = append(out, unit)
	}
	return out
}

// loweredUnit is a unit of a file with what was made of it, and who launches its kernels.
type loweredUnit struct {
	unit      *syntax.Unit
	module    *ir.Module
	launchers map[*ir.Func][]*ir.Func
}

// lower lowers the file in each of its units, and tells what of all that was not understood.
func (e *Engine) lower(ctx context.Context, req Request) ([]loweredUnit, Gaps) {
	var all []loweredUnit
	for unit, module := range e.modules(ctx, req) {
		all = append(all, loweredUnit{unit, module, launchersIn(module)})
	}
	return all, gapsOf(all)
}

// modules lowers the file in each of its units.
func (e *Engine) modules(ctx context.Context, req Request) iter.Seq2[*syntax.Unit, *ir.Module] {
	return func(yield func(*syntax.Unit, *ir.Module) bool) {
		met := false
		for _, u := range req.units() {
			unit := e.units.parse(ctx, req.Files, u.Source)
			if !holds(unit, req.Path) {
				continue
			}
			met = true
			var with []*syntax.Unit
			for _, s := range u.With {
				with = append(with, e.units.parse(ctx, req.Files, s))
			}
			if linked := syntax.Link(unit, with...); !yield(linked, lower.ModuleFor(ctx, linked, req.Path, e.lowered)) {
				return
			}
		}
		if !met { // no unit includes the file after all
			alone := e.units.parse(ctx, req.Files, Source{req.Path, req.Config.Config})
			yield(alone, lower.ModuleFor(ctx, alone, req.Path, e.lowered))
		}
	}
}

// holds reports whether a unit's text comes, among others, from a file.
func holds(u *syntax.Unit, path string) bool {
	return u.File == path || slices.ContainsFunc(u.Files, func(f *source.File) bool { return f.Path == path })
}

// Bounds of the expanded text of the units that are kept, in bytes. Their nodes take some 40 times
// as much.
const (
	editedText = 2 << 20   // of files that change
	onceText   = 512 << 10 // of files that are looked at once, which share what they include

	includedText = 512 << 10 // of what files include, besides
)

// unitCache keeps the last units of the files that were parsed last, for incremental parsing.
type unitCache struct {
	included *syntax.Included
	most     int // bytes of expanded text, but for a single unit
	mu       sync.Mutex
	last     map[string]*syntax.Unit
	recent   []string // paths, the last one parsed at the end
	size     int      // bytes of expanded text
	parsed   int      // pieces of text
}

func newUnitCache(most int) *unitCache {
	return &unitCache{included: syntax.NewIncluded(includedText), most: most, last: map[string]*syntax.Unit{}}
}

func (c *unitCache) parse(ctx context.Context, files source.Provider, s Source) *syntax.Unit {
	c.mu.Lock()
	previous := c.last[s.Path]
	if previous == nil && len(c.recent) > 0 {
		previous = c.last[c.recent[len(c.recent)-1]] // which may include the same
	}
	c.mu.Unlock()
	u := syntax.ParseWith(ctx, files, s.Path, s.Config, previous, c.included)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parsed += u.Parsed
	c.drop(s.Path)
	c.last[s.Path], c.recent, c.size = u, append(c.recent, s.Path), c.size+len(u.Text)
	for c.size > c.most && len(c.recent) > 1 {
		c.drop(c.recent[0])
	}
	return u
}

func (c *unitCache) drop(path string) {
	if u := c.last[path]; u != nil {
		delete(c.last, path)
		c.size -= len(u.Text)
		c.recent = slices.DeleteFunc(c.recent, func(p string) bool { return p == path })
	}
}

// copy returns a cache with the same units, whose changes leave this one as it is.
func (c *unitCache) copy() *unitCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := &unitCache{included: c.included, most: c.most, last: map[string]*syntax.Unit{}, recent: slices.Clone(c.recent), size: c.size}
	for path, u := range c.last {
		next.last[path] = u
	}
	return next
}
