// This file defines the functions that PTX may call without defining them: those of the CUDA
// runtime system (printf, assert, malloc, free), of the math library that clang calls libdevice,
// and one of our own.
//
//	.func __warplint_grid_sync()	barrier of all threads of a cooperative launch

package sim

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/warplint/warplint/dynamic/event"
)

type builtin = func(w *warp, call *callSite, m uint32)

// builtins finds a function by name, nil if there is none.
func builtins(name string) builtin {
	switch name {
	case "vprintf":
		return builtinPrintf
	case "malloc":
		return builtinMalloc
	case "free":
		return builtinFree
	case "__assertfail":
		return builtinAssert
	case "__warplint_grid_sync":
		return gridBarrier
	}
	return mathBuiltin(name)
}

// argument reads a lane's argument of a call.
func (w *warp) argument(call *callSite, i, lane int) uint64 {
	s := call.arguments[i]
	return w.readLocal(uint64(w.frame.local+s.offset), min(s.size, 8), lane)
}

// result writes a lane's result of a call.
func (w *warp) result(call *callSite, lane int, v uint64) {
	if len(call.results) > 0 {
		s := call.results[0]
		w.writeLocal(uint64(w.frame.local+s.offset), min(s.size, 8), lane, v)
	}
}

// need checks a call that the text may have declared as it likes.
func (w *warp) need(call *callSite, m uint32, name string, arguments int) {
	if len(call.arguments) < arguments {
		w.fault(Invalid, laneOf(m), "%s with %d arguments", name, len(call.arguments))
	}
}

// peek reads n bytes at a generic address that a lane gave; false if they are not all readable.
func (w *warp) peek(a uint64, n, lane int) ([]byte, bool) {
	out := make([]byte, n)
	for i := range out {
		at := a + uint64(i)
		switch at >> 32 {
		case localWindow >> 32:
			offset := at - localWindow
			if offset >= uint64(w.top) {
				return nil, false
			}
			out[i] = byte(w.readLocal(offset, 1, lane))
			continue
		case sharedWindow >> 32:
			var win window
			if !w.sharedWindow(&win, sharedWindow, at) || at-win.base >= win.size {
				return nil, false
			}
			out[i] = byte(readBytes(pointerAt(&win, at), 1))
			continue
		}
		s := w.block.launch.device.memory.find(at)
		if s == nil || s.data == nil || at-s.base >= uint64(len(s.data)) {
			return nil, false
		}
		out[i] = s.data[at-s.base]
	}
	return out, true
}

// text reads a string that ends with a zero byte, of at most 4096 bytes.
func (w *warp) text(a uint64, lane int) (string, bool) {
	var out []byte
	for len(out) < 4096 {
		b, ok := w.peek(a+uint64(len(out)), 1, lane)
		if !ok {
			return "", false
		}
		if b[0] == 0 {
			break
		}
		out = append(out, b[0])
	}
	return string(out), true
}

// builtinPrintf is "int vprintf(const char *format, void *arguments)".
func builtinPrintf(w *warp, call *callSite, m uint32) {
	w.need(call, m, "vprintf", 2)
	forLanes(m, func(lane int) {
		format, ok := w.text(w.argument(call, 0, lane), lane)
		if !ok {
			w.fault(OutOfBounds, lane, "printf with a format that can't be read")
		}
		p := printer{w: w, lane: lane, at: w.argument(call, 1, lane)}
		fmt.Fprint(w.block.launch.device.config.Output, p.print(format))
		w.result(call, lane, uint64(uint32(p.count)))
	})
}

// builtinAssert is "void __assertfail(const char *message, const char *file, unsigned line,
// const char *function, size_t charsize)".
func builtinAssert(w *warp, call *callSite, m uint32) {
	w.need(call, m, "__assertfail", 4)
	lane := laneOf(m)
	message, _ := w.text(w.argument(call, 0, lane), lane)
	file, _ := w.text(w.argument(call, 1, lane), lane)
	line := uint32(w.argument(call, 2, lane))
	function, _ := w.text(w.argument(call, 3, lane), lane)
	t := w.block.launch.event.Thread(w.block.index, w.index, lane)
	fmt.Fprintf(w.block.launch.device.config.Output,
		"%s:%d: %s: block: [%d,%d,%d], thread: [%d,%d,%d] Assertion `%s` failed.\n", file, line, function,
		t.Block[0], t.Block[1], t.Block[2], t.Thread[0], t.Thread[1], t.Thread[2], message)
	w.fault(Assertion, lane, "%s:%d: %s: %s", file, line, function, message)
}

// builtinMalloc gives each lane memory of its own, or null when the heap is full.
func builtinMalloc(w *warp, call *callSite, m uint32) {
	w.need(call, m, "malloc", 1)
	d := w.block.launch.device
	forLanes(m, func(lane int) {
		size := w.argument(call, 0, lane)
		if size == 0 || d.heapUsed+size > d.config.HeapLimit || size > d.config.HeapLimit {
			w.result(call, lane, 0)
			return
		}
		s, err := d.memory.allocate(size, event.KernelHeap, "")
		if err != nil {
			w.result(call, lane, 0)
			return
		}
		d.heapUsed += size
		d.allocated(s)
		w.result(call, lane, s.base)
	})
}

