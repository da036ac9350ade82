// This file defines Tee, which lets several detectors watch one run.

package event

type tee []Listener

// Tee returns a listener that passes each event on to all of these, in order; nil ones are
// left out. It returns nil if none is left, and the listener itself if one is.
func Tee(listeners ...Listener) Listener {
	var t tee
	for _, l := range listeners {
		if l != nil {
			t = append(t, l)
		}
	}
	switch len(t) {
	case 0:
		return nil
	case 1:
		return t[0]
	}
	return t
}

func (t tee) Allocate(a *Allocation) {
	for _, l := range t {
		l.Allocate(a)
	}
}

func (t tee) Free(a *Allocation) {
	for _, l := range t {
		l.Free(a)
	}
}

func (t tee) LaunchBegin(a *Launch) {
	for _, l := range t {
		l.LaunchBegin(a)
	}
}

func (t tee) LaunchEnd(a *Launch) {
	for _, l := range t {
		l.LaunchEnd(a)
	}
}

func (t tee) Access(a *Access) {
	for _, l := range t {
		l.Access(a)
	}
}

func (t tee) Fence(a *Fence) {
	for _, l := range t {
		l.Fence(a)
	}
}

func (t tee) ProxyFence(a *Step) {
	for _, l := range t {
		l.ProxyFence(a)
	}
}

func (t tee) Barrier(a *Barrier) {
	for _, l := range t {
		l.Barrier(a)
	}
}

func (t tee) Mbarrier(a *Mbarrier) {
	for _, l := range t {
		l.Mbarrier(a)
	}
}

func (t tee) Copy(a *Copy) {
	for _, l := range t {
		l.Copy(a)
	}
}

func (t tee) CopyGroup(a *CopyGroup) {
	for _, l := range t {
		l.CopyGroup(a)
	}
}

func (t tee) Split(a *Split) {
	for _, l := range t {
		l.Split(a)
	}
}

func (t tee) Join(a *Join) {
	for _, l := range t {
		l.Join(a)
	}
}

func (t tee) Exit(a *Step) {
	for _, l := range t {
		l.Exit(a)
	}
}

func (t tee) Spawn(a *Spawn) {
	for _, l := range t {
		l.Spawn(a)
	}
}

func (t tee) BlockBegin(a *Launch, block int) {
	for _, l := range t {
		l.BlockBegin(a, block)
	}
}

func (t tee) BlockEnd(a *Launch, block int) {
	for _, l := range t {
		l.BlockEnd(a, block)
	}
}
