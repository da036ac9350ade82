package sim_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/sim"
)

// program is a random kernel: its PTX, and the same thing as a function of one thread. It checks
// divergence and register allocation, since each thread has to get what it would get alone.
type program struct {
	ptx    strings.Builder
	rand   *rand.Rand
	labels int
	depth  int
}

const randomRegisters = 24

// thread is the state of one thread of the independent evaluation.
type thread [randomRegisters]uint32

// action is a piece of a program, to evaluate.
type action func(t *thread)

func sequence(list []action) action {
	return func(t *thread) {
		for _, a := range list {
			a(t)
		}
	}
}

func (p *program) label() string {
	p.labels++
	return fmt.Sprintf("L%d", p.labels)
}

func (p *program) register() int { return p.rand.IntN(randomRegisters) }

// block emits some statements.
func (p *program) block() action {
	var list []action
	for range 1 + p.rand.IntN(6) {
		switch n := p.rand.IntN(10); {
		case n == 0 && p.depth < 4:
			list = append(list, p.branch())
		case n == 1 && p.depth < 3:
			list = append(list, p.loop())
		case n == 2:
			list = append(list, p.guarded())
		case n == 3 && p.depth < 4:
			list = append(list, p.call())
		default:
			list = append(list, p.operation(""))
		}
	}
	return sequence(list)
}

var randomOperations = map[string]func(x, y uint32) uint32{
	"add.u32":    func(x, y uint32) uint32 { return x + y },
	"sub.u32":    func(x, y uint32) uint32 { return x - y },
	"mul.lo.u32": func(x, y uint32) uint32 { return x * y },
	"xor.b32":    func(x, y uint32) uint32 { return x ^ y },
	"and.b32":    func(x, y uint32) uint32 { return x & y },
	"max.u32":    func(x, y uint32) uint32 { return max(x, y) },
}

var operationNames = []string{"add.u32", "sub.u32", "mul.lo.u32", "xor.b32", "and.b32", "max.u32"}

func (p *program) operation(guard string) action {
	name := operationNames[p.rand.IntN(len(operationNames))]
	d, a, b := p.register(), p.register(), p.register()
	fmt.Fprintf(&p.ptx, "%s %s %%r%d, %%r%d, %%r%d;\n", guard, name, d, a, b)
	f := randomOperations[name]
	return func(t *thread) { t[d] = f(t[a], t[b]) }
}

// condition emits a comparison into a predicate of its own.
func (p *program) condition() (name string, holds func(t *thread) bool) {
	a, bit := p.register(), p.rand.IntN(8)
	p.labels++
	name = fmt.Sprintf("%%q%d", p.labels)
	fmt.Fprintf(&p.ptx, ".reg .pred %s; .reg .b32 %st; shr.u32 %st, %%r%d, %d; and.b32 %st, %st, 1; setp.ne.u32 %s, %st, 0;\n",
		name, name, name, a, bit, name, name, name, name)
	return name, func(t *thread) bool { return t[a]>>bit&1 != 0 }
}

func (p *program) branch() action {
	q, holds := p.condition()
	p.depth++
	defer func() { p.depth-- }()
	otherwise, end := p.label(), p.label()
	fmt.Fprintf(&p.ptx, "@!%s bra %s;\n", q, otherwise)
	yes := p.block()
	fmt.Fprintf(&p.ptx, "bra %s;\n%s:\n", end, otherwise)
	no := p.block()
	fmt.Fprintf(&p.ptx, "%s:\n", end)
	return func(t *thread) {
		if holds(t) {
			yes(t)
		} else {
			no(t)
		}
	}
}

