package dynamic

import (
	"testing"

	"github.com/warplint/warplint/dynamic/toolchain"
)

func TestIsCalled(t *testing.T) {
	k := &toolchain.Kernel{Symbol: "_ZN2ns5innerL5scaleIjLi5EEEvPT_", Name: "scale", Instance: "scale<unsigned int, 5>"}
	for name, want := range map[string]bool{
		"scale": true, "ns::inner::scale": true, "::ns::inner::scale": true, "inner::scale": true,
		"scale<unsigned int>": true, "scale<unsigned int, 5>": true, "ns::inner::scale<unsigned int,5>": true,
		"scal": false, "other::scale": false, "inner::ns::scale": false, "scale<unsigned>": false, "scale<unsigned int, 6>": false, "scale<int, 5>": false,
	} {
		if isCalled(k, name) != want {
			t.Errorf("%s is the kernel: %v", name, !want)
		}
	}
}
