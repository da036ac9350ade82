package ptx_test

import "testing"

func TestInTurn(t *testing.T) {
	m := parse(t, `.visible .entry k()
{
.reg .b32 %v; .reg .pred %q;
L:
mov.u32 %v, 0;
@%q bra THEN;
mov.u32 %v, 1;
bra.uni END;
THEN:
mov.u32 %v, 2;
END:
mov.u32 %v, 3;
setp.eq.u32 %q, %v, 7;
@%q bra L;
ret;
}
`)
	f := m.Functions[0]
	at := func(value uint64) int {
		for i := range f.Body {
			if in := &f.Body[i]; len(in.Operands) == 2 && in.Operands[1].Bits == value && in.Operands[0].Reg >= 0 {
				return i
			}
		}
		t.Fatalf("no instruction sets %d", value)
		return 0
	}
	for _, pair := range [][2]uint64{{0, 1}, {2, 0}, {1, 3}, {3, 2}} {
		if !f.InTurn(at(pair[0]), at(pair[1])) {
			t.Errorf("%v: not in turn", pair)
		}
	}
	if !f.Leads(at(3), at(0)) || !f.Leads(at(2), at(1)) || !f.Leads(at(0), at(3)) {
		t.Error("a loop does not lead back")
	}
	if end := parse(t, ".visible .entry k()\n{\n.reg .b32 %v;\nmov.u32 %v, 0;\nmov.u32 %v, 1;\nret;\n}\n").Functions[0]; end.Leads(1, 0) || !end.Leads(0, 1) {
		t.Error("instructions without a loop lead one way only")
	}
	loop := parse(t, ".visible .entry k()\n{\n.reg .b32 %v; .reg .pred %q;\nL:\n@%q bra END;\nsetp.eq.u32 %q, %v, 0;\nbra L;\nEND:\nmov.u32 %v, 1;\nret;\n}\n").Functions[0]
	if !loop.InTurn(1, 3) {
		t.Error("what stands behind a loop that ends at its top is not in turn with what stands in it")
	}
	if f.InTurn(at(1), at(2)) || f.InTurn(at(2), at(1)) {
		t.Error("the two branches of a condition are in turn")
	}
	// A branch that stands behind everything else, from which a thread comes back.
	outside := parse(t, `.visible .entry k()
{
.reg .b32 %v; .reg .pred %q;
@%q bra RARE;
BACK:
mov.u32 %v, 1;
ret;
RARE:
mov.u32 %v, 2;
bra BACK;
}
`).Functions[0]
	if value := func(i int) uint64 { return outside.Body[i].Operands[1].Bits }; value(1) != 2 || value(2) != 1 || !outside.InTurn(1, 2) {
		t.Error("a way back that closes no loop is not taken")
	}
	// What ends a loop is decided before its last lines, as compilers join the ways out.
	left := parse(t, `.visible .entry k()
{
.reg .b32 %v; .reg .pred %q;
L:
mov.u32 %v, 0;
setp.eq.u32 %q, %v, 7;
@%q bra NEXT;
mov.u32 %v, 1;
bra.uni END;
NEXT:
mov.u32 %v, 2;
END:
@%q bra L;
ret;
}
`).Functions[0]
	if left.Leads(3, 0) || !left.Leads(5, 0) || !left.Leads(0, 3) {
		t.Error("a way that a condition has closed is taken")
	}
}
