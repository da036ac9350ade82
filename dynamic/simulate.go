// Package dynamic runs CUDA programs and single kernels on the simulator while detectors
// watch, and returns what they found.
package dynamic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic/cudart"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
	"github.com/warplint/warplint/dynamic/sim"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// Options say what to run and how.
type Options struct {
	Files []string // .cu, .cpp, .c; or .ptx with Kernel; or one compiled program
	Args  []string // of the program
	Dir   string   // the program's working folder; empty for ours
	// Texts replace the contents of files, by absolute path: what an editor has not saved yet.
	Texts map[string]string
	// Compile gives the options of a file; nil compiles each without macros and folders.
	Compile func(file string) toolchain.Options
	// Kernel names a kernel to run alone, without the host program. Empty for a whole program.
	Kernel KernelRun
	// Code keeps what was compiled for the next run; nil keeps nothing.
	Code *Code

	// Detectors makes the detectors of one schedule, given a way from places to spans; nil for
	// none.
	Detectors func(*Sources) []Detector

	Seed      uint64 // of the first schedule; the others count up from it
	Schedules int    // how many to run; 0 means one
	// More is how many schedules may follow these, as long as all together have executed fewer than so many warp instructions.
	More      int
	MoreBelow uint64
	Repeat    bool // all schedules have the first one's seed, to compare detectors on one run
	// Timeout is how long one schedule may run; 0 means no limit. Compilation does not count.
	Timeout      time.Duration
	Instructions uint64 // warp instructions of one schedule; 0 for no limit
	Memory       uint64 // bytes of device memory; 0 for the simulator's default
	// Cores is how many processors simulate blocks at once; 0 means one. With more, which thread
	// comes first depends on the machine, so a seed promises nothing, and no detector may watch.
	Cores int

	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Enough ends the run once the findings so far suffice, also in the middle of a schedule; nil runs all.
	Enough func(sofar []Finding) bool
	// Progress is called about ten times a second while kernels run.
	Progress func(Progress)
}

// Progress is how far the launch is that runs now.
type Progress struct {
	Kernel   string // as written
	Launch   int    // counts from 1 in each schedule
	Schedule int    // counts from 1
	sim.Progress
}

// Detector watches the events of one schedule and tells what it found.
type Detector interface {
	event.Listener
	Name() string
	// Findings returns the races found so far, each pair of places once.
	Findings() []Finding
}

// partial is a detector that may have to leave launches unwatched.
type partial interface {
	// Unwatched is how many launches were too large to be watched to their end.
	Unwatched() int
	// Strayed is how often an access came to memory that none of the kernel's pointers for such leads to, so that others before it
	// there are missing.
	Strayed() int
}

// Finding is a race that a run has shown.
type Finding struct {
	race.Finding
	Detector string
	Count    int    // how often it was seen
	Seed     uint64 // of the first schedule that showed it
}

// Result is what the schedules gave, complete or not.
type Result struct {
	Kernels  []race.Kernel // those launched, in the order of their first launch
	Findings []Finding
	// Problems say what went wrong: faults of kernels, misuse of the runtime, the program's own
	// end. Each is there once, whatever the number of schedules.
	Problems []race.Problem
	Run      Run
	Sources  *Sources // the texts that the spans point into
}

// Run is the statistics of all schedules together.
type Run struct {
	Schedules    int     `json:"schedules"`
	Launches     int     `json:"launches"`
	Instructions uint64  `json:"instructions"` // of warps
	LaneOps      uint64  `json:"lane_operations"`
	Accesses     uint64  `json:"accesses"` // warp instructions that touched global or shared memory
	Seconds      float64 `json:"seconds"`  // without compilation
	// DetectorSeconds is how much of Seconds the detectors took, estimated from some of the events.
	DetectorSeconds float64 `json:"detector_seconds"`
}

