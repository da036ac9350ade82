// This file lists the special registers (PTX ISA, "Special Registers").

package ptx

import "strings"

var specials = func() map[string]bool {
	set := map[string]bool{}
	for _, vector := range strings.Fields("tid ntid ctaid nctaid clusterid nclusterid cluster_ctaid cluster_nctaid") {
		for _, part := range []string{"", ".x", ".y", ".z", ".w"} {
			set["%"+vector+part] = true
		}
	}
	for _, name := range strings.Fields(`laneid warpid nwarpid smid nsmid gridid
		cluster_ctarank cluster_nctarank is_explicit_cluster
		lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt
		clock clock_hi clock64 globaltimer globaltimer_lo globaltimer_hi
		dynamic_smem_size total_smem_size aggr_smem_size current_graph_exec`) {
		set["%"+name] = true
	}
	for i := range 32 {
		set["%envreg"+itoa(i)] = true
	}
	return set
}()

func isSpecial(name string) bool { return specials[name] }
