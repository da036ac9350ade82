package buildflags

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// TestFor runs the archives of testdata: the flags found for each line of "ask" must read as
// "want" says. Paths are below /w.
func TestFor(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := source.Map{}
			for _, f := range archive.Files {
				path := filepath.FromSlash("/w/" + f.Name)
				files[path] = source.New(path, string(f.Data))
			}
			finder := NewFinder(files)
			var got strings.Builder
			for _, path := range strings.Fields(files[filepath.FromSlash("/w/ask")].Text) {
				got.WriteString(path + ":" + show(finder.For(filepath.FromSlash("/w/"+path))) + "\n")
			}
			if want := files[filepath.FromSlash("/w/want")].Text; got.String() != want {
				t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
			}
		})
	}
}

func show(r Result) string {
	var b strings.Builder
	put := func(name string, list ...string) {
		for _, s := range list {
			if s != "" {
				b.WriteString(" " + name + strings.TrimPrefix(filepath.ToSlash(s), "/w/"))
			}
		}
	}
	put("-I", r.IncludeDirs...)
	put("-D", r.Defines...)
	put("-U", r.Undefines...)
	put("-include ", r.Includes...)
	if r.Arch != 0 {
		fmt.Fprintf(&b, " arch %d", r.Arch)
	}
	put("from ", r.Database)
	put("of ", r.Borrowed)
	for _, p := range r.Problems {
		put("problem ", p.Span.File)
	}
	return b.String()
}

func TestConfig(t *testing.T) {
	for _, test := range []struct {
		args string
		want syntax.Config
	}{
		{"", syntax.Config{}},
		{"-Iinc -I /abs --include-path=x,y -isystem sys -idirafter last -iquote q", syntax.Config{IncludeDirs: []string{"/w/inc", "/abs", "/w/x", "/w/y", "/w/q", "/w/sys", "/w/last"}}},
		{"-DA -D B=2 --define-macro=C=3 -DD,E=5 -DF(x,y)=x,y -UG --undefine-macro H -UA -DA=1", syntax.Config{
			Defines: []string{"A", "B=2", "C=3", "D", "E=5", "F(x,y)=x,y", "A=1"}, Undefines: []string{"G", "H"}}},
		{"-include pre.h --pre-include=b.h", syntax.Config{Includes: []string{"/w/pre.h", "/w/b.h"}}},
		{"-std=c++20", syntax.Config{Defines: []string{"__cplusplus=202002L"}}},
		{"--std gnu++14 -stdlib=libc++ -std=c11", syntax.Config{Defines: []string{"__cplusplus=201402L"}}},
		{"-arch=sm_70", syntax.Config{Arch: 700}},
		{"-arch native -gencode arch=compute_70,code=sm_75 -gencode=arch=compute_80,code=[sm_80,compute_80] --generate-code arch=compute_61,code=sm_61", syntax.Config{Arch: 800}},
		{"--cuda-gpu-arch=sm_90a --offload-arch=sm_86", syntax.Config{Arch: 900}},
		{"--gpu-architecture compute_100", syntax.Config{Arch: 1000}},
		{"-arch=sm_ -gencode arch=,code= -gencode -arch", syntax.Config{}},
		{"-Xcompiler -fopenmp,-DHOST -Xcompiler=-fPIC -rdc=true -x cu -o -Iout -lineinfo -O3 -unknown a.cu", syntax.Config{Defines: []string{"_OPENMP=201511", "HOST", "__CUDACC_RDC__"}}},
		{"-I", syntax.Config{}},
	} {
		if got := config(strings.Fields(test.args), "/w"); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q:\n got %+v\nwant %+v", test.args, got, test.want)
		}
	}
}

// TestRenew changes the database, then who includes a header, each under a new Finder.
func TestRenew(t *testing.T) {
	files := source.Map{}
	write := func(name, text string) {
		path := filepath.FromSlash("/w/" + name)
		files[path] = source.New(path, text)
	}
	commands := func(a, b string) {
		write("compile_commands.json", `[{"file": "a.cu", "command": "nvcc `+a+` a.cu"}, {"file": "b.cu", "command": "nvcc `+b+` b.cu"}]`)
	}
	header := filepath.FromSlash("/w/h.cuh")
	write("h.cuh", "")
	write("a.cu", `#include "h.cuh"`)
	write("b.cu", "")
	commands("-DA", "-DB")
	finder := NewFinder(files)
	for _, step := range []struct {
		change func()
		want   string
	}{
		{func() {}, "A"},
		{func() { commands("-DA2", "-DB2") }, "A2"},
		{func() { write("a.cu", ""); write("b.cu", `#include "h.cuh"`) }, "B2"},
	} {
		step.change()
		finder = finder.Renew(files)
		if got := finder.For(header).Defines; !reflect.DeepEqual(got, []string{step.want}) {
			t.Errorf("got %v, want %s", got, step.want)
		}
	}
}