// Simulate compiles and executes. The error says that nothing could be run; everything that
// happens afterwards, a timeout included, is in the result's problems, and the findings so far
// are kept.
func Simulate(ctx context.Context, o *Options) (*Result, error) {
	if len(o.Files) == 0 {
		return nil, errors.New("no file to simulate")
	}
	if o.Cores > 1 && o.Detectors != nil {
		return nil, errors.New("detectors watch blocks that run on one core; run several cores without a detector")
	}
	for i, f := range o.Files {
		if info, err := os.Stat(f); err != nil && i > 0 {
			return nil, fmt.Errorf("%s: %w; arguments of the program stand behind --", f, errors.Unwrap(err))
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", f, errors.Unwrap(err))
		} else if info.IsDir() {
			return nil, fmt.Errorf("%s is a folder; name the files of one program", f)
		}
	}
	code := o.Code
	if code == nil {
		code = &Code{}
		defer code.Remove()
	}
	execute, modules, err := code.prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	c := newCollector(o, modules)
	for i := range max(o.Schedules, 1) + o.More {
		if ctx.Err() != nil || i >= max(o.Schedules, 1) && c.result.Run.Instructions >= o.MoreBelow {
			break
		}
		if err := c.schedule(ctx, i, execute); err != nil {
			return nil, err
		}
		if o.Enough != nil && o.Enough(c.result.Findings) {
			break
		}
	}
	return &c.result, nil
}

// prepare compiles what is to run; dir keeps what it makes. What does not compile as C++17, and does as C++20, is C++20,
// unless somebody said otherwise. Where device code calls what seems to be the host's, it may have been for nvcc alone to see
// what it is; clang does not call itself so, as libraries ask by that name for more than it has.
func (o *Options) prepare(ctx context.Context, dir string) (execution, []*toolchain.Module, error) {
	execute, modules, err := o.prepareIn(ctx, dir)
	var refused *toolchain.CompileError
	if !errors.As(err, &refused) || strings.Contains(refused.Messages, "file not found") {
		return execute, modules, err
	}
	if strings.Contains(refused.Messages, "reference to __host__ function") || strings.Contains(refused.Messages, "call to __host__ function from") {
		o = o.compiling(func(c *toolchain.Options) { c.Defines = append(slices.Clip(c.Defines), "__NVCC__=1") })
		if execute, modules, err := o.prepareIn(ctx, filepath.Join(dir, "nvcc")); err == nil {
			return execute, modules, nil
		}
	}
	newer := o.compiling(func(c *toolchain.Options) { c.Standard = cmp.Or(c.Standard, "gnu++20") })
	if slices.ContainsFunc(o.Files, func(f string) bool { return o.compile(f).Standard == "" }) {
		if execute, modules, err := newer.prepareIn(ctx, filepath.Join(dir, "newer")); err == nil {
			return execute, modules, nil
		}
	}
	return nil, nil, err
}

// compiling returns the options with others for the compiler.
func (o *Options) compiling(change func(*toolchain.Options)) *Options {
	changed := *o
	changed.Compile = func(file string) toolchain.Options {
		c := o.compile(file)
		change(&c)
		return c
	}
	return &changed
}

func (o *Options) prepareIn(ctx context.Context, dir string) (execution, []*toolchain.Module, error) {
	prepare := prepareProgram
	if o.Kernel.Name != "" {
		prepare = prepareKernel
	}
	const attempts = 20 // the compiler names one mistake of a statement at a time
	for i := 0; ; i++ {
		work := filepath.Join(dir, fmt.Sprint(i))
		if err := os.MkdirAll(work, 0o700); err != nil {
			return nil, nil, err
		}
		compiled, err := o.overlaid(work)
		if err != nil {
			return nil, nil, err
		}
		execute, modules, err := prepare(ctx, compiled, work)
		next, mended := o.rewritten(err)
		if !mended || i == attempts {
			return execute, modules, err
		}
		o = next
	}
}

// execution runs one schedule. It reports the fate of each launch and of the whole to r; its
// error says that the schedule could not even begin.
type execution func(ctx context.Context, r *run) error

// run is one schedule: its device, its detectors and what comes of it.
type run struct {
	options   *Options
	number    int // from 1
	seed      uint64
	sources   *Sources
	detectors []Detector
	simulated *sim.Device
	watch     *stopwatch // of the detectors; nil without any
	launches  []cudart.Launched
	ended     error // how it ended, nil if it should have ended so
	tell      func(cudart.Message)
	name      func(symbol string) string
	compiled  func(m *toolchain.Module) // the program compiled one as it ran
	suffices  func() bool               // there is no need to go on
}

