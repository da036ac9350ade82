package sim

import "github.com/warplint/warplint/dynamic/ptx"

func decodeStoreAsync(t *translator, in *ptx.Instr)  { t.unsupported() }
func decodeReduceAsync(t *translator, in *ptx.Instr) { t.unsupported() }
