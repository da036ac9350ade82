package cudart

import (
	"encoding/binary"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/warplint/warplint/dynamic/event"
)

// The numbers of operations stand in two places.
func TestOperationsAgree(t *testing.T) {
	text, err := client.ReadFile("client/wire.h")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^  OP_(\w+)`).FindAllStringSubmatch(string(text), -1)
	ours := []string{
		opHello - 1: "HELLO", opLoadModule - 1: "LOAD_MODULE", opUnloadModule - 1: "UNLOAD_MODULE",
		opFindFunction - 1: "FIND_FUNCTION", opFindVariable - 1: "FIND_VARIABLE", opMalloc - 1: "MALLOC", opFree - 1: "FREE",
		opHostAlloc - 1: "HOST_ALLOC", opHostFree - 1: "HOST_FREE", opHostMap - 1: "HOST_MAP", opHostUnmap - 1: "HOST_UNMAP",
		opStageToDevice - 1: "STAGE_TO_DEVICE", opDeviceToStage - 1: "DEVICE_TO_STAGE", opDeviceCopy - 1: "DEVICE_COPY",
		opMemset - 1: "MEMSET", opMemoryInfo - 1: "MEMORY_INFO", opFindAllocation - 1: "FIND_ALLOCATION", opLaunch - 1: "LAUNCH",
		opDeviceReset - 1: "DEVICE_RESET", opBindVariable - 1: "BIND_VARIABLE", opCompile - 1: "COMPILE", opNote - 1: "NOTE", opOrder - 1: "ORDER",
	}
	if len(names) != len(ours) {
		t.Fatalf("wire.h has %d operations, wire.go %d", len(names), len(ours))
	}
	for i, m := range names {
		if m[1] != ours[i] {
			t.Errorf("operation %d is %s in wire.h, %s in wire.go", i+1, m[1], ours[i])
		}
	}
}

// So do those of what is told of the order of operations.
func TestOrdersAgree(t *testing.T) {
	text, err := client.ReadFile("client/wire.h")
	if err != nil {
		t.Fatal(err)
	}
	for name, ours := range map[string][]string{
		"order": {orderStream: "STREAM", orderBegin: "BEGIN", orderFollow: "FOLLOW", orderRecord: "RECORD", orderStreamWaits: "STREAM_WAITS",
			orderOperationWaits: "OPERATION_WAITS", orderHostWaits: "HOST_WAITS", orderTouch: "TOUCH"},
		"work": {event.NoWork: "NONE", event.KernelWork: "KERNEL", event.CopyWork: "COPY", event.StagedCopyWork: "STAGED_COPY", event.FillWork: "FILL",
			event.FreeWork: "FREE", event.ConditionWork: "CONDITION"},
		"awaited": {event.AwaitAll: "ALL", event.AwaitStream: "STREAM", event.AwaitEvent: "EVENT", event.AwaitOperation: "OPERATION"},
	} {
		body := regexp.MustCompile(`enum ` + name + ` \{([^}]*)\}`).FindStringSubmatch(string(text))
		if body == nil {
			t.Fatalf("wire.h has no enum %s", name)
		}
		var theirs []string
		for _, m := range regexp.MustCompile(`\b(?:ORDER|WORK|AWAIT)_(\w+)`).FindAllStringSubmatch(body[1], -1) {
			theirs = append(theirs, m[1])
		}
		if !slices.Equal(theirs, ours) {
			t.Errorf("enum %s is %q in wire.h, %q here", name, theirs, ours)
		}
	}
}

func TestStructuresAgree(t *testing.T) {
	for name, c := range map[string]struct {
		value any
		size  int
	}{
		"request": {request{}, 48}, "reply": {replyHeader{}, 40}, "function_info": {functionInfo{}, 48},
		"parameter_info": {parameterInfo{}, 8}, "launch_request": {launchRequest{}, 128},
	} {
		if got := binary.Size(c.value); got != c.size {
			t.Errorf("%s has %d bytes, want %d as in wire.h", name, got, c.size)
		}
	}
}

// unpackLZ4 is checked against a block written by hand: four literals, then a match that overlaps
// itself, then the last literals.
func TestUnpackLZ4(t *testing.T) {
	block := append([]byte{0x48}, "abcd"...)
	block = append(block, 4, 0, 0x30)
	block = append(block, "xyz"...)
	got, err := unpackLZ4(block, 19)
	if err != nil || string(got) != "abcdabcdabcdabcdxyz" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, broken := range [][]byte{{0xf0}, {0x10}, {0x10, 'a', 2, 0}, {0x10, 'a', 0, 0}, {0xff, 255, 255}} {
		if _, err := unpackLZ4(broken, 100); err == nil {
			t.Errorf("%v is no error", broken)
		}
	}
}

func fat(entries ...[]byte) []byte {
	body := []byte(strings.Join(func() (s []string) {
		for _, e := range entries {
			s = append(s, string(e))
		}
		return
	}(), ""))
	head := binary.LittleEndian.AppendUint32(nil, fatMagic)
	head = binary.LittleEndian.AppendUint16(head, 1)
	head = binary.LittleEndian.AppendUint16(head, fatHeaderSize)
	return append(binary.LittleEndian.AppendUint64(head, uint64(len(body))), body...)
}

func entry(kind uint16, architecture uint32, flags uint64, payload string, plain int) []byte {
	e := make([]byte, 64, 64+len(payload))
	binary.LittleEndian.PutUint16(e, kind)
	binary.LittleEndian.PutUint32(e[4:], 64)
	binary.LittleEndian.PutUint64(e[8:], uint64(len(payload)))
	binary.LittleEndian.PutUint32(e[28:], architecture)
	binary.LittleEndian.PutUint64(e[40:], flags)
	binary.LittleEndian.PutUint64(e[56:], uint64(plain))
	return append(e, payload...)
}

func zstdOf(text string) string {
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	defer encoder.Close()
	return string(encoder.EncodeAll([]byte(text), nil))
}

func TestEmbeddedPTX(t *testing.T) {
	const elf = 2
	for _, c := range []struct {
		name string
		data []byte
		want string
		err  string
	}{
		{"text", []byte(".version 7.0\n\x00"), ".version 7.0\n", ""},
		{"newest of two", fat(entry(entryPTX, 70, 0, "old", 0), entry(elf, 90, 0, "binary", 0), entry(entryPTX, 80, 0, "new\x00", 0)), "new", ""},
		{"compressed", fat(entry(entryPTX, 80, flagLZ4, "\x48abcd\x04\x00\x30xyz", 19)), "abcdabcdabcdabcdxyz", ""},
		{"compressed with zstd", fat(entry(entryPTX, 80, flagZstd, zstdOf("the text"), 8)), "the text", ""},
		{"broken zstd", fat(entry(entryPTX, 80, flagZstd, "nonsense", 8)), "", "broken"},
		{"only machine code", fat(entry(elf, 90, 0, "binary", 0)), "", "holds no PTX"},
		{"cut off", fat(entry(entryPTX, 80, 0, "text", 0))[:50], "", "cut off"},
		{"cut off in an entry", fat(entry(entryPTX, 80, 0, "text", 0)[:40]), "", "cut off"},
		{"something else", []byte("hello, what is this?"), "", "neither"},
		{"nothing", nil, "", "neither"},
	} {
		got, err := embeddedPTX(c.data)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

func FuzzEmbeddedPTX(f *testing.F) {
	f.Add(fat(entry(entryPTX, 80, flagLZ4, "\x48abcd\x04\x00\x30xyz", 19)))
	f.Add([]byte(".version 8.0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		// A size that the data only claims must not be believed.
		if len(data) < 1<<16 {
			embeddedPTX(data)
		}
	})
}

// Requests with nonsense in them get an error; nothing crashes.
func FuzzRequests(f *testing.F) {
	f.Add(uint32(opMalloc), uint64(100), uint64(0), uint64(0), []byte{})
	f.Add(uint32(opHostMap), uint64(1<<40), uint64(4096), uint64(1<<63), []byte{})
	f.Add(uint32(opLaunch), uint64(0), uint64(0), uint64(0), make([]byte, 64))
	f.Fuzz(func(t *testing.T, op uint32, a0, a1, a2 uint64, payload []byte) {
		s := newTestSession(t)
		s.handle(t.Context(), request{Op: uint32(opHello), A: [4]uint64{1 << 44}}, nil)
		s.handle(t.Context(), request{Op: op, A: [4]uint64{a0, a1, a2, a0}}, payload)
	})
}
