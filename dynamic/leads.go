// This file makes memory for the pointers that lie in the memory of a kernel that runs alone.

package dynamic

import (
	"encoding/binary"

	"github.com/warplint/warplint/dynamic/sim"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// Each pointer leads to memory of its own, as tables of rows and lists of objects have it: so many of a table, each to so many
// bytes, of which so many are filled, by how many pointers one has followed. Behind the last there are null pointers, where
// lists end.
var leads = [...]struct{ most, room, filled uint64 }{
	{1024, 64 << 10, 4 << 10},
	{4, 16 << 10, 1 << 10},
	{1, 4 << 10, 256},
}

// maxLeads bounds the pointers of a launch that lead somewhere.
const maxLeads = 1 << 13

// piece is a part of memory, in bytes.
type piece struct{ address, size uint64 }

// lead makes the pointers in some memory lead somewhere, unless they do.
func (l *layout) lead(from []piece, shape *toolchain.Shape, name string, depth int) error {
	if shape == nil {
		return nil
	}
	if err := l.makeUpMaps(from, shape, name); err != nil {
		return err
	}
	for _, p := range shape.Pointers {
		pointers, err := l.pointers(from, shape, p.Offset, depth)
		if err != nil {
			return err
		}
		if depth == len(leads) || l.led+len(pointers) > maxLeads {
			continue // all null
		}
		l.led += len(pointers)
		led, err := l.furnish(pointers, name+"[]"+p.Path, depth)
		if err != nil {
			return err
		}
		if err := l.lead(led, p.To, name+"[]"+p.Path, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// maxMapsLed is how many elements of a type get tensor maps that are made up.
const maxMapsLed = 8

// makeUpMaps puts tensor maps into some memory, each of a tensor of its own.
func (l *layout) makeUpMaps(from []piece, shape *toolchain.Shape, name string) error {
	for _, m := range from {
		for i := range min(m.size/uint64(shape.Size), maxMapsLed) {
			for _, x := range shape.Maps {
				if l.led == maxLeads {
					return nil
				}
				l.led++
				address, err := l.ample(name + "[]" + x.Path)
				if err != nil {
					return err
				}
				to, err := l.device.Bytes(m.address+i*uint64(shape.Size)+uint64(x.Offset), uint64(x.Size))
				if err != nil {
					return err
				}
				copy(to, sim.MadeUpTensorMap(address))
			}
		}
	}
	return nil
}

// pointers lists those at an offset of a type that lead nowhere yet, and makes the others of its elements null.
func (l *layout) pointers(from []piece, shape *toolchain.Shape, offset, depth int) (out [][]byte, err error) {
	most := uint64(0)
	if depth < len(leads) {
		most = max(leads[depth].most/uint64(len(shape.Pointers)), 1)
	}
	for _, m := range from {
		bytes, err := l.device.Bytes(m.address, m.size)
		if err != nil {
			return nil, err
		}
		for i := range m.size / uint64(shape.Size) {
			at := bytes[i*uint64(shape.Size)+uint64(offset):][:8]
			if _, err := l.device.Bytes(binary.LittleEndian.Uint64(at), 1); err == nil {
				continue
			}
			if clear(at); i < most {
				out = append(out, at)
			}
		}
	}
	return out, nil
}

// furnish makes each pointer lead to memory of its own, which holds what that of parameters does: zeros, or small numbers.
func (l *layout) furnish(pointers [][]byte, name string, depth int) (led []piece, err error) {
	if len(pointers) == 0 {
		return nil, nil
	}
	x, reach := leads[depth], uint64(0)
	if l.run.options.Kernel.Ample {
		reach = leadReach
	}
	address, stride, err := l.device.MallocApart(len(pointers), x.room, reach, name)
	if err != nil {
		return nil, err
	}
	for _, at := range pointers {
		binary.LittleEndian.PutUint64(at, address)
		if l.run.fills() {
			bytes, err := l.device.Bytes(address, x.filled)
			if err != nil {
				return nil, err
			}
			fillRandom(bytes, l.run.seed)
		}
		led = append(led, piece{address, x.filled})
		address += stride
	}
	return led, nil
}
