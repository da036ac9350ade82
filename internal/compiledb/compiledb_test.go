package compiledb

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/syntax"
)

func TestSplit(t *testing.T) {
	cases := map[string][]string{
		"":                          nil,
		"  a   b\t c\n":             {"a", "b", "c"},
		`-DX='a b' -DY="c \"d\" e"`: {"-DX=a b", `-DY=c "d" e`},
		`a\ b "" '' "x\n"`:          {"a b", "", "", `x\n`},
		`'no end`:                   {"no end"},
		`-DQ=\"text\"`:              {`-DQ="text"`},
	}
	for line, want := range cases {
		if got := split(line); !reflect.DeepEqual(got, want) {
			t.Errorf("split(%q) = %q, want %q", line, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "flags.rsp"), "-DFROM_RSP -Iinc @more.rsp")
	write(t, filepath.Join(dir, "more.rsp"), "-DDEEPER @more.rsp")
	in := func(name string) string { return filepath.Join(dir, name) }
	cases := []struct {
		line string
		want syntax.Config
	}{
		{"nvcc -DA -D B=2 -UC --define-macro=D -c a.cu -o a.o", syntax.Config{Defines: []string{"A", "B=2", "D"}, Undefines: []string{"C"}}},
		{"nvcc -Iinc -I inc2 -isystem=sys -isystem sys2 --include-path=x", syntax.Config{IncludeDirs: []string{in("inc"), in("inc2"), in("sys"), in("sys2"), in("x")}}},
		{"nvcc -arch=sm_70 -gencode arch=compute_86,code=[compute_86,sm_86] --expt-relaxed-constexpr -rdc=true", syntax.Config{Arch: 860}},
		{"clang++ -x cuda --cuda-gpu-arch=sm_90a -std=c++17", syntax.Config{Arch: 900}},
		{"nvcc -Xcompiler -DHOST_ONLY -ccbin g++ -include -DNOT", syntax.Config{}},
		{"nvcc --options-file flags.rsp", syntax.Config{Defines: append([]string{"FROM_RSP"}, repeat("DEEPER", maxResponseFiles-1)...), IncludeDirs: []string{in("inc")}}},
		{"nvcc -optf missing.rsp -DX", syntax.Config{Defines: []string{"X"}}},
		{"nvcc -D", syntax.Config{}},
	}
	for _, c := range cases {
		if got := parse(dir, split(c.line)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\ngives %+v\nwant  %+v", c.line, got, c.want)
		}
	}
}

func TestConfigOfAFileAndItsNeighbours(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "build", Name), encode(t, []command{
		{Directory: dir, File: "src/a.cu", Command: "nvcc -DA src/a.cu"},
		{Directory: dir, File: "src/a.cu", Command: "nvcc -DSECOND src/a.cu"},
		{Directory: "..", File: "src/deep/b.cu", Arguments: []string{"nvcc", "-DB"}},
	}))
	db, err := Load(filepath.Join(dir, "build"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"src/a.cu": "A", "src/a.cuh": "A", "include/b.cuh": "B", "src/deep/c.cuh": "B", "src/x.cuh": "A",
	} {
		if got := db.Config(filepath.Join(dir, path)).Defines; len(got) != 1 || got[0] != want {
			t.Errorf("%s is compiled with %v, want %s", path, got, want)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "CMAKE_EXPORT_COMPILE_COMMANDS") {
		t.Errorf("a folder without a database: %v", err)
	}
	write(t, filepath.Join(dir, Name), "{")
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "no compilation database") {
		t.Errorf("a broken database: %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func repeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}
