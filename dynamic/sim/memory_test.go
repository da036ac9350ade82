package sim_test

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/sim"
)

func TestDeviceMemory(t *testing.T) {
	d := sim.NewDevice(sim.Config{MemoryLimit: 1000})
	a, err := d.Malloc(600, "a")
	if err != nil || a%512 != 0 {
		t.Fatalf("%#x, %v", a, err)
	}
	if _, err := d.Malloc(600, "b"); err == nil {
		t.Error("1200 bytes of 1000 allocated")
	}
	if free, total := d.MemoryInfo(); free != 400 || total != 1000 {
		t.Errorf("%d of %d bytes free", free, total)
	}
	bytes, err := d.Bytes(a+100, 500)
	if err != nil || len(bytes) != 500 {
		t.Fatalf("%d bytes, %v", len(bytes), err)
	}
	bytes[0] = 7
	if again, _ := d.Bytes(a+100, 1); again[0] != 7 {
		t.Error("bytes are a copy")
	}
	for _, test := range []struct {
		addr, n uint64
		want    string
	}{
		{a + 100, 501, "beyond the allocation"},
		{a + 600, 1, "in no allocation"},
		{12, 1, "in no allocation"},
	} {
		if _, err := d.Bytes(test.addr, test.n); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d bytes at %#x: %v, want %q", test.n, test.addr, err, test.want)
		}
	}
	if err := d.Free(a + 1); err == nil {
		t.Error("freed the middle of an allocation")
	}
	if err := d.Free(a); err != nil {
		t.Error(err)
	}
	if err := d.Free(a); err == nil || !strings.Contains(err.Error(), "freed before") {
		t.Errorf("freed twice: %v", err)
	}
	if alloc, ok := d.Allocation(a + 5); !ok || !alloc.Freed || alloc.Name != "a" {
		t.Errorf("allocation %+v", alloc)
	}
	if b, err := d.Malloc(600, "b"); err != nil || b == a {
		t.Errorf("%#x, %v: the address was used again", b, err)
	}
}

func TestHostMemory(t *testing.T) {
	b := loadFile(t, basic, nil)
	host := make([]byte, 128)
	if err := b.device.Map(0x7f0000000000, host, "host"); err != nil {
		t.Fatal(err)
	}
	if err := b.device.Map(0x7f0000000040, host, "twice"); err == nil {
		t.Error("mapped twice")
	}
	if alloc, _ := b.device.Allocation(0x7f0000000010); alloc == nil || alloc.Kind != event.HostMemory {
		t.Errorf("allocation %+v", alloc)
	}
	b.run("stray", 1, 32, uint64(0x7f0000000000), int32(0))
	for i, v := range host {
		if want := byte(1 - min(i%4, 1)); v != want {
			t.Fatalf("byte %d is %d, want %d", i, v, want)
		}
	}
	if err := b.device.Free(0x7f0000000000); err != nil {
		t.Fatal(err)
	}
	if err := b.device.Map(0x7f0000000000, host, "again"); err != nil {
		t.Error(err)
	}
}

func TestBadLaunches(t *testing.T) {
	b := loadFile(t, basic, nil)
	p := args(b.alloc(0), int32(0))
	for _, test := range []struct {
		l    sim.Launch
		want string
	}{
		{sim.Launch{Block: race.Dim3{1025}, Args: p}, "block x is 1025"},
		{sim.Launch{Block: race.Dim3{64, 32}, Args: p}, "2048 threads in a block"},
		{sim.Launch{Grid: race.Dim3{1, 70000}, Args: p}, "grid y is 70000"},
		{sim.Launch{Shared: 1 << 20, Args: p}, "shared memory"},
		{sim.Launch{Args: p[:8]}, "8 bytes of arguments, the kernel takes 12"},
		{sim.Launch{Grid: race.Dim3{3}, Cluster: race.Dim3{2}, Args: p}, "can't be divided"},
		{sim.Launch{Grid: race.Dim3{1 << 20}, Block: race.Dim3{1024}, Cooperative: true, Args: p}, "too many blocks"},
		{sim.Launch{Grid: race.Dim3{-1}, Args: p}, "grid x is -1"},
	} {
		if _, err := b.launch("stray", test.l); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.l, err, test.want)
		}
	}
}

// stuck runs a kernel that can't end and returns its fault.
func stuck(t *testing.T, body string, block int) *sim.Fault {
	t.Helper()
	b := load(t, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel()\n{\n"+
		".reg .b32 %lane, %t; .reg .pred %q; mov.u32 %lane, %tid.x;\n"+body+"\nret;\n}\n", nil)
	_, err := b.launch("kernel", sim.Launch{Block: race.Dim3{block}})
	return fault(t, err)
}

func TestDeadlock(t *testing.T) {
	for _, test := range []struct {
		name, body string
		waits      []string
	}{
		{"two barriers", "setp.lt.u32 %q, %lane, 32; @%q bra A; bar.sync 1; bra B; A: bar.sync 0; B:",
			[]string{"barrier 0 for 32 more threads", "barrier 1 for 32 more threads"}},
		{"a count nobody reaches", "bar.sync 2, 128;", []string{"barrier 2 for 64 more threads"}},
		{"a lane that is elsewhere", "setp.eq.u32 %q, %lane, 3; @%q bra A; shfl.sync.idx.b32 %t, %lane, 0, 31, 0xffffffff; bra B; A: bar.sync 0; B:",
			[]string{"shfl.sync.idx.b32 for lanes 0x00000008", "barrier 0 for 31 more threads"}},
		{"half a warp", "setp.lt.u32 %q, %lane, 16; @%q bra A; bar.warp.sync 0xffffffff; bra B; A: bar.sync 0; B:",
			[]string{"a warp barrier for lanes 0x0000ffff"}},
	} {
		f := stuck(t, test.body, 64)
		var list []string
		for _, w := range f.Waiters {
			list = append(list, w.What)
		}
		all := strings.Join(list, "; ")
		for _, want := range test.waits {
			if f.Kind != sim.Deadlock || !strings.Contains(all, want) {
				t.Errorf("%s: %v, waiting: %s; want %q", test.name, f.Kind, all, want)
			}
		}
	}
}

// Lanes execute a shuffle together wherever they stand, as long as the members are the same.
func TestShuffleAtTwoPlaces(t *testing.T) {
	got := events(t, `.reg .b64 %at; mul.wide.u32 %at, %lane, 4; add.u64 %at, %p, %at;
		setp.lt.u32 %q, %lane, 10;
		@%q bra LOW;
		shfl.sync.down.b32 %t, %lane, 1, 31, 0xffffffff;
		bra JOIN;
		LOW: shfl.sync.down.b32 %t, %lane, 1, 31, 0xffffffff;
		JOIN: setp.eq.u32 %q, %lane, 9;
		@%q st.global.u32 [%p], %t;`, sim.Launch{Block: race.Dim3{32}})
	expectEvents(t, got, "b0 w0 00000200 write global weak 1*4 at 0x0 = 0xa")
}
