package analysis

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

// This file makes random kernels whose indices are computed in branches and loops: by quotients and remainders of what
// only a condition around makes positive, bits, narrow types, choices and bounds.

func TestRandomIndices(t *testing.T) { testRandom(t, 100, randomIndices) }

func randomIndices(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 4)), budget: 12, habits: map[string]string{}}
	w.block = []int{32, 64, 64, 96}[w.IntN(4)]
	w.line("__shared__ int s[4096];")
	w.line("__global__ void k(int *out, int m, int n) {")
	w.indent++
	w.line("int t = threadIdx.x, i = blockIdx.x * %d + t, a = 0, b = 0, c = 0, at;", w.block)
	w.line("if (n < 1) return;")
	w.computing(w.from("a", "b", "c"), 1+w.IntN(3), 3)
	for range 1 + w.IntN(2) {
		w.line("at = %s%s;", w.from("a", "b", "c", "a + b", "t + a", "i + a", "i"), w.from("", "", " + t * 8", " + t * 16", " + i * 8", " + 3 * t"))
		access := w.from("out[at] = t;", "out[at] = t;", "s[at] = t;", "c += out[at];", "c += s[at];")
		if w.one(2) {
			access = fmt.Sprintf("if (%s) %s", w.comparison(1), access)
		}
		w.line("if (at >= 0 && at < 4096) { %s }", access)
	}
	w.line("out[5000 + i] = c;")
	w.indent--
	w.line("}")
	w.line("void run(int *out, int m, int n) { k<<<%s, %d>>>(out, m, n); }", w.from("1", "1", "2", "n"), w.block)
	return w.text.String()
}

// computing writes statements that compute a, b and c, mostly one of them, with branches of some depth.
func (w *writer) computing(mostly string, number, depth int) {
	for range number {
		if w.budget--; w.budget < 0 {
			return
		}
		variable := w.from("a", "b", "c", mostly, mostly, mostly, mostly)
		switch kind := w.IntN(8); {
		case kind < 4 || depth == 0:
			w.line("%s = %s;", variable, w.number(1+w.IntN(2)))
		case kind == 4:
			w.line("for (int j = 0; j < %s; j++) %s += %s;", w.from("3", "t % 3", "n"), variable, w.from("j", "1", "2 * j", "t % 2"))
		default:
			condition, was := w.comparison(1), w.habits["t"]
			if w.one(2) {
				least := 1 + w.IntN(6)
				condition, w.habits["t"] = fmt.Sprintf("t >= %d", least), fmt.Sprintf("(t - %d)", least)
			}
			apart := w.one(2) // an index of their own for threads that come here, and one for the others
			if apart {
				w.line("%s = %s;", variable, w.from("0", "1", "t / 2", "t % 4"))
			}
			w.line("if (%s) {", condition)
			w.indent++
			w.computing(variable, 1, depth-1)
			if apart {
				w.line("%s += 64 + 16 * t;", variable)
			}
			w.indent--
			w.habits["t"] = was
			if !apart {
				w.line("} else {")
				w.indent++
				w.computing(variable, 1, depth-1)
				w.indent--
			}
			w.line("}")
		}
	}
}

// number is an expression of some depth.
func (w *writer) number(depth int) string {
	if depth == 0 && w.habits["t"] != "" && w.one(2) {
		return w.habits["t"]
	}
	if depth == 0 {
		return w.from("a", "b", "c", "t", "t", "t", "i", strconv.Itoa(w.IntN(10)))
	}
	p, q, by := w.number(depth-1), w.number(w.IntN(depth)), w.from("2", "3", "4", "5", "8", "16")
	if w.habits["t"] != "" && w.one(2) {
		return "(" + p + w.from(" / "+by, " % "+by, " / n", " % n") + ")"
	}
	return w.from(
		"("+p+" + "+q+")", "("+p+" - "+q+")", "("+p+" - "+by+")", "("+p+") * "+by, "("+p+") / "+by, "("+p+") / n", "("+p+") % "+by, "("+p+") % n",
		"(("+p+") & "+w.from("1", "3", "7", "15", "6")+")", "(("+p+") ^ "+w.from("1", "2", "5")+")", "(("+p+") | "+w.from("1", "4")+")", "(("+p+") >> "+w.from("1", "2")+")",
		"min("+p+", "+q+")", "max("+p+", "+q+")", "abs("+p+")", "(int)((unsigned)("+p+") / "+by+"u)", "(int)((unsigned)("+p+") % "+by+"u)", "(int)(unsigned char)("+p+")", "(int)(short)("+p+")",
		"("+w.comparison(0)+" ? "+p+" : "+q+")")
}

func (w *writer) comparison(depth int) string {
	p, q := w.number(depth), w.number(0)
	return w.from(p+" >= "+q, p+" < "+q, p+" == "+q, p+" != "+q, "("+p+") % 2 == 0", "m > 0", "n > 3", fmt.Sprint("t >= ", 1+w.IntN(9)), fmt.Sprint("t < ", 20+w.IntN(20)))
}
