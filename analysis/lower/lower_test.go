package lower

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

var update = flag.Bool("update", false, "write what lowering gives into the archives")

func TestMain(m *testing.M) {
	panicInTests = true
	flag.Parse()
	os.Exit(m.Run())
}

// lowerText lowers the file a.cu of a set of files.
func lowerText(files map[string]string) *ir.Module {
	provider := source.Map{}
	for name, text := range files {
		provider[name] = source.New(name, text)
	}
	return Module(syntax.Parse(context.Background(), provider, "a.cu", syntax.Config{}, nil))
}

// A function that an invariant breaks for is unknown, wherever that happens, and keeps its name.
func TestBrokenInvariant(t *testing.T) {
	panicInTests = false
	defer func() { panicInTests = true }()
	un := &unitState{ctx: t.Context()}
	for name, build := range map[string]func(*lowerer){
		"as it is made":     func(l *lowerer) { panic("broken") },
		"as it is finished": func(l *lowerer) { l.fn.Body = []ir.Stmt{(*ir.Assign)(nil)} },
	} {
		fn := un.withRestarts(func(l *lowerer) {
			l.fn.Name = "k"
			build(l)
		})
		if fn.Name != "k" || fn.Body != nil || len(fn.Unknowns) != 1 || fn.Unknowns[0] != internalError {
			t.Errorf("%s: %q, unknown for %q", name, fn.Name, fn.Unknowns)
		}
	}
}

func printModule(t *testing.T, m *ir.Module) string {
	t.Helper()
	var b bytes.Buffer
	for _, f := range append(append([]*ir.Func{}, m.Kernels...), m.Hosts...) {
		if err := ir.Check(f); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if err := ir.Print(&b, f, false); err != nil {
			t.Fatal(err)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestGolden lowers the .cu files of each archive and compares with its file "want".
func TestGolden(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			want := -1
			for i, f := range a.Files {
				if f.Name == "want" {
					want = i
					continue
				}
				files[f.Name] = string(f.Data)
			}
			got := printModule(t, lowerText(files))
			if *update {
				if want < 0 {
					a.Files = append(a.Files, txtar.File{Name: "want"})
					want = len(a.Files) - 1
				}
				a.Files[want].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want < 0 || string(a.Files[want].Data) != got {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

// TestTruncated lowers every prefix, in steps, of the archives' files: half-typed code.
func TestTruncated(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if f.Name != "a.cu" {
				continue
			}
			for n := 0; n < len(f.Data); n += 7 {
				m := lowerText(map[string]string{"a.cu": string(f.Data[:n])})
				for _, k := range append(append([]*ir.Func{}, m.Kernels...), m.Hosts...) {
					if err := ir.Check(k); err != nil {
						t.Fatalf("%s cut at %d: %s: %v", filepath.Base(path), n, k.Name, err)
					}
				}
			}
		}
	}
}

// BenchmarkModule lowers all archives; the parse is not counted.
func BenchmarkModule(b *testing.B) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		b.Fatal("no archives", err)
	}
	var units []*syntax.Unit
	var bytes int64
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			b.Fatal(err)
		}
		text := string(a.Files[0].Data)
		bytes += int64(len(text))
		units = append(units, syntax.Parse(context.Background(), source.Map{"a.cu": source.New("a.cu", text)}, "a.cu", syntax.Config{}, nil))
	}
	b.SetBytes(bytes)
	for b.Loop() {
		for _, u := range units {
			Module(u)
		}
	}
}

// FuzzModule lowers any text: no crash, and only functions that pass the sanity checker.
func FuzzModule(f *testing.F) {
	for _, pattern := range []string{"testdata/*.txtar", "testdata/agree/*.cu"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			if a := txtar.Parse(data); len(a.Files) > 0 {
				data = a.Files[0].Data
			}
			f.Add(string(data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := lowerText(map[string]string{"a.cu": text})
		for _, k := range append(append([]*ir.Func{}, m.Kernels...), m.Hosts...) {
			if err := ir.Check(k); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestManyKernels: each kernel that the text spells out is lowered, however many there are; of a template's
// instances only so many, with one unknown in the place of the others.
func TestManyKernels(t *testing.T) {
	const more = maxKernels + 10
	var plain, launches strings.Builder
	for i := range more {
		fmt.Fprintf(&plain, "__global__ void k%d(int *a) { a[threadIdx.x] = %d; }\n", i, i)
		fmt.Fprintf(&launches, "    t<%d><<<1, 32>>>(a);\n", i)
	}
	if n := len(lowerText(map[string]string{"a.cu": plain.String()}).Kernels); n != more {
		t.Errorf("%d kernels are lowered, %d are there", n, more)
	}
	m := lowerText(map[string]string{"a.cu": "template <int N> __global__ void t(int *a) { a[threadIdx.x] = N; }\nvoid run(int *a) {\n" + launches.String() + "}\n"})
	if n := len(m.Kernels); n != maxKernels+1 {
		t.Errorf("%d instances, want %d and the one for the others", n, maxKernels)
	}
	if last := m.Kernels[len(m.Kernels)-1]; len(last.Unknowns) != 1 {
		t.Errorf("the one for the others is unknown for %q", last.Unknowns)
	}
}
