// This file defines vprintf, which device code calls for printf.

package sim

import (
	"encoding/binary"
	"fmt"
	"math"
)

// builtinPrintf is "int vprintf(const char *format, void *arguments)".
func builtinPrintf(w *warp, call *callSite, m uint32) {
	w.need(call, m, "vprintf", 2)
	forLanes(m, func(lane int) {
		format, ok := w.text(w.argument(call, 0, lane), lane)
		if !ok {
			w.fault(OutOfBounds, lane, "printf with a format that can't be read")
		}
		p := printer{w: w, lane: lane, at: w.argument(call, 1, lane)}
		fmt.Fprint(w.block.launch.output, p.print(format))
		w.result(call, lane, uint64(uint32(p.count)))
	})
}

// printer formats as C's printf does. Arguments lie one after the other, each aligned to its
// size: ints, and doubles, pointers and long longs of eight bytes.
type printer struct {
	w     *warp
	lane  int
	at    uint64
	count int
}

func (p *printer) next(size int) uint64 {
	p.at = (p.at + uint64(size) - 1) &^ uint64(size-1)
	b, ok := p.w.peek(p.at, size, p.lane)
	p.at += uint64(size)
	p.count++
	if !ok {
		return 0
	}
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func (p *printer) print(format string) string {
	var out []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			out = append(out, format[i])
			continue
		}
		if i+1 < len(format) && format[i+1] == '%' {
			out = append(out, '%')
			i++
			continue
		}
		text, n := p.directive(format[i:])
		out = append(out, text...)
		i += n - 1
	}
	return string(out)
}

// directive formats one conversion and says how long it is; what is none stays as it is.
func (p *printer) directive(text string) (string, int) {
	i, spec, long := 1, "%", false
scan:
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '*':
			v := p.next(4)
			spec += fmt.Sprint(int32(v))
			continue
		case c == 'l' || c == 'z' || c == 'j' || c == 't':
			long = true
			continue
		case c == 'h' || c == 'L' || c == 'q':
			long = long || c == 'q'
			continue
		case c == '-' || c == '+' || c == ' ' || c == '#' || c == '.' || c >= '0' && c <= '9':
			spec += string(c)
			continue
		}
		break scan
	}
	if i >= len(text) {
		return text, len(text)
	}
	return p.convert(spec, text[i], long, text[:i+1]), i + 1
}

func (p *printer) convert(spec string, verb byte, long bool, original string) string {
	size := 4
	if long {
		size = 8
	}
	switch verb {
	case 'd', 'i':
		v := p.next(size)
		if !long {
			v = uint64(int64(int32(v)))
		}
		return fmt.Sprintf(spec+"d", int64(v))
	case 'u':
		v := p.next(size)
		return fmt.Sprintf(spec+"d", v)
	case 'x', 'X', 'o':
		v := p.next(size)
		return fmt.Sprintf(spec+string(verb), v)
	case 'c':
		v := p.next(4)
		return fmt.Sprintf(spec+"s", string([]byte{byte(v)}))
	case 'p':
		v := p.next(8)
		if v == 0 {
			return fmt.Sprintf(spec+"s", "(nil)") // as the C library of Linux does
		}
		return fmt.Sprintf(spec+"s", fmt.Sprintf("%#x", v))
	case 's':
		v := p.next(8)
		if v == 0 {
			return fmt.Sprintf(spec+"s", "(null)")
		}
		s, ok := p.w.text(v, p.lane)
		if !ok {
			p.w.fault(OutOfBounds, p.lane, "printf with a string at %#x that can't be read", v)
		}
		return fmt.Sprintf(spec+"s", s)
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		v := p.next(8)
		return formatFloat(spec, verb, math.Float64frombits(v))
	}
	return original
}

// formatFloat differs from Go's formatting where C's does.
func formatFloat(spec string, verb byte, v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case v != v:
		return "nan"
	case verb == 'a' || verb == 'A':
		return fmt.Sprintf(spec+string(verb+('x'-'a')), v)
	case (verb == 'g' || verb == 'G') && !hasPrecision(spec):
		spec += ".6"
	}
	return fmt.Sprintf(spec+string(verb), v)
}

func hasPrecision(spec string) bool {
	for _, c := range spec {
		if c == '.' {
			return true
		}
	}
	return false
}