// device makes the device that this schedule runs on; what its kernels print goes to output.
func (r *run) device(output io.Writer) *sim.Device {
	r.simulated = sim.NewDevice(sim.Config{MemoryLimit: r.options.Memory, Output: output, Shown: r.sources.shown})
	if s, ok := r.streams(); ok {
		s.Allocation = r.simulated.Allocation
	}
	r.listen()
	return r.simulated
}

// listen lets those detectors hear of the device that do not wait for the program to have a second stream.
func (r *run) listen() {
	var listeners []event.Listener
	for _, d := range r.detectors {
		if s, ok := d.(*streamsDetector); !ok || !s.idle {
			listeners = append(listeners, d)
		}
	}
	switch listener := event.Tee(listeners...); {
	case listener == nil:
	case r.watch == nil:
		r.watch = newStopwatch(listener)
		r.simulated.SetListener(r.watch)
	default:
		r.watch.to = listener
	}
}

// streams is the detector of that name, if it is one of the run's.
func (r *run) streams() (*streamsDetector, bool) {
	for _, d := range r.detectors {
		if s, ok := d.(*streamsDetector); ok {
			return s, true
		}
	}
	return nil, false
}

// progress passes the progress of a launch on.
func (r *run) progress(kernel string, launch int, p sim.Progress) {
	if r.suffices() {
		return
	}
	if r.options.Progress != nil {
		r.options.Progress(Progress{Kernel: r.name(kernel), Launch: launch, Schedule: r.number, Progress: p})
	}
}

// collector joins what the schedules give.
type collector struct {
	options  *Options
	sources  *Sources
	modules  []*toolchain.Module
	result   Result
	problems map[string]bool
	findings map[string]int // index in result.Findings
	kernels  map[origin]int // index in result.Kernels
}

func newCollector(o *Options, modules []*toolchain.Module) *collector {
	c := &collector{
		options: o, modules: modules,
		sources:  &Sources{files: map[string]*source.File{}, texts: o.Texts, parameters: map[string][]string{}},
		problems: map[string]bool{}, findings: map[string]int{}, kernels: map[origin]int{},
	}
	for _, m := range modules {
		c.named(m)
	}
	c.result.Sources = c.sources
	return c
}

// module adds one that the program compiled as it ran.
func (c *collector) module(m *toolchain.Module) {
	c.modules = append(c.modules, m)
	c.named(m)
}

func (c *collector) named(m *toolchain.Module) {
	c.sources.headers = m.Headers
	for _, k := range m.Kernels {
		c.sources.parameters[k.Symbol] = k.Parameters
	}
}

func (c *collector) problem(message string) { c.message(cudart.Message{Text: message}) }

func (c *collector) message(m cudart.Message) {
	m.Text = unnamed.ReplaceAllStringFunc(m.Text, c.sources.memory)
	m.Text = mangled.ReplaceAllStringFunc(m.Text, func(name string) string { return "`" + variableName(strings.Trim(name, "`")) + "`" })
	if !c.problems[m.Text] {
		c.problems[m.Text] = true
		c.result.Problems = append(c.result.Problems, race.Problem{File: c.options.Files[0], Message: m.Text, Handled: m.Told})
	}
}

