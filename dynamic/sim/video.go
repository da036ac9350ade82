// This file decodes the video instructions: on one number, two halves or four bytes in a register (PTX
// ISA, "Scalar Video Instructions" and "SIMD Video Instructions"), without selectors and masks.

package sim

import (
	"strings"

	"github.com/warplint/warplint/dynamic/ptx"
)

// videoOps has the operations on two lanes, extended to 64 bits.
var videoOps = map[string]func(x, y int64) int64{
	"vadd":     func(x, y int64) int64 { return x + y },
	"vsub":     func(x, y int64) int64 { return x - y },
	"vavrg":    func(x, y int64) int64 { return (x + y + 1) >> 1 },
	"vabsdiff": func(x, y int64) int64 { return max(x-y, y-x) },
	"vmin":     func(x, y int64) int64 { return min(x, y) },
	"vmax":     func(x, y int64) int64 { return max(x, y) },
}

func decodeVideo(t *translator, in *ptx.Instr) {
	t.allow(in, "sat add")
	if len(in.Types) != 3 {
		t.unsupported()
	}
	name := in.Op.String()
	f := videoOps[strings.TrimRight(name, "24")]
	width := uint(32 / (name[len(name)-1] - '0'))
	d, a, b := in.Type(0).Signed(), in.Type(1).Signed(), in.Type(2).Signed()
	add, saturate := in.Has("add"), in.Has("sat")
	t.mapped(in, func(x, y, c uint64) uint64 {
		var packed, sum uint64
		for shift := uint(0); shift < 32; shift += width {
			v := f(videoLane(x>>shift, width, a), videoLane(y>>shift, width, b))
			if saturate {
				v = clampLane(v, width, d)
			}
			sum += uint64(v)
			packed |= uint64(v) & (1<<width - 1) << shift
		}
		if add {
			return (c + sum) & 0xffffffff
		}
		return packed
	}, ptx.B32, ptx.B32, ptx.B32, ptx.B32)
}

// decodeScalarVideo decodes "vadd.s32.u32.s32.sat d, a, b" and "vadd.s32.u32.s32.sat.min d, a, b, c", which combines the result with c.
func decodeScalarVideo(t *translator, in *ptx.Instr) {
	t.allow(in, "sat add min max")
	if len(in.Types) != 3 {
		t.unsupported()
	}
	f, saturate, second := videoOps[in.Op.String()], in.Has("sat"), one(in, "add min max", "")
	d, a, b := in.Type(0).Signed(), in.Type(1).Signed(), in.Type(2).Signed()
	sources := []ptx.Type{ptx.B32, ptx.B32, ptx.B32}
	if second == "" {
		sources = sources[:2]
	}
	t.mapped(in, func(x, y, z uint64) uint64 {
		v := f(videoLane(x, 32, a), videoLane(y, 32, b))
		if saturate {
			v = clampLane(v, 32, d)
		}
		if c := videoLane(z, 32, d); second != "" {
			v = videoOps["v"+second](videoLane(uint64(v), 32, d), c)
		}
		return uint64(uint32(v))
	}, ptx.B32, sources...)
}

func videoLane(v uint64, width uint, signed bool) int64 {
	if signed {
		return int64(v<<(64-width)) >> (64 - width)
	}
	return int64(v & (1<<width - 1))
}

func clampLane(v int64, width uint, signed bool) int64 {
	if signed {
		return min(max(v, -1<<(width-1)), 1<<(width-1)-1)
	}
	return min(max(v, 0), 1<<width-1)
}
