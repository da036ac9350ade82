// This file is our side of client/wire.h: numbers and structures of the protocol.

package cudart

import (
	"encoding/binary"
	"fmt"
	"io"
)

type operation uint32

const (
	opHello operation = iota + 1
	opLoadModule
	opUnloadModule
	opFindFunction
	opFindVariable
	opMalloc
	opFree
	opHostAlloc
	opHostFree
	opHostMap
	opHostUnmap
	opStageToDevice
	opDeviceToStage
	opDeviceCopy
	opMemset
	opMemoryInfo
	opFindAllocation
	opLaunch
	opDeviceReset
	opBindVariable
	opCompile
	opNote
	opOrder
)

// status is a cudaError_t.
type status int32

const (
	success               status = 0
	invalidValue          status = 1
	memoryAllocation      status = 2
	invalidConfiguration  status = 9
	invalidSymbol         status = 13
	invalidDeviceFunction status = 98
	invalidPtx            status = 218
	illegalAddress        status = 700
	launchTimeout         status = 702
	assertTriggered       status = 710
	hardwareStackError    status = 714
	illegalInstruction    status = 715
	misalignedAddress     status = 716
	launchFailure         status = 719
	notSupported          status = 801
)

type request struct {
	Op, Payload uint32
	A           [4]uint64
	Operation   uint64
}

type replyHeader struct {
	Error   int32
	Payload uint32
	R       [4]uint64
}

type functionInfo struct {
	Shared, Local, Constant, ParameterBytes     uint64
	Registers, MaxThreads, Parameters, Reserved uint32
}

type parameterInfo struct{ Offset, Size uint32 }

type launchRequest struct {
	Function, Stream, Shared uint64
	Callers                  [8]uint64
	Grid, Block, Cluster     [3]uint32
	Cooperative              uint32
}

// maxPayload bounds what one request may carry: a module's text is the largest.
const maxPayload = 256 << 20

func readRequest(r io.Reader) (q request, payload []byte, err error) {
	var head [48]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return q, nil, err
	}
	q.Op = binary.LittleEndian.Uint32(head[0:])
	q.Payload = binary.LittleEndian.Uint32(head[4:])
	for i := range q.A {
		q.A[i] = binary.LittleEndian.Uint64(head[8+8*i:])
	}
	q.Operation = binary.LittleEndian.Uint64(head[40:])
	if q.Payload > maxPayload {
		return q, nil, fmt.Errorf("a request of %d bytes", q.Payload)
	}
	payload = make([]byte, q.Payload)
	_, err = io.ReadFull(r, payload)
	return q, payload, err
}

// answer is what a request gets.
type answer struct {
	status  status
	values  [4]uint64
	payload []byte
}

func (a answer) write(w io.Writer) error {
	head := replyHeader{Error: int32(a.status), Payload: uint32(len(a.payload)), R: a.values}
	buffer, err := binary.Append(make([]byte, 0, 40+len(a.payload)), binary.LittleEndian, head)
	if err != nil {
		return err
	}
	_, err = w.Write(append(buffer, a.payload...))
	return err
}

func values(v ...uint64) answer {
	var a answer
	copy(a.values[:], v)
	return a
}

func failure(s status) answer { return answer{status: s} }