// schedule runs one schedule and collects its yield.
func (c *collector) schedule(ctx context.Context, i int, execute execution) error {
	seed := c.options.Seed
	if !c.options.Repeat {
		seed += uint64(i)
	}
	r := &run{
		options: c.options, number: i + 1, seed: seed, sources: c.sources,
		tell: c.message, name: func(symbol string) string { return c.kernel(symbol).Name }, compiled: c.module,
	}
	if c.options.Detectors != nil {
		r.detectors = c.options.Detectors(c.sources)
	}
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.options.Timeout > 0 {
		limited, cancel = context.WithTimeout(limited, c.options.Timeout)
		defer cancel()
	}
	enough := false
	r.suffices = func() bool {
		if !enough && c.suffice(r) {
			enough = true
			cancel()
		}
		return enough
	}
	started := time.Now()
	if err := execute(limited, r); err != nil {
		return err
	}
	seconds := time.Since(started).Seconds()
	c.result.Run.Seconds += seconds
	if r.watch != nil {
		c.result.Run.DetectorSeconds += min(seconds, r.watch.took.Seconds())
	}
	if !enough {
		c.outcome(ctx, limited, r)
	}
	c.count(r.launches)
	for _, l := range r.launches {
		c.fault(l)
		c.parted(l)
	}
	for _, d := range r.detectors {
		for _, f := range d.Findings() {
			f.Seed = r.seed
			c.finding(f)
		}
		p, ok := d.(partial)
		if ok && p.Unwatched() > 0 {
			c.problem(fmt.Sprintf("launches that %s did not watch to their end, because they are too large for it: %d; races in them may be missing", d.Name(), p.Unwatched()))
		}
		if ok && p.Strayed() > 0 {
			c.problem(fmt.Sprintf("accesses beyond the memory that their pointers lead to, into memory that the kernel only reads or only updates otherwise: %d allocations; races with what was there before are missing", p.Strayed()))
		}
	}
	c.verdicts()
	return nil
}

// suffice reports whether the findings so far suffice, with those of a schedule that goes on.
func (c *collector) suffice(r *run) bool {
	if c.options.Enough == nil {
		return false
	}
	found := slices.Clone(c.result.Findings)
	for _, d := range r.detectors {
		found = append(found, d.Findings()...)
	}
	return c.options.Enough(found)
}

// WasCancelled is the problem of a run that was cancelled.
const WasCancelled = "the run was cancelled"

// outcome turns the error that ended a schedule into a problem.
func (c *collector) outcome(ctx, limited context.Context, r *run) {
	var ended *cudart.Ended
	err := r.ended
	switch {
	case err == nil:
	case ctx.Err() != nil:
		c.problem(WasCancelled)
	case limited.Err() != nil:
		c.problem(tooLong(c.options.Timeout, r.launches))
	case errors.As(err, &ended):
		c.problem(ended.Error())
	default:
		c.problem(err.Error())
	}
}

// tooLong is the problem of a run that its time limit ended, with the place where a kernel was.
func tooLong(limit time.Duration, launches []cudart.Launched) string {
	message := fmt.Sprintf("the run took longer than the time limit of %v", limit)
	for _, l := range launches {
		var f *sim.Fault
		if errors.As(l.Err, &f) && f.Kind == sim.Cancelled {
			in := *f
			in.Kind, in.Message = sim.Limit, message
			return plainNames(in.Error())
		}
	}
	return message
}

func (c *collector) count(launches []cudart.Launched) {
	run := &c.result.Run
	run.Schedules++
	for _, l := range launches {
		run.Launches++
		run.Instructions += l.Stats.Instructions
		run.LaneOps += l.Stats.LaneOps
		run.Accesses += l.Stats.Accesses
		name := c.kernel(l.Kernel)
		if c.sources.isOurs(name.File) {
			continue // a library's kernel is none of the user's
		}
		i, known := c.kernels[name] // the instances of a template are one kernel
		if !known {
			i = len(c.result.Kernels)
			c.kernels[name] = i
			span := c.sources.Span(event.Place{File: name.File, Line: name.Line, Column: 1})
			if span.IsZero() {
				span.File = name.File
			}
			c.result.Kernels = append(c.result.Kernels, race.Kernel{Name: name.Name, Span: span})
		}
		c.result.Kernels[i].Milliseconds += float64(l.Stats.Elapsed.Microseconds()) / 1000
	}
}

