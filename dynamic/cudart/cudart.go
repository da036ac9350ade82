// Package cudart runs a compiled CUDA program on the simulator. The program runs in a process
// of its own and is linked with the client library (folder client, C), which stands in for the
// CUDA runtime and forwards what concerns the device over a socket to the Session here, in
// warplint's own process. So one Go binary is all that has to be installed, and whatever the
// program does, crash or exit or overwrite its memory, the simulator, the detectors and the
// findings so far are out of its reach.
//
// Device memory lies in our process. Memory that both sides see (pinned, managed, registered)
// is a shared mapping; kernels reach it under the program's addresses.
package cudart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
	"github.com/warplint/warplint/dynamic/sim"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// Options say how a program's launches are simulated.
type Options struct {
	// Modules gives the PTX of modules by what the program registers in their place; a program
	// may register PTX text itself as well.
	Modules map[string]string
	Seed    uint64
	// MaxInstructions is how many warp instructions all launches together may execute; 0 means
	// no limit.
	MaxInstructions uint64
	Cores           int // that run the blocks of a launch; 0 means one
	Progress        func(kernel string, launch int, p sim.Progress)
	Compile         func(ctx context.Context, s Source) Compiled // for NVRTC; nil if there is nothing to compile with
	// Host, if set, is told of the order of operations from when the program first has a second stream, or from its start if Streams is
	// set. Overlaps is called before.
	Host     event.Host
	Streams  bool
	Overlaps func()
}

// Launched is one finished launch.
type Launched struct {
	Kernel string
	Stats  sim.Stats
	Err    error // a *sim.Fault, or nil
}

// Message is something that went wrong. The program was told of it by an error, if Told is set.
type Message struct {
	Text string
	Told bool
}

// Session serves one program.
type Session struct {
	options  Options
	device   *sim.Device
	tell     func(Message)
	shared   *sharedMemory
	base     uint64 // where the program mapped the shared memory; 0 before its hello
	modules  []module
	linked   map[string]module // by token, where modules of the program need each other
	kernels  []*sim.Kernel
	printed  printBuffer
	hostMaps map[uint64]uint64 // program address to offset in the shared memory
	used     uint64            // instructions so far
	launches []Launched
	noted    map[string]bool
	ordering bool     // the host is told of the order of operations
	doing    uint64   // the operation that it was last told of
	refused  []string // launches that did not take place, of which the program does not know yet
}

// NewSession prepares for one program. Attach a device before the program runs; close the
// session afterwards.
func NewSession(o Options) (*Session, error) {
	shared, err := newSharedMemory()
	if err != nil {
		return nil, err
	}
	return &Session{options: o, shared: shared, hostMaps: map[uint64]uint64{}, noted: map[string]bool{}}, nil
}

// Attach gives the session its device, and a function that gets messages about what goes wrong:
// calls that are not simulated, bad copies, faults of kernels.
func (s *Session) Attach(d *sim.Device, tell func(Message)) { s.device, s.tell = d, tell }

// Close gives the shared memory back.
func (s *Session) Close() error { return s.shared.close() }

// Output is where the device's kernels must print to: the program gets it after each launch.
func (s *Session) Output() io.Writer { return &s.printed }

// Launches returns what ran so far. Not to be called while Serve runs.
func (s *Session) Launches() []Launched { return s.launches }

// Serve answers requests until the program closes its end.
func (s *Session) Serve(ctx context.Context, connection io.ReadWriter) error {
	defer func() { s.learn(false) }()
	for {
		q, payload, err := readRequest(connection)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.handle(ctx, q, payload).write(connection); err != nil {
			return err
		}
	}
}

// note passes a message on, each text once.
func (s *Session) note(format string, args ...any) {
	s.pass(Message{Text: fmt.Sprintf(format, args...)})
}

// told passes a message on of which the program knows.
func (s *Session) told(format string, args ...any) {
	s.pass(Message{fmt.Sprintf(format, args...), true})
}

func (s *Session) pass(m Message) {
	if !s.noted[m.Text] {
		s.noted[m.Text] = true
		s.tell(m)
	}
}

// learn passes on which launches did not take place, and whether the program knows.
func (s *Session) learn(told bool) {
	for _, text := range s.refused {
		s.pass(Message{text, told})
	}
	s.refused = nil
}

// message takes one of the program's own runtime library (enum note in client/wire.h).
func (s *Session) message(kind uint64, text string) {
	switch kind {
	case 0:
		s.note("%s", text)
	case 1:
		s.told("%s", text)
	case 2:
		s.told("%s", refusal(text))
	case 3:
		s.refused = append(s.refused, refusal(text))
	case 4:
		s.learn(true)
	}
}

// refusal has the kernel's name, which a text begins with, as it is written.
func refusal(text string) string {
	name, why, _ := strings.Cut(text, " ")
	return "kernel " + toolchain.PlainName(name) + " " + why
}

