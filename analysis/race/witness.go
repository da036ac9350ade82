package race

// This file defines what shows a race: a launch, two threads, and what the launch is called with.

import (
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/source"
)

// Thread is one thread of a launch.
type Thread struct {
	Block  Dim3 `json:"block"`
	Thread Dim3 `json:"thread"`
}

// Witness is a concrete launch in which two threads meet. It was replayed before it is shown.
type Witness struct {
	Grid, Block   Dim3
	Cluster       Dim3 // in blocks, where the launch says so; zero as the kernel demands
	First, Second Thread
	Parameters    map[string]int64   // integer parameters, by name; 0 for a null pointer
	Floats        map[string]float64 // floating-point parameters that the race hangs on; any others will do
	// Pointers has the pointer parameters that lead into another one's memory or into a variable,
	// by name; every other one has memory of its own.
	Pointers map[string]Pointer
	// Memory is what the memory of pointer parameters holds, by name; zeros where it says nothing.
	Memory map[string]Memory
	Launch source.Span // the launch that it is about; zero if assumed
}

// Values are the scalar parameters as text, by name. Floating-point numbers have a point or an exponent, or
// are +Inf, -Inf or NaN.
func (w *Witness) Values() map[string]string {
	out := map[string]string{}
	for name, x := range w.Parameters {
		out[name] = strconv.FormatInt(x, 10)
	}
	for name, x := range w.Floats {
		text := strconv.FormatFloat(x, 'g', -1, 64)
		if !strings.ContainsAny(text, ".eIN") {
			text += ".0"
		}
		out[name] = text
	}
	return out
}

// Pointer says where a pointer parameter of a launch points.
type Pointer struct {
	To     string // another parameter, or a __device__ variable
	Offset int64  // bytes
}
