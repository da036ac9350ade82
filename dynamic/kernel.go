// This file runs one kernel alone, on buffers that stand in for the host program's.

package dynamic

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/cudart"
	"github.com/warplint/warplint/dynamic/ptx"
	"github.com/warplint/warplint/dynamic/sim"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// KernelRun is a launch without a host program.
type KernelRun struct {
	Name        string // as written in the source, or as PTX has it
	Grid, Block race.Dim3
	Cluster     race.Dim3 // in blocks; zero as the kernel demands, else one block
	Shared      int       // bytes of dynamic shared memory
	// Only has the linear numbers of the blocks that run in all schedules but each fourth; nil for all, and clusters run all.
	// The others may come into a launch later than these have ended, so it is one that can happen.
	Only []int
	// Args gives parameters by name, or by number from 0:
	//
	//	64, -1, 2.5    a number, as the parameter's type has it; where that is not known, 2.5 is a floating-point number of the
	//	               parameter's size, 64 an integer
	//	buf:BYTES      the address of a buffer, filled from the seed
	//	zero:BYTES     the address of a buffer of zeros
	//	file:PATH      the address of a buffer with a file's content
	//	map:           a tensor map that is made up, which is what one without a value gets
	//	at:NAME+BYTES  where another parameter or a __device__ variable points, and so many bytes on
	//
	// In buffers but those of files, pointers lead to memory of their own (leads.go).
	Args map[string]string
	// Memory is what the memory that Ample makes for a pointer parameter holds, or a __device__ variable, by name.
	Memory map[string]race.Memory
	// Ample gives a value to parameters that have none: a pointer leads into the middle of a
	// large buffer, of what Memory says, else of zeros in two schedules of four, the first and the last, and of
	// small numbers in the others; numbers
	// of 4 bytes are 1.5, as no integer is without a value where a witness is run; all else is 0.
	Ample bool
	// Instances runs the instances of a template one after the other, some of them at least, not the first alone.
	Instances bool
}

// everyBlock is which schedules run all blocks: each fourth.
const everyBlock = 4

// maxInstances bounds the instances of a template that are run.
const maxInstances = 6

// defaultBuffer is what a pointer without a value points to, in bytes: nothing says how much
// the kernel expects.
const defaultBuffer = 1 << 20

// The buffer of a launch that is to be ample, in bytes: what lies before the pointer, what is
// filled with numbers on each side of it, and the whole. Untouched zeros cost nothing. Around it, and around what pointers in memory
// lead to, so much is blank, as indices grow with the sizes of a witness.
const (
	ampleBefore = 16 << 20
	ampleFilled = 1 << 20
	ampleBuffer = 128 << 20
	ampleReach  = 64 << 30
	leadReach   = 2 << 30
)

// prepareKernel compiles or reads the device code that has the kernel.
func prepareKernel(ctx context.Context, o *Options, dir string) (execution, []*toolchain.Module, error) {
	code := &deviceCode{options: o, dir: dir}
	execute, modules, err := code.prepare(ctx, o)
	if err == nil && o.Code != nil {
		o.Code.kept = code
	}
	return execute, modules, err
}

// prepare makes a kernel of the code ready, which the options name.
func (c *deviceCode) prepare(ctx context.Context, o *Options) (execution, []*toolchain.Module, error) {
	module, err := c.find(ctx, &o.Kernel)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := ptx.Parse(module.PTX)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", module.File, err)
	}
	modules := []*toolchain.Module{module}
	if len(o.Files) > 1 && parsed.Open() {
		others := []*ptx.Module{parsed}
		for _, m := range c.others(ctx, module) {
			if other, err := ptx.Parse(m.PTX); err == nil {
				others, modules = append(others, other), append(modules, m)
			}
		}
		if linked := ptx.Link(others); linked != nil {
			parsed = linked.Module
		}
	}
	execute := func(ctx context.Context, r *run) error {
		device := r.device(o.Stdout)
		loaded, err := device.Load(parsed)
		if err != nil {
			return fmt.Errorf("%s: %w", module.File, err)
		}
		var refused error
		for _, source := range pick(module.Kernels, &o.Kernel) {
			kernel, err := loaded.Kernel(source.Symbol)
			if err != nil {
				return fmt.Errorf("%s: %s", module.File, plainNames(err.Error()))
			}
			arguments, err := r.arguments(device, loaded, module, source, kernel)
			if err != nil {
				refused = cmp.Or(refused, err)
				continue
			}
			r.alone(ctx, device, kernel, arguments)
			if r.ended != nil {
				return nil
			}
		}
		if len(r.launches) == 0 {
			return refused
		}
		return nil
	}
	return execute, modules, nil
}

