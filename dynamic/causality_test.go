package dynamic

import "testing"

func TestVariableName(t *testing.T) {
	for symbol, want := range map[string]string{
		"_ZZ6smoothPKfPfE4tile":     "tile",
		"_ZZN1a4loopILi3EEEvPfE2s1": "s1",
		"_ZZ1fvE5count_0":           "count",
		"counter":                   "counter",
	} {
		if got := variableName(symbol); got != want {
			t.Errorf("variableName(%q) = %q, want %q", symbol, got, want)
		}
	}
}
