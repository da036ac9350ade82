// This file passes on in which order operations take place (enum order in client/wire.h).

package cudart

import (
	"encoding/binary"

	"github.com/warplint/warplint/dynamic/event"
)

type order uint64

const (
	orderStream order = iota
	orderBegin
	orderFollow
	orderRecord
	orderStreamWaits
	orderOperationWaits
	orderHostWaits
	orderTouch
)

// level is what the program's library wants to know: from when on to tell of the order.
func (s *Session) level() uint64 {
	switch {
	case s.options.Host == nil:
		return 0
	case s.options.Streams:
		return 2
	}
	return 1
}

// order handles a request of that kind. What comes before the program has a second stream is not told.
func (s *Session) order(q request, payload []byte) answer {
	h := s.options.Host
	if h == nil {
		return answer{}
	}
	if !s.ordering {
		s.ordering = true
		s.options.Overlaps()
	}
	const placeSize = 8 * 8
	place := payload[:min(placeSize, len(payload))]
	switch order(q.A[0]) {
	case orderStream:
		h.Stream(q.A[1], q.A[2] != 0, calledFrom(place))
	case orderBegin:
		var after []int
		for rest := payload[len(place):]; len(rest) >= 8; rest = rest[8:] {
			after = append(after, int(binary.LittleEndian.Uint64(rest)))
		}
		o := event.Operation{Stream: q.A[1], What: event.What(q.A[2]), Node: q.A[3] != 0, From: calledFrom(place)}
		return values(uint64(h.Begin(o, after)))
	case orderFollow:
		h.Follow(q.A[1], int(q.A[2]))
	case orderRecord:
		h.Record(q.A[1], int(q.A[2]))
	case orderStreamWaits:
		h.StreamWaits(q.A[1], q.A[2])
	case orderOperationWaits:
		h.OperationWaits(int(q.A[1]), q.A[2])
	case orderHostWaits:
		h.HostWaits(event.Awaited(q.A[1]), q.A[2])
	case orderTouch:
		s.touch(event.Kind(min(q.A[1], 1)), q.A[2], q.A[3])
	}
	return answer{}
}

// onBehalf tells which operation a request is part of.
func (s *Session) onBehalf(operation uint64) {
	if operation != s.doing && s.ordering {
		s.doing = operation
		s.options.Host.Doing(int(operation))
	}
}

// touch tells of what a copy or a fill does to memory.
func (s *Session) touch(kind event.Kind, address, size uint64) {
	if s.ordering && s.doing != 0 && size > 0 {
		s.options.Host.Touch(kind, address, size)
	}
}
