package main

// This file measures what detectors cost: processor time over the time of the same run without one,
// and bytes of metadata per word touched.

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/warplint/warplint/dynamic"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/toolchain"
	"github.com/warplint/warplint/scripts/internal/inject"
	"github.com/warplint/warplint/scripts/internal/inputs"
)

// costs are the table under construction.
type costs struct {
	names        []string // of detectors, but for none
	only         string
	instructions uint64
	rounds       int // how often times are taken; the least counts, as other programs may share the machine
	times        map[string][]float64
	bytes        map[string][]float64
}

// print measures ScoR's applications, or the program of a folder, for each argument.
func (c *costs) print(folders []string) error {
	columns := append([]string{"program", "million instructions", "seconds", "words"}, c.names...)
	fmt.Printf("| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
	for _, folder := range folders {
		applications, err := filepath.Glob(filepath.Join(folder, "benchmarks", "*"))
		if err != nil {
			return err
		}
		for _, a := range applications {
			if input := inputs.ScoR[filepath.Base(a)]; input != nil {
				if err := c.application(a, input(costScale)); err != nil {
					return err
				}
			}
		}
		if len(applications) == 0 {
			if err := c.sample(folder); err != nil {
				return err
			}
		}
	}
	for _, row := range []struct {
		what string
		of   func([]float64) float64
	}{{"geometric mean", geometric}, {"greatest", slices.Max[[]float64]}} {
		cells := []string{"**" + row.what + "**", "", "", ""}
		for _, d := range c.names {
			cells = append(cells, cell(c.times[d], c.bytes[d], row.of))
		}
		fmt.Printf("| %s |\n", strings.Join(cells, " | "))
	}
	return nil
}

// costScale makes runs long enough to measure.
const costScale = 20

func geometric(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(list)))
}

// cell shows times, and bytes if there are any.
func cell(times, bytes []float64, of func([]float64) float64) string {
	if len(times) == 0 {
		return ""
	}
	text := fmt.Sprintf("%.2f×", of(times))
	if len(bytes) > 0 {
		text += fmt.Sprintf(", %.1f B", of(bytes))
	}
	return text
}

func (c *costs) application(folder, input string) error {
	p, err := inject.Load(folder, "RACEY")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "detectors")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := p.Write(dir, -1); err != nil {
		return err
	}
	files, err := sources(dir)
	if err != nil {
		return err
	}
	return c.program(filepath.Base(folder), files, toolchain.Options{Defines: inputs.Defines}, input)
}

// sample is a folder of cuda-samples: the headers that its programs share stand beside Samples.
func (c *costs) sample(folder string) error {
	files, err := sources(folder)
	if err != nil {
		return err
	}
	more, err := filepath.Glob(filepath.Join(folder, "*.cpp"))
	if err != nil {
		return err
	}
	o := toolchain.Options{Includes: []string{folder}}
	for dir := folder; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if common := filepath.Join(dir, "Common"); isFolder(common) {
			o.Includes = append(o.Includes, common)
			break
		}
	}
	return c.program(filepath.Base(folder), append(files, more...), o, "")
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// program runs the same schedule without a detector and with each, several times for the time, and once
// for the memory.
func (c *costs) program(name string, files []string, o toolchain.Options, input string) error {
	if !strings.Contains(name, c.only) {
		return nil
	}
	var steps []func(*dynamic.Sources) []dynamic.Detector
	for _, d := range append([]string{dynamic.NoDetector}, c.names...) {
		use, err := dynamic.SelectDetectors([]string{d})
		if err != nil {
			return err
		}
		if use == nil {
			use = func(*dynamic.Sources) []dynamic.Detector { return nil }
		}
		steps = append(steps, use)
	}
	var stamps []time.Duration
	var probes []*probe
	got, err := dynamic.Simulate(context.Background(), &dynamic.Options{
		Files: files, Seed: 1, Schedules: (c.rounds + 1) * len(steps), Repeat: true, Instructions: c.instructions, Timeout: 10 * maxTime,
		Stdin: &again{text: input}, Stdout: io.Discard, Stderr: io.Discard, Dir: os.TempDir(),
		Compile: func(string) toolchain.Options { return o },
		Detectors: func(s *dynamic.Sources) []dynamic.Detector {
			runtime.GC()
			i := len(stamps)
			stamps = append(stamps, processorTime())
			step := steps[i%len(steps)]
			if i < c.rounds*len(steps) {
				return step(s)
			}
			p := &probe{}
			probes = append(probes, p)
			return append([]dynamic.Detector{p}, step(s)...)
		},
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(got.Kernels) == 0 {
		return fmt.Errorf("%s: no kernel was launched: %v", name, got.Problems)
	}
	least := func(step int) float64 {
		var all []float64
		for i := step; i < c.rounds*len(steps); i += len(steps) {
			all = append(all, (stamps[i+1] - stamps[i]).Seconds())
		}
		return slices.Min(all)
	}
	base := least(0)
	row := []string{name, fmt.Sprintf("%.1f", float64(got.Run.Instructions)/float64(len(stamps))/1e6), fmt.Sprintf("%.4f", base), fmt.Sprint(probes[0].words)}
	for i, d := range c.names {
		ratio := least(i+1) / base
		bytes := float64(probes[i+1].heap-probes[0].heap) / float64(max(probes[0].words, 1))
		c.times[d] = append(c.times[d], ratio)
		c.bytes[d] = append(c.bytes[d], max(bytes, 0.1))
		row = append(row, fmt.Sprintf("%.2f×, %.1f B", ratio, bytes))
	}
	fmt.Printf("| %s |\n", strings.Join(row, " | "))
	return nil
}

// processorTime is what this process has used, garbage collection included; the program under test and
// the compiler are others.
func processorTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// probe measures the heap at the end of the launch that touches most words of global memory. It listens
// before the detector, which has not let go of anything then.
type probe struct {
	event.Nothing
	words       int
	heap        int64 // bytes that the launch has added
	before      int64
	touched     map[uint64]*[64]uint64 // by 16 KiB
	last        *[64]uint64
	page, count uint64
}

// Name implements dynamic.Detector.
func (p *probe) Name() string { return "probe" }

// Findings implements dynamic.Detector.
func (p *probe) Findings() []dynamic.Finding { return nil }

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// LaunchBegin implements event.Listener.
func (p *probe) LaunchBegin(*event.Launch) {
	p.touched, p.last, p.count = map[uint64]*[64]uint64{}, nil, 0
	p.before = heap()
}

// LaunchEnd implements event.Listener.
func (p *probe) LaunchEnd(*event.Launch) {
	if int(p.count) > p.words+p.words/4 {
		p.words, p.heap = int(p.count), heap()-p.before
	}
}

// Access implements event.Listener.
func (p *probe) Access(a *event.Access) {
	if a.Space != event.Global {
		return
	}
	for lane := range event.WarpSize {
		if a.Mask>>lane&1 == 0 {
			continue
		}
		for word := a.Addr[lane] / 4; word <= (a.Addr[lane]+uint64(a.Size)-1)/4; word++ {
			p.touch(word)
		}
	}
}

func (p *probe) touch(word uint64) {
	if p.last == nil || word>>12 != p.page {
		p.page = word >> 12
		if p.last = p.touched[p.page]; p.last == nil {
			p.last = new([64]uint64)
			p.touched[p.page] = p.last
		}
	}
	bit := uint64(1) << (word & 63)
	if set := &p.last[word>>6&63]; *set&bit == 0 {
		*set |= bit
		p.count++
	}
}
