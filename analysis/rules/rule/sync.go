package rule

import (
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
)

// This file offers barriers of a block and of more.

// Synced offers a barrier of the block, the cluster or the grid between the two accesses. There is none where the kernel has one in two
// halves: no other may come between them. Barriers of the hardware that have a number are others.
func Synced(c *Case, level ir.Level, title string) []race.Fix {
	for b := range ir.All[*ir.Barrier](c.Func.Body) {
		if b.Level == level && b.Mode != ir.BarrierSync && b.ID == nil {
			return nil
		}
	}
	return Inserted(c, c.Sync(level)+";", title)
}

// SyncedGrid offers a barrier of the grid for blocks of a kernel that has one elsewhere.
func SyncedGrid(c *Case) []race.Fix {
	if c.Kind != race.InterBlock || !c.SyncsGrid() {
		return nil
	}
	return Synced(c, ir.GridLevel, "Insert a barrier of the grid")
}

// Sync is the call, without its semicolon, with which a kernel syncs its block, its cluster or its grid: the latter two as it is written
// elsewhere in the kernel, or else in full.
func (c *Case) Sync(level ir.Level) string {
	if level == ir.BlockLevel {
		return "__syncthreads()"
	}
	for b := range ir.All[*ir.Barrier](c.Func.Body) {
		if b.Level == level && c.Called(b.Site) == "sync" {
			return c.At(b.Site)
		}
	}
	if level == ir.GridLevel {
		return "cooperative_groups::this_grid().sync()"
	}
	if f, ok := c.Files.File(c.Func.Span.File); ok && !strings.Contains(f.Text, "cooperative_groups") {
		return `asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory")`
	}
	return "cooperative_groups::this_cluster().sync()"
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