// loop repeats a block a number of times that differs between threads.
func (p *program) loop() action {
	p.depth++
	defer func() { p.depth-- }()
	r, head, end := p.register(), p.label(), p.label()
	counter, q := fmt.Sprintf("%%n%s", head), fmt.Sprintf("%%p%s", head)
	fmt.Fprintf(&p.ptx, ".reg .b32 %s; .reg .pred %s; and.b32 %s, %%r%d, 3;\n%s: setp.eq.u32 %s, %s, 0; @%s bra %s;\nsub.u32 %s, %s, 1;\n",
		counter, q, counter, r, head, q, counter, q, end, counter, counter)
	body := p.block()
	fmt.Fprintf(&p.ptx, "bra %s;\n%s:\n", head, end)
	return func(t *thread) {
		for n := t[r] & 3; n > 0; n-- {
			body(t)
		}
	}
}

func (p *program) guarded() action {
	q, holds := p.condition()
	do := p.operation("@" + q)
	return func(t *thread) {
		if holds(t) {
			do(t)
		}
	}
}

// call calls a function that calls itself.
func (p *program) call() action {
	d, a := p.register(), p.register()
	fmt.Fprintf(&p.ptx, "{ .param .b32 in; .param .b32 out; st.param.b32 [in], %%r%d; call.uni (out), triangle, (in); ld.param.b32 %%r%d, [out]; }\n", a, d)
	return func(t *thread) {
		n := t[a] & 7
		t[d] = n * (n + 1) / 2
	}
}

const triangle = `.func (.param .b32 sum) triangle(.param .b32 n) { .reg .b32 %n, %m, %s; .reg .pred %p;
	ld.param.b32 %n, [n]; and.b32 %n, %n, 7; setp.eq.u32 %p, %n, 0; mov.u32 %s, 0; @%p bra END; sub.u32 %m, %n, 1;
	{ .param .b32 in; .param .b32 out; st.param.b32 [in], %m; call.uni (out), triangle, (in); ld.param.b32 %s, [out]; }
	add.u32 %s, %s, %n;
	END: st.param.b32 [sum], %s; ret; }
`

func randomProgram(seed uint64) (text string, run action) {
	p := &program{rand: rand.New(rand.NewPCG(seed, 7))}
	for r := range randomRegisters {
		fmt.Fprintf(&p.ptx, "mad.lo.u32 %%r%d, %%tid.x, %d, %d;\n", r, p.rand.Uint32()|1, p.rand.Uint32())
	}
	p.rand = rand.New(rand.NewPCG(seed, 7))
	var starts, offsets [randomRegisters]uint32
	for r := range starts {
		starts[r], offsets[r] = p.rand.Uint32()|1, p.rand.Uint32()
	}
	var list []action
	for range 4 {
		list = append(list, p.block())
	}
	for r := range randomRegisters {
		fmt.Fprintf(&p.ptx, "st.global.u32 [%%p+%d], %%r%d;\n", 4*r, r)
	}
	text = ".version 7.5\n.target sm_80\n.address_size 64\n" + triangle + ".visible .entry kernel(.param .u64 p)\n{\n.reg .b32 %r<" +
		fmt.Sprint(randomRegisters) + ">; .reg .b64 %p, %o; .reg .b32 %t;\nld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, " +
		fmt.Sprint(4*randomRegisters) + "; add.u64 %p, %p, %o;\n" + p.ptx.String() + "ret;\n}\n"
	body := sequence(list)
	return text, func(t *thread) {
		tid := t[0]
		for r := range t {
			t[r] = tid*starts[r] + offsets[r]
		}
		body(t)
	}
}

func TestRandomPrograms(t *testing.T) {
	const threads = 70
	for seed := range uint64(300) {
		text, run := randomProgram(seed)
		b := load(t, text, nil)
		p := b.alloc(make([]uint32, threads*randomRegisters)...)
		if _, err := b.launch("kernel", sim.Launch{Block: race.Dim3{threads}, Args: args(p), Seed: seed}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		got := b.read(p, threads*randomRegisters)
		for tid := range uint32(threads) {
			want := thread{tid}
			run(&want)
			for r := range want {
				if g := got[int(tid)*randomRegisters+r]; g != want[r] {
					t.Fatalf("seed %d: thread %d has %#x in %%r%d, want %#x\n%s", seed, tid, g, r, want[r], text)
				}
			}
		}
	}
}
