// Package missingclustersync is the rule missing-cluster-sync: blocks of a cluster touch a block's shared memory with no cluster barrier between.
package missingclustersync

import (
	_ "embed"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/rule"
)

//go:embed rule.md
var page string

// Rule is the rule's entry in the registry.
var Rule = rule.Rule{
	Name:     race.MissingClusterSync,
	Title:    "Blocks of a cluster touch shared memory with no cluster barrier between",
	Severity: race.Warning,
	Page:     page,
	Applies:  applies,
	Explain:  explain,
	Fixes:    fixes,
}

// applies to shared memory that two blocks touch: only those of one cluster can.
func applies(c *rule.Case) bool {
	return c.Kind == race.InterBlock && c.A.Base.Space == ir.Shared && !(rule.Strong(c.A) && rule.Strong(c.B))
}

func explain(c *rule.Case) rule.Text {
	return rule.Text{
		Message: c.Meet() + ", with no barrier of the cluster between",
		Why:     "The blocks of a cluster run at their own pace, and __syncthreads() orders the threads of one block only. Only a barrier of the cluster makes one block wait for another, and no such barrier stands on the way from the one access to the other.",
		Mend:    c.Mend("a barrier of the cluster (`cluster.sync()`)", ", where all threads of the cluster pass"),
	}
}

func fixes(c *rule.Case) []race.Fix {
	return append(rule.AtomicUpdate(c), rule.Synced(c, ir.ClusterLevel)...)
}
