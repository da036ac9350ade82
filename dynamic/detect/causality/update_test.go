package causality_test

import (
	"slices"
	"testing"
)

// Most atomics hand nothing over; these are next to such.
func TestUpdates(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"a count, and a write behind", "grid 3 64\n0.0 atomic c\n1.0 atomic c\n2.0 atomic c\n2.0 write c", nil},
		{"a write that begins a count anew", "grid 3 64\n0.0 atomic c\n1.0 write c\n2.0 atomic c\n2.0 write c",
			[]string{"2 3 mixed-atomic error", "2 5 mixed-atomic error", "3 4 mixed-atomic error", "3 5 inter-block-race error"}},
		{"a count of too narrow a scope", "grid 2 64\n0.0 atomic c block\n1.0 atomic c block\n1.0 write c", []string{"2 3 atomic-scope error", "2 4 mixed-atomic error"}},
		{"a count of too narrow a scope as a flag", "grid 2 64\n0.0 vwrite x\n0.0 atomic c block\n1.0 atomic c block\n1.0 vread x", []string{"2 5 atomic-scope error", "3 4 atomic-scope error"}},
		{"a release before", "grid 2 64\n0.0 write x\n0.0 atomic c release\n0.0 write c\n0.0 atomic c\n1.0 atomic c\n1.0 fence device\n1.0 read x", []string{"4 6 mixed-atomic error"}},
		{"half of a wider one", "grid 3 64\n0.0 write x\n0.0 fence device\n0.0 atomic c:8\n2.0 atomic c+4\n1.0 atomic c:8\n1.0 fence device\n1.0 read x",
			[]string{"2 8 inter-block-race error", "4 5 inter-block-race error", "5 6 inter-block-race error"}},
		{"one that fails", "grid 3 64\n0.0 atomic c\n1.0 cas c 5 6\n2.0 atomic c\n1.0 write c", []string{"2 5 mixed-atomic error", "4 5 mixed-atomic error"}},
		{"many of one warp", "grid 2 64\n0.0-31 atomic c[]\n0.0-31 atomic c[]\n1.0-31 atomic c[]\n1.0-31 write c[]\n0.0-31 read c[]", []string{"5 6 inter-block-race error"}},
	} {
		if got := scripted(t, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q\n%s", test.name, got, test.want, test.text)
		}
	}
}
