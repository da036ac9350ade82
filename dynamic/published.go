// This file fits the detectors of the papers into a run.

package dynamic

import (
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/cudart"
	"github.com/warplint/warplint/dynamic/detect/barracuda"
	"github.com/warplint/warplint/dynamic/detect/iguard"
	"github.com/warplint/warplint/dynamic/detect/ldetector"
	"github.com/warplint/warplint/dynamic/detect/pair"
	"github.com/warplint/warplint/dynamic/detect/scord"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// published is a detector that one of the papers describes.
type published interface {
	event.Listener
	Races() []*pair.Race
}

// publishedDetector fits one into a run.
type publishedDetector struct {
	published
	name    string
	sources *Sources
}

// publishedMaker makes such detectors.
func publishedMaker(name string, make func() published) maker {
	return maker{name, func(s *Sources) Detector { return &publishedDetector{make(), name, s} }}
}

func newIguard() published      { return iguard.New() }
func newExactIguard() published { return iguard.New(iguard.Exact) }

func newScord() published         { return scord.New(scord.Cached) }
func newUncachedScord() published { return scord.New() }

func newBarracuda() published { return barracuda.New() }
func newLdetector() published { return ldetector.New() }

// Name implements Detector.
func (d *publishedDetector) Name() string { return d.name }

// Findings implements Detector.
func (d *publishedDetector) Findings() []Finding {
	var out []Finding
	for _, r := range d.Races() {
		f := d.sources.dressed(r.Finding(d.sources.Span), r.Launch, r.Space, r.Address, r.First.PC, r.Second.PC)
		out = append(out, Finding{Finding: f, Detector: d.name, Count: r.Count})
	}
	return out
}

// dressed gives a finding, of two instructions, the names of the source, and says it in words.
func (s *Sources) dressed(f race.Finding, l *event.Launch, space event.Space, address uint64, first, second uint32) race.Finding {
	f.Kernel = toolchain.PlainName(f.Kernel)
	at, variable := s.allocation(f.Variable)
	f.Allocated = at
	if _, unnamed := cudart.Callers(f.Variable); unnamed {
		f.Variable = variable
	}
	f.Variable = s.variable(f.Variable, l, space, address)
	if f.Witness != nil {
		f.Witness.Launch = s.launched(l)
	}
	f.First, f.Second = s.atCall(f.First, l), s.atCall(f.Second, l)
	f.Message, f.Mend = message(&f, threadsOf(&f)), mend(&f, l, s.between(&f, l, first, second))
	return f
}
