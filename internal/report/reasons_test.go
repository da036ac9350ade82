package report

import (
	"slices"
	"testing"
)

func TestReasons(t *testing.T) {
	got := Reasons([]string{
		"line 7: not decided whether threads race on `a` here",
		"the kernel takes more work than the analysis does",
		"line 30: not decided whether threads race on `a` here",
		"line 5: undeclared name N",
		"line 5: undeclared name N",
		"line 6: not decided whether threads race on `a` here",
		"a.h, line 6: undeclared name M",
		"line 6 of what is left",
	})
	want := []string{
		"lines 6, 7 and 30: not decided whether threads race on `a` here",
		"the kernel takes more work than the analysis does",
		"line 5: undeclared name N",
		"a.h, line 6: undeclared name M",
		"line 6 of what is left",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got := Reasons(nil); got != nil {
		t.Errorf("of nothing comes %q", got)
	}
}