// alone launches a kernel that no host program does.
func (r *run) alone(ctx context.Context, device *sim.Device, kernel *sim.Kernel, arguments []byte) {
	o := r.options
	only := o.Kernel.Only
	cluster := o.Kernel.Cluster
	if cluster == (race.Dim3{}) {
		cluster = kernel.Attributes.RequiredCluster
	}
	if r.number%everyBlock == 0 || kernel.SyncsGrid() || cluster.Count() > 1 {
		only = nil
	}
	number := len(r.launches) + 1
	stats, err := device.Launch(ctx, kernel, sim.Launch{
		Only: only, Cooperative: kernel.SyncsGrid(),
		Grid: o.Kernel.Grid, Block: o.Kernel.Block, Cluster: o.Kernel.Cluster, Shared: o.Kernel.Shared, Args: arguments,
		Seed: r.seed, MaxInstructions: o.Instructions, Cores: o.Cores,
		Progress: func(p sim.Progress) { r.progress(kernel.Name, number, p) },
	})
	var fault *sim.Fault
	if errors.As(err, &fault) {
		fault.Kernel = toolchain.PlainName(fault.Kernel) // people read it
		if strings.HasSuffix(fault.Message, "has 0 bytes of shared memory") {
			fault.Message += "; --shared gives a kernel alone what it declares as extern"
		}
		if strings.HasSuffix(fault.Message, "which is not defined") {
			fault.Message += " in the files that are named"
		}
	}
	done := cudart.Launched{Kernel: kernel.Name, Err: err}
	if stats != nil {
		done.Stats = *stats
	}
	r.launches = append(r.launches, done)
	if r.ended = ctx.Err(); r.ended == nil && fault == nil {
		r.ended = err
	}
}

// deviceCode is that of the program's files, each compiled when it is asked for.
type deviceCode struct {
	options *Options
	dir     string
	tools   *toolchain.Toolchain
	modules map[int]*toolchain.Module
}

// find compiles the file that has the kernel, or reads it if it is PTX.
func (c *deviceCode) find(ctx context.Context, kernel *KernelRun) (*toolchain.Module, error) {
	var failed error
	var others []toolchain.Kernel
	o := c.options
	for i, file := range o.Files {
		m, err := c.module(ctx, i)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if picked := pick(m.Kernels, kernel); len(picked) > 0 {
			if filepath.Ext(file) == ".ptx" {
				return m, nil
			}
			options := o.compile(file)
			return m, c.tools.AddMembers(ctx, &options, m, c.folder(i), picked)
		}
		others = append(others, m.Kernels...)
	}
	if failed != nil {
		return nil, failed
	}
	advice := "a kernel is called as it is written, with template arguments or without"
	if name, arguments, some := strings.Cut(kernel.Name, "<"); c.isTemplate(name) {
		if !some {
			arguments = "int>"
		}
		advice = fmt.Sprintf("%s is a template that nothing instantiates: launch it somewhere in the files, or add a line such as template __global__ void %s<%s(int *);", kernel.Name, name, arguments)
	}
	return nil, fmt.Errorf("no kernel %s in %s (%s); %s", kernel.Name, strings.Join(o.Files, ", "), named(others), advice)
}

