package rules

import (
	"github.com/warplint/warplint/analysis/rules/asynccopy"
	"github.com/warplint/warplint/analysis/rules/atomicscope"
	"github.com/warplint/warplint/analysis/rules/fencescope"
	"github.com/warplint/warplint/analysis/rules/groupscope"
	"github.com/warplint/warplint/analysis/rules/interblockrace"
	"github.com/warplint/warplint/analysis/rules/lockfence"
	"github.com/warplint/warplint/analysis/rules/lockmismatch"
	"github.com/warplint/warplint/analysis/rules/lockscope"
	"github.com/warplint/warplint/analysis/rules/missingclustersync"
	"github.com/warplint/warplint/analysis/rules/missingfence"
	"github.com/warplint/warplint/analysis/rules/missingsyncthreads"
	"github.com/warplint/warplint/analysis/rules/missingsyncwarp"
	"github.com/warplint/warplint/analysis/rules/mixedatomic"
	"github.com/warplint/warplint/analysis/rules/rule"
	"github.com/warplint/warplint/analysis/rules/samevaluewrite"
	"github.com/warplint/warplint/analysis/rules/weakaccess"
)

// precedence is the order in which rules are asked what a race is: first what tells most of
// its cause, last those that know only who races.
var precedence = []rule.Rule{
	samevaluewrite.Rule,
	asynccopy.Rule,
	lockscope.Rule,
	lockfence.Rule,
	lockmismatch.Rule,
	atomicscope.Rule,
	fencescope.Rule,
	missingfence.Rule,
	weakaccess.Rule,
	missingclustersync.Rule,
	mixedatomic.Rule,
	groupscope.Rule,
	interblockrace.Rule,
	missingsyncthreads.Rule,
	missingsyncwarp.Rule,
}

// Classify returns the rule that names what is wrong in a case.
func Classify(c *rule.Case) rule.Rule {
	for _, r := range precedence {
		if r.Applies(c) {
			return r
		}
	}
	return missingsyncthreads.Rule
}
