package race

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// What memory holds does not depend on the pieces in which it is filled, nor on where a pointer into it
// begins.
func TestMemoryInPieces(t *testing.T) {
	m := Memory{Seed: 7, Width: 4, Values: []int64{-1, 300}, Below: 64, Zero: []Stripe{{Modulus: 16, Remainder: 4, Size: 4}}}
	whole := make([]byte, 256)
	m.Fill(-64, whole)
	for _, step := range []int{1, 3, 8, 50} {
		var pieces []byte
		for at := 0; at < len(whole); at += step {
			piece := make([]byte, min(step, len(whole)-at))
			m.Fill(int64(at-64), piece)
			pieces = append(pieces, piece...)
		}
		if !bytes.Equal(whole, pieces) {
			t.Errorf("in pieces of %d bytes it is other memory", step)
		}
	}
	inside := m
	inside.Start = 6
	part := make([]byte, 100)
	inside.Fill(-70, part)
	if !bytes.Equal(whole[:100], part) {
		t.Error("a pointer with an offset sees other memory")
	}
}

// Elements are the values, numbers below the limit, or zeros where there must be some.
func TestMemoryElements(t *testing.T) {
	m := Memory{Seed: 3, Width: 2, Values: []int64{-5, 700}, Below: 8, Zero: []Stripe{{Modulus: 10, Remainder: 8, Size: 2}}}
	data := make([]byte, 4000)
	m.Fill(0, data)
	count := map[int16]int{}
	for i := 0; i < len(data); i += 2 {
		x := int16(uint16(data[i]) | uint16(data[i+1])<<8)
		count[x]++
		if i%10 == 8 && x != 0 {
			t.Fatalf("%d at byte %d, where zero should be", x, i)
		}
		if !slices.Contains(m.Values, int64(x)) && (x < 0 || x >= 8) {
			t.Fatalf("%d at byte %d", x, i)
		}
	}
	if count[-5] < 300 || count[700] < 300 || count[0] < 400 || count[3] == 0 {
		t.Errorf("drawn so often: %v", count)
	}
}

func TestWords(t *testing.T) {
	m := Memory{Width: 4, Below: 1, Start: 2, Words: []Word{{Offset: 4, Size: 4, Value: 0x04030201}}}
	data := make([]byte, 5)
	m.Fill(3, data) // begins at byte 5 of what is drawn
	if want := []byte{2, 3, 4, 0, 0}; !slices.Equal(data, want) {
		t.Errorf("got %v, want %v", data, want)
	}
}

func TestFloatsAreNumbers(t *testing.T) {
	m := Memory{Seed: 5, Width: 4, Float: true, Below: 16}
	data := make([]byte, 4*100)
	m.Fill(0, data)
	differ := map[float32]bool{}
	for i := range 100 {
		x := math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if x < 0 || x >= 16 {
			t.Errorf("element %d is %g", i, x)
		}
		differ[x] = true
	}
	if len(differ) < 50 {
		t.Errorf("%d different elements", len(differ))
	}
}