// isTemplate reports whether the files have a template of this name that makes kernels.
func (c *deviceCode) isTemplate(name string) bool {
	template := regexp.MustCompile(`template\s*<[^;{}]*>[^;{}()]*__global__(?:[^;{}()]|\([^()]*\))*\b` + regexp.QuoteMeta(name) + `\s*\(`)
	return slices.ContainsFunc(c.options.Files, func(file string) bool {
		_, text, ok := textOf(c.options.Texts, file)
		return ok && template.MatchString(text)
	})
}

// others are the modules of all other files, as far as they can be had: what is missing, the kernel may not need.
func (c *deviceCode) others(ctx context.Context, but *toolchain.Module) []*toolchain.Module {
	var list []*toolchain.Module
	for i := range c.options.Files {
		if m, err := c.module(ctx, i); err == nil && m != but {
			list = append(list, m)
		}
	}
	return list
}

func (c *deviceCode) folder(i int) string { return filepath.Join(c.dir, strconv.Itoa(i)) }

func (c *deviceCode) module(ctx context.Context, i int) (*toolchain.Module, error) {
	if m := c.modules[i]; m != nil {
		return m, nil
	}
	m, err := c.compile(ctx, i)
	if err != nil {
		return nil, err
	}
	if c.modules == nil {
		c.modules = map[int]*toolchain.Module{}
	}
	c.modules[i] = m
	return m, nil
}

func (c *deviceCode) compile(ctx context.Context, i int) (*toolchain.Module, error) {
	file := c.options.Files[i]
	if filepath.Ext(file) == ".ptx" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return &toolchain.Module{File: file, PTX: string(text), Kernels: toolchain.KernelsOfPTX(string(text))}, nil
	}
	if c.tools == nil {
		var err error
		if c.tools, err = toolchain.Find(ctx); err != nil {
			return nil, err
		}
	}
	if err := os.Mkdir(c.folder(i), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	options := c.options.compile(file)
	return c.tools.Device(ctx, &options, file, c.folder(i))
}

// pick finds a kernel by its symbol or its name. Instances of one template share a name: it is the first one, unless all
// are asked for, or the name has template arguments, the first ones at least. There is none if there is no such kernel.
func pick(kernels []toolchain.Kernel, o *KernelRun) (picked []*toolchain.Kernel) {
	for i := range kernels {
		if kernels[i].Symbol == o.Name {
			return []*toolchain.Kernel{&kernels[i]}
		}
	}
	for i := range kernels {
		if isCalled(&kernels[i], o.Name) && (len(picked) == 0 || o.Instances && len(picked) < maxInstances) {
			picked = append(picked, &kernels[i])
		}
	}
	return picked
}

// isCalled reports whether a kernel has a name, to which namespaces and template arguments may belong.
func isCalled(k *toolchain.Kernel, name string) bool {
	name, arguments, instance := strings.Cut(strings.ReplaceAll(name, " ", ""), "<")
	spaces := strings.Split(name, "::")
	if k.Name != spaces[len(spaces)-1] {
		return false
	}
	rest := k.Symbol
	for _, space := range spaces[:len(spaces)-1] {
		if space == "" { // the global one
			continue
		}
		_, after, ok := strings.Cut(rest, strconv.Itoa(len(space))+space)
		if !ok {
			return false
		}
		rest = after
	}
	if !instance {
		return true
	}
	_, own, _ := strings.Cut(strings.ReplaceAll(k.Instance, " ", ""), "<")
	return own == arguments || strings.HasPrefix(own, strings.TrimSuffix(arguments, ">")+",")
}

