package race_test

import (
	"maps"
	"math"
	"testing"

	"github.com/warplint/warplint/analysis/race"
)

func TestValues(t *testing.T) {
	w := race.Witness{Parameters: map[string]int64{"n": -3, "map": 0}, Floats: map[string]float64{"beta": 1, "tiny": 1e-30, "half": 0.5, "top": math.Inf(1), "none": math.NaN()}}
	want := map[string]string{"n": "-3", "map": "0", "beta": "1.0", "tiny": "1e-30", "half": "0.5", "top": "+Inf", "none": "NaN"}
	if got := w.Values(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