// finding adds a race. Those of one pair of places are one finding, whichever came first and whether
// each read or wrote: the most severe of them, with their counts together. So are a warp's lanes and two warps that
// race for want of a barrier there: the block's orders both.
func (c *collector) finding(f Finding) {
	first, second := fmt.Sprint(f.First.Span), fmt.Sprint(f.Second.Span)
	rule, kind := f.Rule, f.Kind
	if rule == race.MissingSyncwarp {
		rule, kind = race.MissingSyncthreads, race.IntraBlock
	}
	key := fmt.Sprint(f.Detector, rule, kind, f.Kernel, min(first, second), max(first, second))
	if i, known := c.findings[key]; known {
		have := &c.result.Findings[i]
		count, severity := have.Count+f.Count, max(have.Severity, f.Severity)
		ofBlock := func(f *Finding) bool { return f.Rule == race.MissingSyncthreads && f.Severity >= race.Warning }
		if ofBlock(&f) && !ofBlock(have) || ofBlock(&f) == ofBlock(have) && f.Severity > have.Severity {
			*have = f
		}
		have.Count, have.Severity = count, severity
		return
	}
	c.findings[key] = len(c.result.Findings)
	c.result.Findings = append(c.result.Findings, f)
}

// verdicts says of each kernel what its runs have shown. No run proves that there is no race.
func (c *collector) verdicts() {
	racy := map[string]bool{}
	for _, f := range c.result.Findings {
		racy[f.Kernel] = racy[f.Kernel] || f.Severity >= race.Warning
		for _, o := range f.Operations {
			racy[o.Kernel] = racy[o.Kernel] || f.Severity >= race.Warning
		}
	}
	for i := range c.result.Kernels {
		k := &c.result.Kernels[i]
		k.Verdict, k.Reasons = race.Unknown, []string{"a run can show races, but not that there are none"}
		if racy[k.Name] {
			k.Verdict, k.Reasons = race.Racy, nil
		}
	}
}

// origin is a kernel as the source has it.
type origin struct {
	Name, File string
	Line       int
}

// kernel finds the origin of a PTX symbol. Of a program that nvcc built only the name is known.
func (c *collector) kernel(symbol string) origin {
	modules := c.modules
	if plain, number, linked := strings.Cut(symbol, ptx.LinkMark); linked { // another module has a kernel of this name
		if i, err := strconv.Atoi(number); err == nil && i < len(modules) {
			symbol, modules = plain, modules[i:i+1]
		}
	}
	for _, m := range modules {
		for _, k := range m.Kernels {
			if k.Symbol == symbol {
				return origin{k.Name, definedIn(k, m), k.Line}
			}
		}
	}
	return origin{Name: toolchain.PlainName(symbol), File: c.options.Files[0]}
}

// definedIn is the file that holds a kernel: the module's, by the name that the user gave it, or a header.
func definedIn(k toolchain.Kernel, m *toolchain.Module) string {
	if at, err := filepath.Abs(m.File); err != nil || k.File == "" || k.File == at {
		return m.File
	}
	return k.File
}

// Sources turns the places and variables of events into those of source text.
type Sources struct {
	files      map[string]*source.File // nil for a file that can't be read
	texts      map[string]string       // what replaces files
	parameters map[string][]string     // of each kernel, by symbol; empty where a name is not known
	lines      *lines                  // of the host program; nil without one
	headers    string                  // the folder of our own headers
}

// NewSources reads files as they are asked for.
func NewSources() *Sources { return &Sources{files: map[string]*source.File{}} }

// File implements source.Provider.
func (s *Sources) File(path string) (*source.File, bool) {
	f, known := s.files[path]
	if !known {
		if text, ok := s.texts[path]; ok {
			f = source.New(path, text)
		} else if text, err := os.ReadFile(path); err == nil {
			f = source.New(path, string(text))
		}
		s.files[path] = f
	}
	return f, f != nil
}

// Span returns what stands at a place: the word that begins there, or else one byte. It is the
// zero Span if the place is unknown or its file can't be read.
func (s *Sources) Span(p event.Place) source.Span {
	f, ok := s.File(p.File)
	if !ok || p.Line == 0 {
		return source.Span{}
	}
	start := f.Offset(source.Position{Line: p.Line, Column: max(p.Column, 1)})
	end := start
	for end < len(f.Text) && isWord(f.Text[end]) {
		end++
	}
	if end == start {
		end = min(start+1, len(f.Text))
	}
	return source.Span{File: p.File, Start: start, End: end}
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
