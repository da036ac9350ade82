package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

// Each vector operation gives the bits of the loop in Go, for full and partial masks, on random
// values and on those where something special happens, and with a target that is a source as well.
func TestVectorsAgreeWithLoops(t *testing.T) {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		t.Log("this processor has no AVX2: the loops are all there is")
		return
	}
	random := rand.New(rand.NewPCG(1, 2))
	for key, vector := range vectorOperations {
		op, ok := loops[key]
		if !ok {
			t.Errorf("%s is not in ops.txt", key)
			continue
		}
		for round := range 400 {
			a, b := registersOf(random), registersOf(random)
			copyRegisters(b, a)
			mask := fullMask
			if round%2 == 1 {
				mask = random.Uint32() | 1<<random.IntN(32)
			}
			in := &instr{a: 0, b: 1, c: 2, d: ref(round / 2 % 4)}
			if strings.Contains(op.shape, "p") {
				in.c = 0
			}
			op.run(a, in, mask)
			vector(b, in, mask)
			if difference := compareRegisters(a, b); difference != "" {
				t.Errorf("%s, mask %#x: %s", key, mask, difference)
				break
			}
		}
	}
}

// special has the values of which something is to be feared.
var special = []uint64{
	0, 1, 2, 31, 32, 33, 63, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 0xffc12345,
	0x00800000, 0x007fffff, 0x3f800000, 0xbf800000, 1 << 63, 1<<63 - 1, math.MaxUint64, 0x7ff << 52, 0xfff << 52, 0x7ff8000000000001,
	0x7ff0000000000001, 0xfff4000000000001, 1 << 52, 1<<52 - 1, 0x3ff << 52, 0x4b00000000000000, 0x47efffffe0000000,
}

func registersOf(random *rand.Rand) *warp {
	w := &warp{x32: make([][32]uint32, 4), x64: make([][32]uint64, 4), xp: make([]uint32, 4)}
	value := func() uint64 {
		switch random.IntN(4) {
		case 0:
			return special[random.IntN(len(special))]
		case 1:
			return math.Float64bits(random.NormFloat64())
		case 2:
			return uint64(math.Float32bits(float32(random.NormFloat64())))
		}
		return random.Uint64()
	}
	for r := range 4 {
		for lane := range 32 {
			w.x32[r][lane], w.x64[r][lane] = uint32(value()), value()
		}
		w.xp[r] = random.Uint32()
	}
	return w
}

func copyRegisters(to, from *warp) {
	copy(to.x32, from.x32)
	copy(to.x64, from.x64)
	copy(to.xp, from.xp)
}

func compareRegisters(a, b *warp) string {
	for r := range a.x32 {
		for lane := range 32 {
			if x, y := a.x32[r][lane], b.x32[r][lane]; x != y {
				return formatDifference(r, lane, uint64(x), uint64(y))
			}
			if x, y := a.x64[r][lane], b.x64[r][lane]; x != y {
				return formatDifference(r, lane, x, y)
			}
		}
		if a.xp[r] != b.xp[r] {
			return formatDifference(r, -1, uint64(a.xp[r]), uint64(b.xp[r]))
		}
	}
	return ""
}

func formatDifference(register, lane int, want, got uint64) string {
	return fmt.Sprintf("register %d, lane %d: the loop gives %#x, the vector %#x", register, lane, want, got)
}

// The extent of addresses is that of the loop in Go, however they lie.
func TestAddressesAgreeWithLoop(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 2000 {
		var from, want, got [32]uint64
		distance := uint64(1) << random.IntN(5)
		start := random.Uint64() >> random.IntN(64)
		for lane := range from {
			switch round % 4 {
			case 0:
				from[lane] = random.Uint64()
			case 1:
				from[lane] = start
			default:
				from[lane] = start + uint64(lane)*distance
			}
		}
		neighbours := round%4 > 1
		if round%4 == 2 {
			from[random.IntN(32)] += uint64(random.IntN(3))
			neighbours = true
			for lane := range from {
				neighbours = neighbours && from[lane] == from[0]+uint64(lane)*distance
			}
		}
		offset := uint64(random.IntN(100) - 50)
		low, high, or := ^uint64(0), uint64(0), uint64(0)
		for lane := range from {
			want[lane] = from[lane] + offset
			low, high, or = min(low, want[lane]), max(high, want[lane]), or|want[lane]
		}
		l, h, o, together := vectorAddresses(&got, &from, offset, distance)
		if together != neighbours || got != want {
			t.Fatalf("%v: got %v, together %v", from, got, together)
		}
		if !together && (l != low || h != high || o != or) || together && (l != want[0] || h != want[31] || (o^or)&(distance-1) != 0) {
			t.Fatalf("%v: got %#x %#x %#x, want %#x %#x %#x", from, l, h, o, low, high, or)
		}
	}
}
