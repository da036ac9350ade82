// This file knows the detectors by name.

package dynamic

import (
	"fmt"
	"slices"
	"strings"
)

// maker makes a detector for one schedule.
type maker struct {
	name string
	make func(*Sources) Detector
}

// standard is how many of makers watch a run for which nobody names others.
const standard = 2

// makers are all detectors, the standard ones first.
var makers = []maker{
	{"causality", newCausality},
	{"streams", newStreams},
	publishedMaker("iguard", newIguard),
	publishedMaker("iguard-exact", newExactIguard),
	publishedMaker("scord", newScord),
	publishedMaker("scord-uncached", newUncachedScord),
	publishedMaker("barracuda", newBarracuda),
	publishedMaker("ldetector", newLdetector),
}

// DetectorNames returns the names that SelectDetectors knows, the default first, none last.
func DetectorNames() []string {
	var names []string
	for _, m := range makers {
		names = append(names, m.name)
	}
	return append(names, NoDetector)
}

// NoDetector is the name that stands for running without any.
const NoDetector = "none"

// SelectDetectors returns what Options.Detectors wants for a list of names; an empty list is
// the default.
func SelectDetectors(names []string) (func(*Sources) []Detector, error) {
	if len(names) == 1 && names[0] == NoDetector {
		return nil, nil
	}
	chosen := makers[:standard]
	if len(names) > 0 {
		chosen = nil
	}
	for n, name := range names {
		i := slices.IndexFunc(makers, func(m maker) bool { return m.name == name })
		switch {
		case slices.Contains(names[:n], name):
			continue // one of each is enough
		case name == NoDetector:
			return nil, fmt.Errorf("detector %s stands alone", NoDetector)
		case i < 0:
			return nil, fmt.Errorf("unknown detector %q (there are: %s)", name, strings.Join(DetectorNames(), ", "))
		}
		chosen = append(chosen, makers[i])
	}
	return func(s *Sources) []Detector {
		var all []Detector
		for _, m := range chosen {
			all = append(all, m.make(s))
		}
		return all
	}, nil
}
