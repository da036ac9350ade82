package meet

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
)

// This file finds accesses to another block's shared memory that may come after that block has ended: a barrier of the cluster has to follow
// them (CUDA C++ Programming Guide, "Distributed Shared Memory").
func (c *checker) ends() {
	arrives := func(s ir.Stmt) bool {
		b, ok := s.(*ir.Barrier)
		return ok && b.Level >= ir.ClusterLevel && b.Mode != ir.BarrierWait
	}
	told := map[int]bool{}
	for _, a := range c.s.Accesses {
		if a.Base.Remote == nil || told[a.Site] || a.Base.Remote.Equal(c.s.RankInCluster()) || !c.graph.Ends(a.Stmt, arrives) {
			continue
		}
		told[a.Site] = true
		c.out.Reasons = append(c.out.Reasons, access.Reason{Text: "the block whose shared memory this is may have ended: no barrier of the cluster follows", Site: a.Site})
	}
}