func (s *Session) handle(ctx context.Context, q request, payload []byte) answer {
	s.onBehalf(q.Operation)
	switch operation(q.Op) {
	case opHello:
		s.base = q.A[0]
		return values(uint64(len(s.shared.bytes)), stagingSize, s.level())
	case opLoadModule:
		return s.loadModule(payload)
	case opUnloadModule:
		return answer{}
	case opFindFunction:
		return s.findFunction(q.A[0], q.A[1] != 0, string(payload))
	case opFindVariable:
		return s.findVariable(q.A[0], string(payload))
	case opMalloc:
		return s.malloc(q.A[0], payload)
	case opFree:
		return s.free(q.A[0])
	case opHostAlloc:
		return s.hostAlloc(q.A[0], payload)
	case opHostFree:
		return s.hostFree(q.A[0])
	case opHostMap:
		return s.hostMap(q.A[0], q.A[1], q.A[2], payload)
	case opHostUnmap:
		return s.hostUnmap(q.A[0])
	case opStageToDevice:
		return s.stageToDevice(q.A[0], q.A[1])
	case opDeviceToStage:
		return s.deviceToStage(q.A[0], q.A[1])
	case opDeviceCopy:
		return s.deviceCopy(q.A[0], q.A[1], q.A[2])
	case opMemset:
		return s.memset(q.A[0], q.A[1], q.A[2], q.A[3])
	case opMemoryInfo:
		free, total := s.device.MemoryInfo()
		return values(free, total)
	case opFindAllocation:
		return s.findAllocation(q.A[0])
	case opLaunch:
		return s.launch(ctx, payload)
	case opDeviceReset:
		return answer{}
	case opBindVariable:
		return s.bindVariable(q, string(payload))
	case opCompile:
		return s.compile(ctx, q, payload)
	case opNote:
		s.message(q.A[0], string(payload))
		return answer{}
	case opOrder:
		return s.order(q, payload)
	}
	s.note("the simulator has no operation %d", q.Op)
	return failure(notSupported)
}

// module is a loaded module; renamed says what its symbols are called since it was linked with others.
type module struct {
	*sim.Module
	renamed map[string]string
}

func (m module) symbol(name string) string {
	if to, ok := m.renamed[name]; ok {
		return to
	}
	return name
}

// loadModule takes a token, PTX text or a fat binary. A module that can't be loaded is not an
// error yet: the program may never use it.
func (s *Session) loadModule(data []byte) answer {
	text, known := s.options.Modules[string(data)]
	if known && s.linked == nil {
		s.link()
	}
	if m, ok := s.linked[string(data)]; ok {
		return values(s.addModule(m))
	}
	if !known {
		var err error
		if text, err = embeddedPTX(data); err != nil {
			s.note("a module of the program can't be used: %v", err)
			return values(s.addModule(module{}))
		}
	}
	parsed, err := ptx.ParseAll(text)
	if err == nil {
		var loaded *sim.Module
		if loaded, err = s.device.Load(parsed); err == nil {
			return values(s.addModule(module{Module: loaded}))
		}
	}
	s.note("a module of the program can't be used: %v", err)
	return values(s.addModule(module{}))
}

// link joins the modules that the program was compiled to, if they use each other's functions and variables.
func (s *Session) link() {
	s.linked = map[string]module{}
	if len(s.options.Modules) < 2 {
		return
	}
	tokens := slices.Sorted(maps.Keys(s.options.Modules))
	var parsed []*ptx.Module
	for _, token := range tokens {
		m, err := ptx.Parse(s.options.Modules[token])
		if err != nil {
			return // loading it says so
		}
		parsed = append(parsed, m)
	}
	linked := ptx.Link(parsed)
	if linked == nil {
		return
	}
	loaded, err := s.device.Load(linked.Module)
	if err != nil {
		s.note("the device code of the program can't be linked: %v", err)
		return
	}
	for i, token := range tokens {
		s.linked[token] = module{loaded, linked.Renamed[i]}
	}
}

// addModule returns the module's number, from 1.
func (s *Session) addModule(m module) uint64 {
	s.modules = append(s.modules, m)
	return uint64(len(s.modules))
}

func (s *Session) module(number uint64) (module, bool) {
	if number == 0 || number > uint64(len(s.modules)) || s.modules[number-1].Module == nil {
		return module{}, false
	}
	return s.modules[number-1], true
}

// printBuffer collects what kernels print until the program takes it.
type printBuffer struct {
	mu   sync.Mutex
	text []byte
}

// maxPrinted bounds what one launch may print, in bytes; the rest is dropped, as on a device
// whose buffer is full.
const maxPrinted = 16 << 20

func (b *printBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := maxPrinted - len(b.text)
	b.text = append(b.text, p[:min(len(p), max(room, 0))]...)
	return len(p), nil
}

func (b *printBuffer) take() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := b.text
	b.text = nil
	return text
}
