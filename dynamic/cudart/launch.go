// This file serves requests about kernels: finding them, and running them.

package cudart

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/sim"
	"github.com/warplint/warplint/dynamic/toolchain"
)

func (s *Session) findFunction(module uint64, asked bool, name string) answer {
	m, ok := s.module(module)
	if !ok {
		return failure(invalidPtx)
	}
	k, err := m.Kernel(m.symbol(name))
	if err != nil {
		s.pass(Message{err.Error(), asked})
		return failure(invalidDeviceFunction)
	}
	s.kernels = append(s.kernels, k)
	info := functionInfo{
		Shared: uint64(k.Attributes.SharedSize), Local: uint64(k.Attributes.LocalSize),
		Constant: uint64(k.Attributes.ConstSize), ParameterBytes: uint64(k.Attributes.ParameterSize),
		Registers: uint32(k.Attributes.Registers), MaxThreads: uint32(k.Attributes.MaxThreads),
		Parameters: uint32(len(k.Parameters)),
	}
	payload, err := binary.Append(nil, binary.LittleEndian, info)
	for _, p := range k.Parameters {
		if err == nil {
			payload, err = binary.Append(payload, binary.LittleEndian, parameterInfo{uint32(p.Offset), uint32(p.Size)})
		}
	}
	if err != nil {
		return failure(invalidDeviceFunction)
	}
	a := values(uint64(len(s.kernels)))
	a.payload = payload
	return a
}

func (s *Session) findVariable(module uint64, name string) answer {
	m, ok := s.module(module)
	if !ok {
		return failure(invalidPtx)
	}
	address, size, ok := m.Variable(m.symbol(name))
	if !ok {
		return failure(invalidSymbol)
	}
	return values(address, size)
}

// bindVariable makes a managed variable of a module the one that the program has, with the module's contents.
func (s *Session) bindVariable(q request, name string) answer {
	m, ok := s.module(q.A[0])
	if !ok {
		return failure(invalidPtx)
	}
	address, size, offset := q.A[1], q.A[2], q.A[3]
	if offset > sharedSize || size > sharedSize-offset {
		return failure(invalidValue)
	}
	if err := m.Bind(m.symbol(name), address, s.shared.bytes[offset:][:size:size]); err != nil {
		s.note("managed variable %s: %v", name, err)
		return failure(invalidSymbol)
	}
	return answer{}
}

// launch runs a kernel to its end and hands back what it printed.
func (s *Session) launch(ctx context.Context, payload []byte) answer {
	var q launchRequest
	arguments := bytes.NewReader(payload)
	if binary.Read(arguments, binary.LittleEndian, &q) != nil || q.Function == 0 || q.Function > uint64(len(s.kernels)) {
		return failure(invalidDeviceFunction)
	}
	kernel := s.kernels[q.Function-1]
	l := sim.Launch{
		Grid: dim(q.Grid), Block: dim(q.Block), Cluster: dim(q.Cluster),
		Shared: int(q.Shared), Args: payload[len(payload)-arguments.Len():],
		Cooperative: q.Cooperative != 0, Stream: q.Stream, Seed: s.options.Seed, Cores: s.options.Cores,
	}
	if s.options.MaxInstructions > 0 {
		if s.used >= s.options.MaxInstructions {
			s.note("the limit of %d instructions is reached", s.options.MaxInstructions)
			return failure(launchTimeout)
		}
		l.MaxInstructions = s.options.MaxInstructions - s.used
	}
	if report := s.options.Progress; report != nil {
		number := len(s.launches) + 1
		l.Progress = func(p sim.Progress) { report(kernel.Name, number, p) }
	}
	l.From = fromLaunch(q.Callers)
	ended := len(s.launches)
	l.Launched = func(g sim.Launched) {
		s.used += g.Stats.Instructions
		s.launches = append(s.launches, Launched{Kernel: g.Kernel.Name, Stats: g.Stats, Err: g.Err})
	}
	_, err := s.device.Launch(ctx, kernel, l)
	var fault *sim.Fault
	if errors.As(err, &fault) {
		fault.Kernel = toolchain.PlainName(fault.Kernel) // people read it
	}
	if len(s.launches) == ended { // it could not begin
		s.launches = append(s.launches, Launched{Kernel: kernel.Name, Err: err})
	}
	return answer{status: s.launchStatus(kernel, err), payload: s.printed.take()}
}

func dim(d [3]uint32) race.Dim3 { return race.Dim3{int(d[0]), int(d[1]), int(d[2])} }

// launchStatus says what CUDA would call a launch's error, and tells the user.
func (s *Session) launchStatus(k *sim.Kernel, err error) status {
	if err == nil {
		return success
	}
	var fault *sim.Fault
	if !errors.As(err, &fault) {
		s.note("kernel %s was not run: %v", toolchain.PlainName(k.Name), err)
		return invalidConfiguration
	}
	if fault.Kind != sim.Cancelled {
		s.note("%v", fault)
	}
	switch fault.Kind {
	case sim.OutOfBounds, sim.UseAfterFree:
		return illegalAddress
	case sim.Misaligned:
		return misalignedAddress
	case sim.StackOverflow:
		return hardwareStackError
	case sim.Assertion:
		return assertTriggered
	case sim.Limit, sim.Cancelled, sim.Deadlock, sim.Livelock, sim.Endless:
		return launchTimeout
	case sim.Invalid:
		return illegalInstruction
	default:
		return launchFailure
	}
}
