package rule

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// This file offers barriers of a block and of more.

// Synced offers a barrier of the block, the cluster or the grid between the two accesses. There is none where the kernel has one in two
// halves: no other may come between them. Barriers of the hardware that have a number are others.
func Synced(c *Case, level ir.Level) []race.Fix {
	for b := range ir.All[*ir.Barrier](c.Func.Body) {
		if b.Level == level && b.Mode != ir.BarrierSync && b.ID == nil {
			return nil
		}
	}
	title := map[ir.Level]string{ir.BlockLevel: "Insert " + c.Sync(level), ir.ClusterLevel: "Insert a barrier of the cluster", ir.GridLevel: "Insert a barrier of the grid"}
	return Inserted(c, c.Sync(level)+";", title[level])
}

// SyncedGrid offers a barrier of the grid for blocks of a kernel that has one elsewhere.
func SyncedGrid(c *Case) []race.Fix {
	if c.Kind != race.InterBlock || !c.SyncsGrid() {
		return nil
	}
	return Synced(c, ir.GridLevel)
}

// Sync is the call, without its semicolon, with which a function syncs its block, its cluster or its grid: as all are written in that one which
// both accesses are reached from, or else in full.
func (c *Case) Sync(level ir.Level) string {
	written, within := "", c.within()
	for b := range ir.All[*ir.Barrier](c.Func.Body) {
		if call := c.At(b.Site); b.Level == level && slices.Equal(c.Func.Sites[b.Site].Inlined, within) {
			switch name := c.Called(b.Site); {
			case name == "sync" && (written == "" || written == call):
				written = call
			case name == "sync", name == "__syncthreads":
				written = "several"
			}
		}
	}
	switch {
	case strings.HasSuffix(written, ")"): // and not cut short
		return written
	case level == ir.BlockLevel:
		return "__syncthreads()"
	}
	if level == ir.GridLevel {
		return "cooperative_groups::this_grid().sync()"
	}
	if f, ok := c.Files.File(c.Func.Span.File); ok && !strings.Contains(f.Text, "cooperative_groups") {
		return `asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory")`
	}
	return "cooperative_groups::this_cluster().sync()"
}

// within are the calls that lead to the function from which both accesses are reached.
func (c *Case) within() []source.Span {
	a, b := c.Site(c.A).Inlined, c.Site(c.B).Inlined
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// SyncsGrid reports whether a kernel has a barrier of the grid, so that its launches are cooperative.
func (c *Case) SyncsGrid() bool {
	for b := range ir.All[*ir.Barrier](c.Func.Body) {
		if b.Level == ir.GridLevel {
			return true
		}
	}
	return false
}
