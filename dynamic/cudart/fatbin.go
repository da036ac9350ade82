// This file finds PTX in what a program registers as its device code.

package cudart

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// A fat binary is a header and a sequence of entries, each with a header of its own. The layout
// is not documented; these are the fields that tools of others rely on, too.
const (
	fatMagic      = 0xba55ed50
	fatHeaderSize = 16
	entryPTX      = 1
	flagLZ4       = 0x2000
	flagZstd      = 0x8000
)

// embeddedPTX returns the PTX in a registered image: text, or a fat binary that holds some.
func embeddedPTX(data []byte) (string, error) {
	if len(data) < fatHeaderSize || binary.LittleEndian.Uint32(data) != fatMagic {
		if bytes.Contains(data, []byte(".version")) {
			return string(bytes.TrimRight(data, "\x00")), nil
		}
		return "", errors.New("it is neither PTX nor a fat binary")
	}
	size := binary.LittleEndian.Uint64(data[8:])
	start := uint64(binary.LittleEndian.Uint16(data[6:]))
	if start > uint64(len(data)) || size > uint64(len(data))-start {
		return "", errors.New("its fat binary is cut off")
	}
	best, architecture := "", uint32(0)
	for body := data[start : start+size]; len(body) > 0; {
		e, err := readEntry(body)
		if err != nil {
			return "", err
		}
		if e.kind == entryPTX && e.architecture >= architecture {
			text, err := e.text()
			if err != nil {
				return "", err
			}
			best, architecture = text, e.architecture
		}
		body = body[e.length:]
	}
	if best == "" {
		return "", errors.New("its fat binary holds no PTX; build with -gencode arch=compute_80,code=compute_80")
	}
	return best, nil
}

type fatEntry struct {
	kind         uint16
	architecture uint32
	flags        uint64
	payload      []byte
	plain        uint64 // size after decompression; 0 if not compressed
	length       uint64 // of header and payload
}

func readEntry(body []byte) (e fatEntry, err error) {
	const least = 64
	if len(body) < least {
		return e, errors.New("its fat binary is cut off")
	}
	header := uint64(binary.LittleEndian.Uint32(body[4:]))
	size := binary.LittleEndian.Uint64(body[8:])
	if header < least || header > uint64(len(body)) || size > uint64(len(body))-header {
		return e, errors.New("its fat binary is cut off")
	}
	e.kind = binary.LittleEndian.Uint16(body)
	e.architecture = binary.LittleEndian.Uint32(body[28:])
	e.flags = binary.LittleEndian.Uint64(body[40:])
	e.plain = binary.LittleEndian.Uint64(body[56:])
	e.payload = body[header : header+size]
	if packed := uint64(binary.LittleEndian.Uint32(body[16:])); packed > 0 && packed < size {
		e.payload = e.payload[:packed] // the rest is padding
	}
	e.length = header + size
	return e, nil
}

func (e *fatEntry) text() (string, error) {
	data := e.payload
	switch {
	case e.plain > maxPayload:
		return "", fmt.Errorf("its PTX claims %d bytes", e.plain)
	case e.flags&flagZstd != 0:
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxPayload), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return "", err
		}
		defer decoder.Close()
		if data, err = decoder.DecodeAll(e.payload, nil); err != nil {
			return "", fmt.Errorf("its compressed PTX is broken: %w", err)
		}
	case e.flags&flagLZ4 != 0:
		var err error
		if data, err = unpackLZ4(e.payload, int(e.plain)); err != nil {
			return "", err
		}
	}
	return string(bytes.TrimRight(data, "\x00")), nil
}

// unpackLZ4 reads one LZ4 block (LZ4 Block Format Description).
func unpackLZ4(in []byte, size int) ([]byte, error) {
	broken := errors.New("its compressed PTX is broken")
	out := make([]byte, 0, size)
	length := func(n int) (int, bool) {
		if n != 15 {
			return n, true
		}
		for len(in) > 0 {
			b := in[0]
			in = in[1:]
			n += int(b)
			if b != 255 {
				return n, n <= size
			}
		}
		return 0, false
	}
	for len(in) > 0 {
		token := in[0]
		in = in[1:]
		literals, ok := length(int(token >> 4))
		if !ok || literals > len(in) || len(out)+literals > size {
			return nil, broken
		}
		out = append(out, in[:literals]...)
		if in = in[literals:]; len(in) == 0 {
			break
		}
		if len(in) < 2 {
			return nil, broken
		}
		distance := int(binary.LittleEndian.Uint16(in))
		in = in[2:]
		match, ok := length(int(token & 15))
		if match += 4; !ok || distance == 0 || distance > len(out) || len(out)+match > size {
			return nil, broken
		}
		for range match {
			out = append(out, out[len(out)-distance])
		}
	}
	return out, nil
}
