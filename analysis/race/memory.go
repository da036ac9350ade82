package race

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Memory says what a buffer holds when the launch of a witness begins. Each element is drawn by its
// place, so the interpreter and the simulator begin with the same.
type Memory struct {
	Seed  uint64 `json:"seed"`
	Width int    `json:"width"` // bytes of an element: 1, 2, 4 or 8
	// Values are what three elements in four hold, any of them; without values it is none.
	Values []int64 `json:"values,omitempty"`
	// Below is more than what the other elements hold; 0 if they hold any number.
	Below uint64 `json:"below"`
	// Float is set where elements, of 4 or 8 bytes, are floating-point numbers below a number, of which one in eight is 0.
	Float bool `json:"float,omitempty"`
	// Down is set where an element holds its own number, or that of one before it, as the parents in a forest do.
	Down bool `json:"down,omitempty"`
	// Step is how much more each element holds than the one before it, as offsets of segments of one length do; 0 if
	// they do not ascend.
	Step uint64 `json:"step,omitempty"`
	// Zero lists places that hold zero: counters, flags and locks.
	Zero []Stripe `json:"zero,omitempty"`
	// Words are those that hold certain numbers.
	Words []Word `json:"words,omitempty"`
	// Start is where the parameter points, in bytes from the beginning of what is drawn.
	Start int64 `json:"start,omitempty"`
}

// Stripe is every Modulus bytes, from Remainder on, so many bytes.
type Stripe struct {
	Modulus   int64 `json:"modulus"`
	Remainder int64 `json:"remainder"`
	Size      int64 `json:"size"`
}

// Word is a number at an offset in bytes from the beginning of what is drawn, of so many bytes.
type Word struct {
	Offset int64 `json:"offset"`
	Size   int64 `json:"size"`
	Value  int64 `json:"value"`
	// Float is set where the bits of the value are those of a floating-point number.
	Float bool `json:"float,omitempty"`
}

func (w Word) String() string {
	number := fmt.Sprint(w.Value)
	switch {
	case w.Float && w.Size == 4:
		number = fmt.Sprint(math.Float32frombits(uint32(w.Value)))
	case w.Float && w.Size == 8:
		number = fmt.Sprint(math.Float64frombits(uint64(w.Value)))
	}
	return fmt.Sprintf("%s at byte %d", number, w.Offset)
}

// Fill writes what memory holds from an offset on, in bytes from where the parameter points.
func (m Memory) Fill(offset int64, data []byte) {
	offset += m.Start
	width := int64(m.Width)
	for i := 0; i < len(data); {
		within := ((offset+int64(i))%width + width) % width
		x := m.element(offset + int64(i) - within)
		for k := within; k < width && i < len(data); k++ {
			data[i] = byte(x >> (8 * k))
			i++
		}
	}
	for _, z := range m.Zero {
		end := int64(len(data))
		for at := (z.Remainder-offset)%z.Modulus - z.Modulus; at < end; at += z.Modulus {
			clear(data[min(max(at, 0), end):min(max(at+z.Size, 0), end)])
		}
	}
	for _, w := range m.Words {
		w.Put(offset, data)
	}
}

// Put writes what of a word lies in the data from an offset on.
func (w Word) Put(offset int64, data []byte) {
	for i := range w.Size {
		if at := w.Offset + i - offset; at >= 0 && at < int64(len(data)) {
			data[at] = byte(w.Value >> (8 * i))
		}
	}
}

func (m Memory) element(offset int64) uint64 {
	if m.Step > 0 {
		return m.Step * uint64(max(offset/int64(m.Width), 0))
	}
	x := mix(m.Seed ^ mix(uint64(offset)))
	if m.Down {
		own := max(offset/int64(m.Width), 0)
		if x%2 == 0 {
			return uint64(own)
		}
		return x >> 1 % uint64(own+1)
	}
	if m.Float {
		const parts, zeros = 64, 8
		number := float64(x/zeros%(parts*max(m.Below, 1))) / parts
		if x%zeros == 0 {
			number = 0
		}
		if m.Width == 4 {
			return uint64(math.Float32bits(float32(number)))
		}
		return math.Float64bits(number)
	}
	if n := uint64(len(m.Values)); n > 0 {
		if x%4 != 0 {
			return uint64(m.Values[(x>>2)%n])
		}
		x >>= 2
	}
	if m.Below != 0 {
		x %= m.Below
	}
	return x
}

// mix scrambles 64 bits (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Contents says where memory must hold certain values, in a sentence without its end; empty if any small
// numbers do.
func (w *Witness) Contents() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(w.Memory)) {
		if m := w.Memory[name]; len(m.Values) > 0 {
			parts = append(parts, fmt.Sprintf("each element of `%s` is one of %s, or another number below %d", name, m.list(), m.Below))
		} else if m.Down {
			parts = append(parts, fmt.Sprintf("each element of `%s` is its own index, or a smaller one", name))
		}
		if m := w.Memory[name]; m.Step > 0 {
			parts = append(parts, fmt.Sprintf("the elements of `%s` ascend by %d", name, m.Step))
		}
		var words []string
		for all := w.Memory[name].Words; len(all) > 0; {
			n := alike(all)
			if words = append(words, all[0].String()); n > 1 {
				words[len(words)-1] = fmt.Sprintf("%s and in each of the %d elements behind it", words[len(words)-1], n-1)
			}
			all = all[n:]
		}
		if len(words) > 0 {
			parts = append(parts, fmt.Sprintf("`%s` holds %s", name, strings.Join(words, ", ")))
		}
	}
	return strings.Join(parts, "; ")
}

// alike is how many words hold what the first one does, each next to the one before.
func alike(all []Word) int {
	n := 1
	for n < len(all) {
		next := all[n]
		next.Offset -= int64(n) * all[0].Size
		if next != all[0] {
			break
		}
		n++
	}
	return n
}

func (m Memory) list() string {
	values := make([]string, len(m.Values))
	for i, v := range slices.Sorted(slices.Values(m.Values)) {
		values[i] = fmt.Sprint(v)
	}
	return strings.Join(values, ", ")
}
