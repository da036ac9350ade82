// This file defines vprintf, which device code calls for printf.

package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
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
	i, spec, bytes := 1, "%", 4
scan:
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '*':
			v := p.next(4)
			spec += fmt.Sprint(int32(v))
			continue
		case c == 'l' || c == 'z' || c == 'j' || c == 't' || c == 'q':
			bytes = 8
			continue
		case c == 'h':
			bytes /= 2
			continue
		case c == 'L':
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
	return p.convert(spec, text[i], bytes, text[:i+1]), i + 1
}

// convert formats one argument, of an integer so many bytes.
func (p *printer) convert(spec string, verb byte, bytes int, original string) string {
	switch verb {
	case 'd', 'i', 'u', 'x', 'X', 'o':
		unused := 64 - 8*max(bytes, 1)
		v := p.next(max(bytes, 4)) << unused
		if verb == 'd' || verb == 'i' {
			return fmt.Sprintf(spec+"d", int64(v)>>unused)
		}
		return formatUnsigned(spec, verb, v>>unused)
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

// formatUnsigned differs from Go's formatting where C's does.
func formatUnsigned(spec string, verb byte, v uint64) string {
	spec = strings.NewReplacer("+", "", " ", "").Replace(spec)
	if verb == 'u' {
		verb = 'd'
	}
	if v == 0 {
		spec = strings.Replace(spec, "#", "", 1)
	}
	text := fmt.Sprintf(spec+string(verb), v)
	if at := strings.IndexAny(text, "xX"); at >= 0 && !hasPrecision(spec) && strings.HasPrefix(text[at+1:], "00") { // Go fills up the digits, C all of it
		text = text[:at+1] + text[at+3:]
	}
	return text
}

// formatFloat differs from Go's formatting where C's does.
func formatFloat(spec string, verb byte, v float64) string {
	switch {
	case v != v || math.IsInf(v, 0):
		text := strings.TrimPrefix(strings.ToLower(fmt.Sprint(v)), "+")
		if verb < 'a' {
			text = strings.ToUpper(text)
		}
		width, _, _ := strings.Cut(strings.Replace(spec, "%0", "%", 1), ".") // neither zeros nor digits
		return fmt.Sprintf(width+"s", text)
	case verb == 'a' || verb == 'A':
		text := fmt.Sprintf(spec+string(verb+('x'-'a')), v)
		if at := strings.LastIndexAny(text, "+-"); at > 0 && text[at+1] == '0' { // Go gives the exponent two digits
			text = text[:at+1] + text[at+2:]
		}
		return text
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
