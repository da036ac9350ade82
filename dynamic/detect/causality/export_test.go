package causality

import "github.com/warplint/warplint/dynamic/event"

// Plain is a detector that compares each access at once.
type Plain struct{ *Detector }

// Unscreened returns one for one device.
func Unscreened() Plain { return Plain{New()} }

// LaunchBegin implements event.Listener.
func (p Plain) LaunchBegin(l *event.Launch) {
	p.Detector.LaunchBegin(l)
	p.screening.off = true
}