// named lists the kernels that there are, each name once.
func named(kernels []toolchain.Kernel) string {
	var names []string
	for _, k := range kernels {
		if name := cmp.Or(k.Instance, k.Name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "there is none"
	}
	return "there are: " + strings.Join(names, ", ")
}

// layout is the parameters of a launch in the making.
type layout struct {
	run     *run
	device  *sim.Device
	module  *sim.Module
	holding []toolchain.Variable // those that hold pointers
	names   []string
	pointer map[string]uint64 // where those parameters point that are done
	led     int               // pointers in memory that lead somewhere
}

// arguments lays the parameters out as a launch wants them. A parameter without a value is a
// buffer if it has the size of a pointer, otherwise the error says what is missing.
func (r *run) arguments(device *sim.Device, module *sim.Module, compiled *toolchain.Module, source *toolchain.Kernel, kernel *sim.Kernel) ([]byte, error) {
	block := make([]byte, kernel.Attributes.ParameterSize)
	l := &layout{run: r, device: device, module: module, holding: compiled.Variables, pointer: map[string]uint64{}}
	for i := range kernel.Parameters {
		name := strconv.Itoa(i)
		if i < len(source.Parameters) && source.Parameters[i] != "" {
			name = source.Parameters[i]
		}
		l.names = append(l.names, name)
	}
	slots, err := l.slots(block, source, kernel)
	if err != nil {
		return nil, err
	}
	for _, behind := range []bool{false, true} { // who points to where others do comes behind them
		for _, x := range slots {
			if strings.HasPrefix(x.value, "at:") != behind {
				continue
			}
			if err := l.argument(&x); err != nil {
				return nil, fmt.Errorf("kernel %s: parameter %s: %w", source.Name, x.name, err)
			}
		}
	}
	return block, l.variables()
}

// slot is a scalar of the arguments: its bytes, name and type, and the text of its value.
type slot struct {
	to                []byte
	name, kind, value string
	shape             *toolchain.Shape // of what a pointer leads to, if it holds pointers
}

// slots lists the scalars that a kernel takes. A structure goes by its members, unless one value is given for it.
func (l *layout) slots(block []byte, source *toolchain.Kernel, kernel *sim.Kernel) (out []slot, err error) {
	args := l.run.options.Kernel.Args
	used, names, maps := map[string]bool{}, []string{}, []string{}
	add := func(to []byte, name, key, kind string, shape *toolchain.Shape) {
		value, given := args[key]
		if kind == toolchain.TensorMap {
			maps = append(maps, name+".")
		}
		if used[key], names = true, append(names, name); !given {
			value = l.run.unnamed(kind, len(to))
			if !mayPoint(kind, len(to)) && kind != toolchain.TensorMap && !l.run.options.Kernel.Ample && err == nil {
				err = fmt.Errorf("kernel %s: parameter %s has no value; give one with --arg %s=VALUE", source.Name, name, name)
			}
		}
		out = append(out, slot{to, name, kind, value, shape})
	}
	for i, p := range kernel.Parameters {
		to, name := block[p.Offset:][:p.Size], l.names[i]
		key, kind := name, ""
		if _, given := args[key]; !given {
			key = strconv.Itoa(i)
		}
		if i < len(source.Types) {
			kind = source.Types[i]
		}
		var members []toolchain.Member
		if i < len(source.Members) {
			members = source.Members[i]
		}
		switch _, given := args[key]; {
		case len(members) == 1 && members[0].Path == "":
			add(to, name, key, cmp.Or(kind, members[0].Type), members[0].To)
		case !given && len(members) > 0:
			for _, m := range said(members, name, args) {
				add(to[m.Offset:][:m.Size], name+m.Path, name+m.Path, m.Type, m.To)
			}
		default:
			add(to, name, key, kind, nil)
		}
	}
	for name := range args {
		// A witness may have values for what a tensor map holds: its words mean nothing.
		inMap := l.run.options.Kernel.Ample && slices.ContainsFunc(maps, func(m string) bool { return strings.HasPrefix(name, m) })
		if !used[name] && !inMap {
			return nil, fmt.Errorf("kernel %s has no parameter %s; its parameters are: %s", source.Name, name, strings.Join(names, ", "))
		}
	}
	return out, err
}

// said are the members of a structure, but of those of a union that lie in one place the one that has a value, or the first.
func said(members []toolchain.Member, name string, args map[string]string) (out []toolchain.Member) {
	given := func(m toolchain.Member) bool { _, given := args[name+m.Path]; return given }
	for i, m := range members {
		hidden := func(o toolchain.Member) bool { return o.Offset < m.Offset+m.Size && m.Offset < o.Offset+o.Size }
		if given(m) || !slices.ContainsFunc(members[:i], hidden) && !slices.ContainsFunc(members[i+1:], func(o toolchain.Member) bool { return given(o) && hidden(o) }) {
			out = append(out, m)
		}
	}
	return out
}

// variables gives the __device__ variables their contents that have others than those of the source.
func (l *layout) variables() error {
	for name, memory := range l.run.options.Kernel.Memory {
		address, size, ok := l.module.Variable(name)
		if !ok || slices.Contains(l.names, name) {
			continue
		}
		bytes, err := l.device.Bytes(address, size)
		if err != nil {
			return err
		}
		memory.Fill(0, bytes)
	}
	for _, v := range l.holding {
		if address, size, ok := l.module.Variable(v.Symbol); ok {
			if err := l.lead([]piece{{address, size}}, v.Shape, variableName(v.Symbol), 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayPoint reports whether a parameter is a pointer, or may be one, if its type is not known.
func mayPoint(kind string, size int) bool { return kind == "ptr" || kind == "" && size == 8 }

// unnamed is the value of a parameter that the options do not give.
func (r *run) unnamed(kind string, size int) string {
	switch {
	case kind == toolchain.TensorMap:
		return "map:"
	case mayPoint(kind, size) && r.options.Kernel.Ample:
		return "ample:"
	case mayPoint(kind, size):
		return fmt.Sprintf("buf:%d", defaultBuffer)
	case kind == "float", kind == "double", kind == "" && size == 4:
		return "1.5"
	}
	return "0"
}

// argument writes one value into the bytes of its parameter.
func (l *layout) argument(x *slot) error {
	if x.value == "map:" && len(x.to) == 128 {
		address, err := l.ample(x.name)
		copy(x.to, sim.MadeUpTensorMap(address))
		return err
	}
	way, rest, isAddress := strings.Cut(x.value, ":")
	if isAddress {
		address, err := l.address(way, rest, x)
		if err != nil {
			return err
		}
		if len(x.to) != 8 {
			return fmt.Errorf("a buffer's address takes 8 bytes, the parameter has %d", len(x.to))
		}
		l.pointer[x.name] = address
		binary.LittleEndian.PutUint64(x.to, address)
		return nil
	}
	bits, err := scalar(x.value, x.kind, len(x.to))
	if err != nil {
		return err
	}
	for i := range x.to {
		if i < 8 {
			x.to[i] = byte(bits >> (8 * i))
		}
	}
	return nil
}

// address makes a buffer, or finds the one that is there already.
func (l *layout) address(kind, rest string, x *slot) (address uint64, err error) {
	var size uint64
	switch kind {
	case "at":
		return l.at(rest)
	case "ample":
		address, err = l.ample(x.name)
		size = ampleFilled
	default:
		address, size, err = l.run.buffer(l.device, kind, rest, x.name)
	}
	if err == nil && kind != "file" {
		err = l.lead([]piece{{address, size}}, x.shape, x.name, 0)
	}
	return address, err
}

// at finds where another parameter or a variable points; NAME+BYTES.
func (l *layout) at(text string) (uint64, error) {
	name, bytes := text, int64(0)
	if i := strings.LastIndexAny(text, "+-"); i > 0 {
		var err error
		if bytes, err = strconv.ParseInt(text[i:], 10, 48); err != nil {
			return 0, fmt.Errorf("%q is no number of bytes", text[i:])
		}
		name = text[:i]
	}
	if address, ok := l.pointer[name]; ok {
		return address + uint64(bytes), nil
	}
	if address, _, ok := l.module.Variable(name); ok {
		return address + uint64(bytes), nil
	}
	return 0, fmt.Errorf("no pointer among the parameters and no __device__ variable is called %s", name)
}

// ample allocates the buffer of a pointer of which nothing is known.
func (l *layout) ample(name string) (uint64, error) {
	base, _, err := l.device.MallocApart(1, ampleBuffer, ampleReach, name)
	if err != nil {
		return 0, err
	}
	address := base + ampleBefore
	memory, said := l.run.options.Kernel.Memory[name]
	if !l.run.fills() && !said {
		return address, nil
	}
	bytes, err := l.device.Bytes(address-ampleFilled, 2*ampleFilled)
	if err != nil {
		return 0, err
	}
	if said {
		memory.Fill(-ampleFilled, bytes)
	} else {
		fillRandom(bytes, l.run.seed)
	}
	return address, nil
}

// fills reports whether memory of which nothing is known holds numbers in the present schedule, and not zeros.
func (r *run) fills() bool {
	return !r.options.Kernel.Ample || r.number%everyBlock > 1
}

// scalar parses a number and returns its bits in a parameter of the given type, and size in bytes. Where the type is not known,
// a point or an exponent makes a floating-point number.
func scalar(text, kind string, size int) (uint64, error) {
	if i := slices.Index([]string{"false", "true"}, text); i >= 0 && kind == "i1" {
		return uint64(i), nil
	}
	n, integer := uint64(0), true
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		n = uint64(i)
	} else if n, err = strconv.ParseUint(text, 0, 64); err != nil {
		integer = false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		f = float64(int64(n)) // a hexadecimal integer
	}
	floating := kind == "float" || kind == "double"
	switch {
	case !integer && err != nil:
		return 0, fmt.Errorf("%q is neither a number nor buf:BYTES, zero:BYTES, file:PATH or at:NAME+BYTES", text)
	case integer && !floating:
		if !fits(n, strings.HasPrefix(text, "-"), kind, size) {
			return 0, fmt.Errorf("%s does not fit into the parameter, %s", text, sized(kind, size))
		}
		return n, nil
	case !floating && kind != "" && kind != "half" && kind != "bfloat":
		return 0, fmt.Errorf("%s is no integer, and the parameter is %s", text, sized(kind, size))
	case size == 4:
		return uint64(math.Float32bits(float32(f))), nil
	case size == 8:
		return math.Float64bits(f), nil
	}
	return 0, fmt.Errorf("a floating-point number takes 4 or 8 bytes, the parameter has %d; give its bits as an integer", size)
}

// fits reports whether an integer is one of a parameter, with a sign or without.
func fits(n uint64, negative bool, kind string, size int) bool {
	switch {
	case kind == "i1":
		return n <= 1
	case kind == "" || size >= 8: // a structure takes what comes first
		return true
	case negative:
		return int64(n) >= -1<<(8*size-1)
	}
	return n < 1<<(8*size)
}

// sized describes a parameter's type.
func sized(kind string, size int) string {
	switch kind {
	case "i1":
		return "which is 0 or 1"
	case "ptr":
		return "a pointer"
	}
	return fmt.Sprintf("an integer of %d bits", 8*size)
}

// buffer allocates device memory and fills it.
func (r *run) buffer(device *sim.Device, kind, rest, name string) (address, size uint64, err error) {
	var content []byte
	switch kind {
	case "file":
		if content, err = os.ReadFile(rest); err != nil {
			return 0, 0, err
		}
		size = uint64(len(content))
	case "buf", "zero":
		if size, err = strconv.ParseUint(rest, 0, 48); err != nil || size == 0 {
			return 0, 0, fmt.Errorf("%q is no number of bytes", rest)
		}
	default:
		return 0, 0, fmt.Errorf("%q is neither buf:BYTES, zero:BYTES nor file:PATH", kind+":"+rest)
	}
	if address, err = device.Malloc(size, name); err != nil {
		return 0, 0, err
	}
	bytes, err := device.Bytes(address, size)
	if err != nil {
		return 0, 0, err
	}
	copy(bytes, content)
	if kind == "buf" {
		fillRandom(bytes, r.seed)
	}
	return address, size, nil
}

// fillRandom fills memory with small non-negative integers of four bytes, from a seed: values
// that serve as indices, counts and (tiny) floating-point numbers alike.
func fillRandom(bytes []byte, seed uint64) {
	random := rand.New(rand.NewPCG(seed, uint64(len(bytes))))
	for i := 0; i+4 <= len(bytes); i += 4 {
		binary.LittleEndian.PutUint32(bytes[i:], random.Uint32N(256))
	}
}
