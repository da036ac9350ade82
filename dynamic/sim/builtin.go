// This file defines the functions that PTX may call without defining them: those of the CUDA
// runtime system (printf, assert, malloc, free), of the math library that clang calls libdevice,
// and ours, some of which are in children.go.
//
//	.func __warplint_grid_sync()	barrier of all threads of a cooperative launch

package sim

import (
	"fmt"

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
	case "__warplint_launch":
		return builtinLaunch
	case "__warplint_last_error":
		return builtinLastError
	case "__warplint_new_stream":
		return builtinNewStream
	case "__warplint_event":
		return builtinEvent
	case "__warplint_wait_for_children":
		return builtinWaitForChildren
	}
	return mathLibrary(name)
}

// undefined stops the launch: only a call of such a function matters.
func undefined(name string) builtin {
	return func(w *warp, call *callSite, m uint32) {
		w.fault(Invalid, laneOf(m), "call of %s, which is not defined", name)
	}
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
	fmt.Fprintf(w.block.launch.output,
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
