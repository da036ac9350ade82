// Package rules is the registry of all rules. A rule is a folder beside this file: its page
// and its value. To add one, make the folder and name it in the list below; the tests say
// what else it needs.
package rules

//go:generate go test -run TestDocsAreFresh -update .

import (
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules/asynccopy"
	"github.com/warplint/warplint/analysis/rules/atomicscope"
	"github.com/warplint/warplint/analysis/rules/barrierdivergence"
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
	"github.com/warplint/warplint/analysis/rules/streamorder"
	"github.com/warplint/warplint/analysis/rules/weakaccess"
)

// all is in the order in which people read about them: the common ones first.
var all = []rule.Rule{
	missingsyncthreads.Rule,
	missingsyncwarp.Rule,
	missingclustersync.Rule,
	interblockrace.Rule,
	atomicscope.Rule,
	fencescope.Rule,
	missingfence.Rule,
	weakaccess.Rule,
	mixedatomic.Rule,
	lockscope.Rule,
	lockfence.Rule,
	lockmismatch.Rule,
	groupscope.Rule,
	barrierdivergence.Rule,
	asynccopy.Rule,
	streamorder.Rule,
	samevaluewrite.Rule,
}

// All returns every rule.
func All() []rule.Rule { return append([]rule.Rule(nil), all...) }

// Get returns the rule of a name, false if there is none.
func Get(name race.Rule) (rule.Rule, bool) {
	for _, r := range all {
		if r.Name == name {
			return r, true
		}
	}
	return rule.Rule{}, false
}
