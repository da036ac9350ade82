package cudart

import (
	"debug/elf"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/dynamic/toolchain"
)

// api matches the functions of the runtime, those that nvcc's stubs call, and those of the driver.
var api = regexp.MustCompile(`^(cuda|__cuda|cu|nvrtc)[A-Z]`)

// openMP matches what programs that we compile take from it besides.
var openMP = regexp.MustCompile(`^(omp|__kmpc)_`)

// The library carries the name and the symbol versions of each toolkit's runtime, and exports
// nothing but the API.
func TestLibrary(t *testing.T) {
	tools, err := toolchain.Find(t.Context())
	if err != nil {
		t.Fatalf("%v; scripts/test.sh of this project installs what the tests need", err)
	}
	for _, name := range []string{"libcudart.so.11.0", LibraryName, "libcudart.so.13"} {
		path, err := Library(t.Context(), tools, name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if got, err := file.DynString(elf.DT_SONAME); err != nil || !slices.Equal(got, []string{name}) {
			t.Errorf("%s calls itself %v, %v", path, got, err)
		}
		symbols, err := file.DynamicSymbols()
		if err != nil {
			t.Fatal(err)
		}
		exported := 0
		for _, s := range symbols {
			if s.Section == elf.SHN_UNDEF || elf.ST_TYPE(s.Info) != elf.STT_FUNC {
				continue
			}
			exported++
			if !api.MatchString(s.Name) && !(name == LibraryName && openMP.MatchString(s.Name)) {
				t.Errorf("%s exports %s", name, s.Name)
			}
		}
		if exported < 200 {
			t.Errorf("%s exports %d functions", name, exported)
		}
	}
}

func TestNeededLibrary(t *testing.T) {
	if _, err := NeededLibrary("/bin/sh"); err == nil || !strings.Contains(err.Error(), "-cudart shared") {
		t.Errorf("got %v", err)
	}
	if _, err := NeededLibrary("client.go"); err == nil || !strings.Contains(err.Error(), "is no program") {
		t.Errorf("got %v", err)
	}
}

func TestMajor(t *testing.T) {
	for name, want := range map[string]string{"libcudart.so.11.0": "11", "libcudart.so.12": "12", "libcudart.so.13": "13"} {
		if got := major(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
