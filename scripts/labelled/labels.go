package main

import "github.com/warplint/warplint/analysis/race"

// labels are those of ScoR's microbenchmarks, by the name of the file: its first words say whether
// two threads race, and which; the rule is what their authors have taken away or made too narrow.
var labels = map[string]label{
	"norace_interblock_atom":                         {},
	"norace_interblock_fence_raw":                    {},
	"norace_interblock_lock_waw":                     {},
	"norace_interwarp-block_fence-atom_hrd-indirect": {},
	"norace_interwarp-block_fence_hrf-indirect":      {},
	"norace_interwarp_blkatom":                       {},
	"norace_interwarp_blkfence_raw":                  {},
	"norace_interwarp_blklock_waw":                   {},
	"norace_interwarp_dev-blkatom":                   {},
	"norace_interwarp_dev-blklock_waw":               {},
	"norace_interwarp_fence_raw":                     {},
	"norace_intrawarp_none-blkatom":                  {},
	"norace_intrawarp_none-blklock-no-tf_waw":        {},
	"norace_intrawarp_none-blklock_waw":              {},
	"race_interblock_blkatom":                        {race.AtomicScope, race.InterBlock},
	"race_interblock_blkfence_raw":                   {race.FenceScope, race.InterBlock},
	"race_interblock_blklock_waw":                    {race.LockScope, race.InterBlock},
	"race_interblock_fence_rtraw":                    {race.InterBlockRace, race.InterBlock}, // reads on behind the flag
	"race_interblock_lock-blkfence_waw":              {race.LockScope, race.InterBlock},
	"race_interblock_lock-no-stf_waw":                {race.LockFence, race.InterBlock},
	"race_interblock_lock-no-tf_waw":                 {race.LockFence, race.InterBlock},
	"race_interblock_none-atom_waw":                  {race.MixedAtomic, race.InterBlock},
	"race_interblock_none-lock_rtraw":                {race.LockMismatch, race.InterBlock},
	"race_interblock_none-lock_waw":                  {race.LockMismatch, race.InterBlock},
	"race_interwarp_blklock-no-stf_waw":              {race.LockFence, race.IntraBlock},
	"race_interwarp_blklock-no-tf_waw":               {race.LockFence, race.IntraBlock},
	"race_interwarp_dev-blklock-no-stf_waw":          {race.LockFence, race.IntraBlock},
	"race_interwarp_dev-blklock-no-tf_waw":           {race.LockFence, race.IntraBlock},
	"race_interwarp_none-atom_waw":                   {race.MixedAtomic, race.IntraBlock},
	"race_interwarp_none-blkatom_waw":                {race.MixedAtomic, race.IntraBlock},
	"race_interwarp_none-blklock_waw":                {race.LockMismatch, race.IntraBlock},
	"race_interwarp_none-lock_waw":                   {race.LockMismatch, race.IntraBlock},
}
