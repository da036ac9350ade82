// This file loads modules: it places their variables in device memory and finds their kernels.

package sim

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/ptx"
)

// Module is a PTX module with its variables placed in a device's memory.
type Module struct {
	device    *Device
	source    *ptx.Module
	variables map[string]*segment
	kernels   map[string]*Kernel
	numbers   map[string]int // of functions, which make their addresses
}

// Kernel is an entry point of a loaded module.
type Kernel struct {
	Name       string
	Parameters []Parameter
	Attributes Attributes
	program    *program
}

// SyncsGrid reports whether the kernel may have a barrier of the whole grid, which takes a cooperative launch.
func (k *Kernel) SyncsGrid() bool { return k.program.syncsGrid }

// Parameter is one kernel parameter: its place in the argument bytes of a launch.
type Parameter struct {
	Offset, Size int // bytes
}

// Attributes is what a runtime can ask about a kernel. Units: bytes and threads.
type Attributes struct {
	SharedSize, LocalSize, ConstSize, ParameterSize int
	Registers                                       int // 32-bit registers per thread: virtual ones, at most 255
	MaxThreads                                      int // per block
	RequiredCluster                                 race.Dim3
}

// Load places a module's variables in device memory, initialised. It fails if memory runs out
// or an initialiser names a symbol that does not exist.
func (d *Device) Load(m *ptx.Module) (*Module, error) {
	loaded := &Module{
		device: d, source: m,
		variables: map[string]*segment{}, kernels: map[string]*Kernel{}, numbers: map[string]int{},
	}
	for i, f := range m.Functions {
		loaded.numbers[f.Name] = i
	}
	variables := append([]*ptx.Variable(nil), m.Variables...)
	for _, f := range m.Functions {
		variables = append(variables, f.Locals...)
	}
	for _, v := range variables {
		if err := loaded.place(v); err != nil {
			return nil, err
		}
	}
	for _, v := range variables {
		if err := loaded.resolve(v); err != nil {
			return nil, err
		}
	}
	return loaded, nil
}

// place gives a global or constant variable its memory.
func (m *Module) place(v *ptx.Variable) error {
	if v.Space != ptx.GlobalSpace && v.Space != ptx.ConstSpace || m.variables[v.Name] != nil {
		return nil
	}
	if v.Linkage == ptx.Extern {
		return nil
	}
	s, err := m.device.memory.allocate(uint64(v.Size), event.ModuleMemory, v.Name)
	if err != nil {
		return fmt.Errorf("variable %s: %w", v.Name, err)
	}
	copy(s.data, v.Init)
	m.variables[v.Name] = s
	m.device.allocated(s)
	return nil
}

// resolve writes the addresses that an initialiser takes.
func (m *Module) resolve(v *ptx.Variable) error {
	for _, r := range v.Refs {
		address, ok := m.address(r.Symbol)
		if !ok {
			return fmt.Errorf("PTX line %d: %s takes the address of %s, which is not defined", v.Line, v.Name, r.Symbol)
		}
		var bytes [8]byte
		binary.LittleEndian.PutUint64(bytes[:], address+uint64(r.Addend))
		if s := m.variables[v.Name]; s != nil && r.Offset+r.Size <= len(s.data) {
			copy(s.data[r.Offset:][:r.Size], bytes[r.Shift:])
		}
	}
	return nil
}

// address returns the generic address of a variable or function.
func (m *Module) address(symbol string) (uint64, bool) {
	if s := m.variables[symbol]; s != nil {
		return s.base, true
	}
	if n, ok := m.numbers[symbol]; ok {
		return codeWindow + 16*uint64(n), true
	}
	return 0, false
}

// Bind puts a variable where the host has one, before any kernel is translated: bytes, which get what the variable
// holds, at an address of the host.
func (m *Module) Bind(name string, address uint64, bytes []byte) error {
	s := m.variables[name]
	if s == nil || s.size != uint64(len(bytes)) {
		return fmt.Errorf("no variable %s of %d bytes in the module", name, len(bytes))
	}
	bound, err := m.device.memory.mapHost(address, bytes, name)
	if err != nil {
		return err
	}
	copy(bytes, s.data)
	bound.alloc.Kind = event.ModuleMemory
	if err := m.device.Free(s.base); err != nil {
		return err
	}
	m.variables[name] = bound
	m.device.allocated(bound)
	for _, v := range m.source.Variables {
		if err := m.resolve(v); err != nil { // some may hold its address
			return err
		}
	}
	return nil
}

// Kernels returns the names of all kernels in the order of the text.
func (m *Module) Kernels() []string {
	var names []string
	for _, f := range m.source.Functions {
		if f.Entry && f.Defined {
			names = append(names, f.Name)
		}
	}
	return names
}

// Kernel translates a kernel, once, with all functions that it calls. It fails, naming the
// line, if there is no such kernel or it holds something that can't be executed.
func (m *Module) Kernel(name string) (*Kernel, error) {
	if k := m.kernels[name]; k != nil {
		return k, nil
	}
	f := m.source.Function(name)
	if f == nil || !f.Entry || !f.Defined {
		return nil, fmt.Errorf("no kernel %s in the module", name)
	}
	p, err := translate(m, f)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	k := &Kernel{Name: name, program: p, Attributes: p.attributes()}
	for _, v := range f.Params {
		k.Parameters = append(k.Parameters, p.params[v.Name])
	}
	m.kernels[name] = k
	return k, nil
}

func (p *program) attributes() Attributes {
	a := Attributes{
		SharedSize: p.sharedStatic, ParameterSize: p.paramSize, LocalSize: p.entry.local,
		Registers:  min(p.entry.count32+2*p.entry.count64+1, 255),
		MaxThreads: 1024,
	}
	for _, limit := range [][3]int{p.kernel.MaxThreads, p.kernel.RequiredThreads} {
		if limit[0] > 0 {
			a.MaxThreads = min(a.MaxThreads, limit[0]*limit[1]*limit[2])
		}
	}
	if p.kernel.RequiredCluster[0] > 0 {
		a.RequiredCluster = race.Dim3(p.kernel.RequiredCluster)
	}
	return a
}

// dynamicShared is where dynamic shared memory begins.
func (p *program) dynamicShared() int { return p.sharedStatic }

// sharedVariables are those of a launch with so many bytes of dynamic shared memory. Under several names
// it has none of them.
func (p *program) sharedVariables(dynamic int) []event.Variable {
	if dynamic == 0 || len(p.dynamicNames) != 1 {
		return p.sharedVar
	}
	return append(slices.Clip(p.sharedVar), event.Variable{Name: p.dynamicNames[0], Offset: p.dynamicShared(), Size: dynamic})
}

// Variable returns the address and size in bytes of a __device__ or __constant__ variable. A static one has its name,
// too, which clang mangles and NVIDIA's compilers do not.
func (m *Module) Variable(name string) (addr, size uint64, ok bool) {
	for _, symbol := range []string{name, fmt.Sprintf("_ZL%d%s", len(name), name)} {
		if s := m.variables[symbol]; s != nil {
			return s.base, s.size, true
		}
	}
	return 0, 0, false
}
