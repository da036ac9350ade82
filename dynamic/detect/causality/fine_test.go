package causality_test

// This file compares the detector with the definitions where memory is accessed weakly, in pieces of one or two bytes and in whole words.

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/detect/causality"
	"github.com/warplint/warplint/dynamic/event"
)

// piece is an access of data, of as many bytes as the smallest pieces have or more: by threads in a row, or all at one place; and, of the
// smallest, as far apart as three of them, or out of order.
func (g *generator) piece(least int) string {
	size := least << max(0, g.IntN(7)-3)
	space, base := "global", "%p"
	if g.IntN(3) == 0 {
		space, base = "shared", "%s"
	}
	at := g.pick(fmt.Sprint(size), fmt.Sprint(size), "")
	if size == least {
		at = g.pick(at, "t", "m")
	}
	kind, values := fmt.Sprintf("u%d", 8*size), "%v"
	switch {
	case size == 16:
		kind, values = "v4.u32", "{%v, %v, %v, %v}"
	case size == 8:
		kind, values = "v2.u32", "{%v, %v}"
	case size == 2 && least == 1 && g.IntN(2) == 0:
		kind, values = "v2.u8", "{%v, %v}"
	}
	address := fmt.Sprintf("[%s%s+%d]", base, at, size*g.IntN(4))
	if g.IntN(2) == 0 {
		return fmt.Sprintf("ld.%s.%s %s, %s;", space, kind, values, address)
	}
	return fmt.Sprintf("st.%s.%s %s, %s;", space, kind, address, values)
}

func piecesKernel(random *rand.Rand) (text string, blocks int) {
	g := &generator{Rand: random, fences: []string{"gpu", "sys"}}
	blocks = 1 + random.IntN(2)
	least := 1 + random.IntN(2)
	offsets := map[string]string{
		"1": "shl.b32 %x, %n, 0", "2": "shl.b32 %x, %n, 1", "4": "shl.b32 %x, %n, 2", "8": "shl.b32 %x, %n, 3", "16": "shl.b32 %x, %n, 4",
		"t": fmt.Sprintf("mul.lo.u32 %%x, %%n, %d", 3*least), "m": fmt.Sprintf("mul.lo.u32 %%x, %%n, 7; and.b32 %%x, %%x, 31; mul.lo.u32 %%x, %%x, %d", least),
	}
	var made strings.Builder
	var names, shared []string
	for _, name := range []string{"1", "2", "4", "8", "16", "t", "m"} {
		names, shared = append(names, "%p"+name), append(shared, "%s"+name)
		fmt.Fprintf(&made, "%s; add.u32 %%s%s, %%s, %%x; cvt.u64.u32 %%e, %%x; add.u64 %%p%s, %%p, %%e;\n", offsets[name], name, name)
	}
	g.begin(strings.Join(names, ", "), `.reg .b32 %s, `+strings.Join(shared, ", ")+`; .reg .b64 %f; .shared .align 16 .b8 m[1024];
ld.param.u64 %f, [q]; mov.u32 %s, m; mov.u32 %v, %n;
`+made.String())
	for range 3 + random.IntN(6) {
		g.some(func() {
			switch g.IntN(12) {
			case 0:
				g.anyFence()
			case 1:
				g.handOver()
			default:
				g.text.WriteString(g.piece(least) + "\n")
			}
		})
		g.text.WriteString(g.pick("", "bar.sync 0;\n", "bar.sync 0;\n", "bar.warp.sync 0xffffffff;\n"))
	}
	g.text.WriteString("ret;\n}\n")
	return g.text.String(), blocks
}

func TestPieces(t *testing.T) { compareSpecial(t, seeded(11), piecesKernel) }

// A race of pieces is told where it is in memory.
func TestPieceAddress(t *testing.T) {
	d := causality.New()
	r := newRunner(t, `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b64 %p; .reg .b32 %t;
.shared .align 4 .b8 first[100]; .shared .align 4 .b8 second[256];
ld.param.u64 %p, [p]; mov.u32 %t, %tid.x;
ld.shared.u8 %t, [first]; st.shared.u8 [second+7], %t; st.global.u16 [%p+10], %t;
ret;
}`, "k", d)
	r.launch(1, 64, 1)
	data := binary.LittleEndian.Uint64(r.args)
	got := map[string]uint64{}
	for _, race := range d.Races() {
		got[race.Variable] = race.Address
	}
	if len(got) != 2 || got["second"] != 107 || got["data"] != data+10 {
		t.Errorf("races at %v, want second at 107 and data at %d", got, data+10)
	}
}

// The shadow of the shared memory of a block that has ended is used again.
func TestPiecesOfBlocks(t *testing.T) {
	const text = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b32 %t, %s; .shared .align 4 .b8 m[8192];
mov.u32 %t, %tid.x; mov.u32 %s, m; mad.lo.u32 %s, %t, 128, %s; st.shared.u8 [%s], %t;
ret;
}`
	const blocks = 1000
	allocated := func(listener event.Listener) uint64 {
		r := newRunner(t, text, "k", listener)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r.launch(blocks, 64, 1)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if bare, watched := allocated(event.Nothing{}), allocated(causality.New()); watched > bare+blocks<<10 {
		t.Errorf("%d bytes a block", (watched-bare)/blocks)
	}
}