func builtinFree(w *warp, call *callSite, m uint32) {
	w.need(call, m, "free", 1)
	d := w.block.launch.device
	forLanes(m, func(lane int) {
		a := w.argument(call, 0, lane)
		if a == 0 {
			return
		}
		s := d.memory.find(a)
		if s == nil || s.alloc.Kind != event.KernelHeap {
			w.fault(Invalid, lane, "free of %#x, which malloc did not give", a)
		}
		if _, err := d.memory.release(a); err != nil {
			w.fault(UseAfterFree, lane, "free: %v", err)
		}
		d.heapUsed -= s.size
		if d.config.Listener != nil {
			d.config.Listener.Free(s.alloc)
		}
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

func (p *printer) next(size int) (uint64, bool) {
	p.at = (p.at + uint64(size) - 1) &^ uint64(size-1)
	b, ok := p.w.peek(p.at, size, p.lane)
	p.at += uint64(size)
	p.count++
	if !ok {
		return 0, false
	}
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(b)), true
	}
	return binary.LittleEndian.Uint64(b), true
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
			v, _ := p.next(4)
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
		v, _ := p.next(size)
		if !long {
			v = uint64(int64(int32(v)))
		}
		return fmt.Sprintf(spec+"d", int64(v))
	case 'u':
		v, _ := p.next(size)
		return fmt.Sprintf(spec+"d", v)
	case 'x', 'X', 'o':
		v, _ := p.next(size)
		return fmt.Sprintf(spec+string(verb), v)
	case 'c':
		v, _ := p.next(4)
		return fmt.Sprintf(spec+"s", string([]byte{byte(v)}))
	case 'p':
		v, _ := p.next(8)
		return fmt.Sprintf(spec+"s", fmt.Sprintf("%#x", v))
	case 's':
		v, _ := p.next(8)
		s, ok := p.w.text(v, p.lane)
		if !ok {
			p.w.fault(OutOfBounds, p.lane, "printf with a string at %#x that can't be read", v)
		}
		return fmt.Sprintf(spec+"s", s)
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		v, _ := p.next(8)
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

// mathBuiltin finds __nv_sinf and its kin. They are computed in double precision.
func mathBuiltin(name string) builtin {
	if f := mathUnary[name]; f != nil {
		return func(w *warp, call *callSite, m uint32) {
			w.need(call, m, name, 1)
			forLanes(m, func(lane int) {
				w.floatResult(call, lane, f(w.floatArgument(call, 0, lane)))
			})
		}
	}
	if f := mathBinary[name]; f != nil {
		return func(w *warp, call *callSite, m uint32) {
			w.need(call, m, name, 2)
			forLanes(m, func(lane int) {
				w.floatResult(call, lane, f(w.floatArgument(call, 0, lane), w.floatArgument(call, 1, lane)))
			})
		}
	}
	return nil
}

func (w *warp) floatArgument(call *callSite, i, lane int) float64 {
	v := w.argument(call, i, lane)
	if call.arguments[i].size == 4 {
		return float64(f32(uint32(v)))
	}
	return f64(v)
}

func (w *warp) floatResult(call *callSite, lane int, v float64) {
	if len(call.results) > 0 && call.results[0].size == 4 {
		w.result(call, lane, uint64(bits32(float32(v))))
		return
	}
	w.result(call, lane, bits64(v))
}

var mathUnary, mathBinary = map[string]func(x float64) float64{}, map[string]func(x, y float64) float64{}

func init() {
	unary := map[string]func(float64) float64{
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos,
		"atan": math.Atan, "sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh,
		"acosh": math.Acosh, "atanh": math.Atanh, "exp": math.Exp, "exp2": math.Exp2, "expm1": math.Expm1,
		"exp10": func(x float64) float64 { return math.Pow(10, x) }, "log": math.Log, "log2": math.Log2,
		"log10": math.Log10, "log1p": math.Log1p, "logb": math.Logb, "sqrt": math.Sqrt, "cbrt": math.Cbrt,
		"rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
		"rcbrt": func(x float64) float64 { return 1 / math.Cbrt(x) },
		"erf":   math.Erf, "erfc": math.Erfc, "erfinv": math.Erfinv, "erfcinv": math.Erfcinv,
		"tgamma": math.Gamma, "lgamma": func(x float64) float64 { v, _ := math.Lgamma(x); return v },
		"ceil": math.Ceil, "floor": math.Floor, "trunc": math.Trunc, "rint": math.RoundToEven,
		"nearbyint": math.RoundToEven, "round": math.Round, "fabs": math.Abs,
		"sinpi": func(x float64) float64 { return math.Sin(math.Pi * math.Mod(x, 2)) },
		"cospi": func(x float64) float64 { return math.Cos(math.Pi * math.Mod(x, 2)) },
		"j0":    math.J0, "j1": math.J1, "y0": math.Y0, "y1": math.Y1,
		"normcdf": func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 },
	}
	binary := map[string]func(x, y float64) float64{
		"pow": math.Pow, "atan2": math.Atan2, "fmod": math.Mod, "hypot": math.Hypot,
		"remainder": math.Remainder, "fdim": math.Dim, "copysign": math.Copysign,
		"fmin": func(x, y float64) float64 { return f64(min64(math.Float64bits(x), math.Float64bits(y))) },
		"fmax": func(x, y float64) float64 { return f64(max64(math.Float64bits(x), math.Float64bits(y))) },
	}
	for name, f := range unary {
		mathUnary["__nv_"+name], mathUnary["__nv_"+name+"f"] = f, f
	}
	for name, f := range binary {
		mathBinary["__nv_"+name], mathBinary["__nv_"+name+"f"] = f, f
	}
	for _, name := range []string{"sin", "cos", "tan", "exp", "log", "log2", "log10", "exp10"} {
		mathUnary["__nv_fast_"+name+"f"] = unary[name]
	}
	mathBinary["__nv_fast_powf"] = math.Pow
}
