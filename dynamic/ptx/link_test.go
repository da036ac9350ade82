package ptx

import (
	"slices"
	"testing"
)

// Two modules that use each other's symbols, and have a static one of the same name.
func TestLink(t *testing.T) {
	parse := func(text string) *Module {
		t.Helper()
		m, err := Parse(".version 7.8\n.target sm_80\n.address_size 64\n" + text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const first = `
.file 1 "a.cu"
.extern .func there;
.extern .global .u32 shared;
.global .u32 own;
.global .u64 pointer = own;
.visible .func here() { .reg .u32 %r; .loc 1 7 1; ld.global.u32 %r, [own]; call there, (); ret; }
.visible .entry k() { .reg .u32 %r; ld.global.u32 %r, [shared]; ret; }`
	const second = `
.file 1 "b.cu"
.visible .global .u32 shared = 3;
.global .u32 own;
.global .u64 table = own;
.visible .func there() { .reg .u32 %r; .loc 1 9 1; ld.global.u32 %r, [own]; ret; }
.visible .entry k() { .local .u32 own; .reg .u32 %r; ld.local.u32 %r, [own]; ret; }`
	if Link([]*Module{parse(first), parse(`.visible .entry other() { ret; }`)}) != nil {
		t.Error("modules that don't need each other are linked")
	}
	l := Link([]*Module{parse(first), parse(second)})
	if l == nil {
		t.Fatal("not linked")
	}
	m := l.Module
	var names []string
	for _, v := range m.Variables {
		names = append(names, v.Name)
	}
	if want := []string{"shared", "own", "pointer", "own$linked1", "table"}; !slices.Equal(names, want) {
		t.Errorf("variables %q", names)
	}
	if l.Renamed[1]["own"] != "own$linked1" || l.Renamed[1]["k"] != "k$linked1" || len(l.Renamed[0]) != 0 {
		t.Errorf("renamed %v", l.Renamed)
	}
	if m.Variables[4].Refs[0].Symbol != "own$linked1" || m.Variables[0].Linkage == Extern {
		t.Errorf("variables %+v", m.Variables)
	}
	there := m.Function("there")
	if at := m.Locations[there.Body[0].Location]; !there.Defined || m.Files[at.File] != "b.cu" || at.Line != 9 {
		t.Errorf("there is at %+v", at)
	}
	if got := there.Body[0].Operands[1].Name; got != "own$linked1" {
		t.Errorf("there reads %s", got)
	}
	if got := m.Function("k$linked1").Body[0].Operands[1].Name; got != "own" {
		t.Errorf("a local variable is called %s", got)
	}
}