func TestWith(t *testing.T) {
	build := syntax.Config{Defines: []string{"A"}, Undefines: []string{"B", "C"}, IncludeDirs: []string{"/inc"}, Arch: 800}
	want := syntax.Config{Defines: []string{"A", "B(x)=x"}, Undefines: []string{"C"}, IncludeDirs: []string{"own", "/inc"}, Arch: 800}
	if got := With(build, []string{"B(x)=x"}, []string{"own"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Without build files, the folders of headers are those of the project: up to its repository, and not of one beside it.
func TestGuessed(t *testing.T) {
	tree := map[string][]string{
		"/w": {"include", "p", "loose"}, "/w/p": {".git", "Common", "docs", "samples"}, "/w/p/Common": {"inc"}, "/w/p/Common/inc": nil,
		"/w/p/samples": {"one", "include"}, "/w/p/samples/include": nil, "/w/p/samples/one": {"src"}, "/w/p/samples/one/src": nil,
		"/w/loose": {"src", "include"}, "/w/loose/src": nil, "/w/loose/include": nil,
	}
	folders := func(dir string) ([]string, bool) {
		names, ok := tree[filepath.ToSlash(dir)]
		return names, ok
	}
	for _, test := range []struct {
		path string
		want []string
	}{
		{"/w/p/samples/one/src/a.cu", []string{"/w/p/samples/one/src", "/w/p/samples/one", "/w/p/samples/one/src", "/w/p/samples", "/w/p/samples/include", "/w/p", "/w/p/Common", "/w/p/Common/inc"}},
		{"/w/loose/src/a.cu", []string{"/w/loose/src", "/w/loose", "/w/loose/src", "/w/loose/include"}},
		{"/elsewhere/a.cu", nil},
	} {
		finder := NewFinder(source.Map{})
		finder.Folders = folders
		var got []string
		for _, dir := range finder.For(filepath.FromSlash(test.path)).Guessed {
			got = append(got, filepath.ToSlash(dir))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.path, got, test.want)
		}
	}
	flags := filepath.FromSlash("/w/p/compile_flags.txt")
	finder := NewFinder(source.Map{flags: source.New(flags, "-Iown")})
	finder.Folders = folders
	if named := finder.For(filepath.FromSlash("/w/p/a.cu")).Config.Folders(); len(named) != 1 {
		t.Errorf("a build file names one folder, and these are %q", named)
	}
}

func TestSplitWords(t *testing.T) {
	for _, test := range []struct {
		line    string
		windows bool
		want    []string
	}{
		{` a  "b c"d 'e "f' g\ h \"i `, false, []string{"a", "b cd", `e "f`, "g h", `"i`}},
		{`-DNAME=\"x\" "-DTEXT=\"a b\"" ''`, false, []string{`-DNAME="x"`, `-DTEXT="a b"`, ""}},
		{`C:\bin\nvcc.exe -I"C:\a b\inc" -DX=\"y\" it's`, true, []string{`C:\bin\nvcc.exe`, `-IC:\a b\inc`, `-DX="y"`, "it's"}},
		{"a \\\n b\n\"open", false, []string{"a", "b", "open"}},
	} {
		if got := splitWords(test.line, test.windows); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: got %q, want %q", test.line, got, test.want)
		}
	}
}

func FuzzFor(f *testing.F) {
	f.Add(`[{"directory":"/w","file":"a.cu","command":"nvcc @r -I x -gencode arch=compute_80"}]`, "-Dx @r", "CompileFlags: {Add: [-I, y], Remove: '-D*'}")
	f.Add(`[{"file":"../a.cu","arguments":["clang","--options-file","r,r"]}]`, `"\`, "If:\n  PathMatch: '['\n---\n- 1")
	f.Fuzz(func(t *testing.T, database, response, clangd string) {
		files := source.Map{}
		for name, text := range map[string]string{"compile_commands.json": database, "r": response, ".clangd": clangd, "a.cu": "#include \"b.h\"\n# include <", "b.h": ""} {
			path := filepath.FromSlash("/w/" + name)
			files[path] = source.New(path, text)
		}
		NewFinder(files).For(filepath.FromSlash("/w/b.h"))
	})
}
