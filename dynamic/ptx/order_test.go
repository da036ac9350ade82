package ptx_test

import (
	"fmt"
	"strings"
	"testing"
)

// Each block of these functions moves its number. What threads do stays the same, in the order in which they come to it.
func TestOrder(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"in order", "A: mov 0; @%q bra C; B: mov 1; C: mov 2; @%q bra A; ret;", "0 q?3 1 2 q?0 ret"},
		{"rare", "@%q bra R; B: mov 1; ret; R: mov 2; bra B;", "!q?2 2 1 ret"},
		{"rare, with an else", "@%q bra R; mov 1; B: mov 3; ret; R: mov 2; bra.uni B;", "q?3 1 >4 2 3 ret"},
		{"rare in a loop", "L: mov 0; @%q bra R; B: mov 1; @%q bra L; mov 3; ret; R: mov 2; bra B;", "0 !q?3 2 1 q?0 3 ret"},
		{"out of a loop, before its end", "L: mov 0; @!%q bra N; mov 3; ret; N: mov 1; bra L;", "0 q?4 1 >0 3 ret"},
		{"a loop in a loop", "L: mov 0; bra M; B: mov 2; @%q bra L; ret; M: mov 1; @%q bra M; bra B;", "0 1 q?1 2 q?0 ret"},
		{"never reached", "bra E; mov 1; bra E; E: mov 2;", "2 >4 1 >0"},
		{"to the end", "@%q bra E; mov 1; bra M; N: mov 3; ret; M: mov 2; bra N; E:", "q?5 1 2 3 ret"},
		{"a table", "t: .branchtargets X, Y; brx.idx %v, t; Z: mov 3; ret; X: mov 1; bra Z; Y: mov 2; bra Z;", "[1 3] 1 >4 2 3 ret"},
	} {
		text := strings.ReplaceAll(test.body, "mov ", "mov.u32 %v, ")
		f := parse(t, ".visible .entry k()\n{\n.reg .b32 %v; .reg .pred %q;\n"+text+"\n}\n").Functions[0]
		var got []string
		for i := range f.Body {
			in := &f.Body[i]
			switch in.Op.String() {
			case "mov":
				got = append(got, fmt.Sprint(in.Operands[1].Bits))
			case "bra":
				guard := ">"
				if in.Guard >= 0 {
					guard = map[bool]string{false: "q?", true: "!q?"}[in.GuardNot]
				}
				got = append(got, fmt.Sprint(guard, in.Operands[0].Target))
			case "brx":
				got = append(got, fmt.Sprint(f.Tables[0]))
			default:
				got = append(got, in.Op.String())
			}
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %s, want %s", test.name, s, test.want)
		}
	}
}

// A function of loops within loops, and one of nothing but jumps, cost little.
func TestOrderOfDeepLoops(t *testing.T) {
	var text strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&text, "L%d: mov.u32 %%v, %d;\n", i, i)
	}
	for i := 19999; i >= 0; i-- {
		fmt.Fprintf(&text, "@%%q bra L%d;\n", i)
	}
	if f := parse(t, ".visible .entry k()\n{\n.reg .b32 %v; .reg .pred %q;\n"+text.String()+"ret;\n}\n").Functions[0]; len(f.Body) != 40001 {
		t.Errorf("%d instructions", len(f.Body))
	}
}
