package syntax

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis/source"
)

// TestExpand runs the archives of testdata/expand: the file a.cu with the flags given must
// expand to want, apart from empty lines and blanks at line ends.
func TestExpand(t *testing.T) {
	archives, err := filepath.Glob("testdata/expand/*.txtar")
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
				files[filepath.FromSlash(f.Name)] = source.New(filepath.FromSlash(f.Name), string(f.Data))
			}
			text := func(name string) string {
				if f, ok := files.File(name); ok {
					return f.Text
				}
				return ""
			}
			u := Parse(context.Background(), files, "a.cu", flags(text("flags")), nil)
			if got, want := tidy(u.Text), tidy(text("want")); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			var problems strings.Builder
			for _, p := range u.Problems {
				f, _ := files.File(p.Span.File)
				fmt.Fprintf(&problems, "%s:%d: %s\n", p.Span.File, f.Position(p.Span.Start).Line, p.Message)
			}
			if got, want := tidy(problems.String()), tidy(text("problems")); got != want {
				t.Errorf("problems:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func flags(line string) (c Config) {
	words := strings.Fields(line)
	for i := 0; i+1 < len(words); i += 2 {
		list := map[string]*[]string{"-D": &c.Defines, "-U": &c.Undefines, "-I": &c.IncludeDirs, "-include": &c.Includes}[words[i]]
		*list = append(*list, words[i+1])
	}
	return c
}

func tidy(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimRight(line, " \t\r"); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// TestVerbatim says that text without macros, comments and directives stays as it is.
func TestVerbatim(t *testing.T) {
	for _, text := range []string{
		"int a;\r\n\tint b ;\n\n",
		"char *s = \"// no comment /* \\\" N\", c = '\\'';\n",
		"auto r = R\"x(\" // )\" /* )x\"; double d = 1e+5 + .5 + 0x1p-3 + 1'000;\n",
		"int größe = 1; // ",
		"k<<<1, 2>>>(a->b, c::d); a<b<c<d>>> e;",
		"\x00\xff\xfe",
		"@ ` \\ $x",
	} {
		text, _, _ = strings.Cut(text, "// ")
		u := parse(t, text)
		if strings.IndexByte(text, 0) >= 0 {
			text = ""
		}
		if u.Text != text {
			t.Errorf("%q became %q", text, u.Text)
		}
	}
	if u := parse(t, "\ufeffint a\\\r\nb;"); u.Text != "int ab;" {
		t.Errorf("byte order mark and splice: %q", u.Text)
	}
}

func TestLimits(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("#define A0 x\n")
	for i := range 60 {
		fmt.Fprintf(&bomb, "#define A%d A%d A%d\n", i+1, i, i)
	}
	for name, test := range map[string]struct{ text, problem string }{
		"objects":   {bomb.String() + "A60", "macros make more than"},
		"arguments": {"#define F(x) x x\n" + strings.Repeat("F(", 60) + "1" + strings.Repeat(")", 60), "macros make more than"},
		"self":      {"#include \"a.cu\"\n#include \"a.cu\"\nint x;", "includes itself again and again"},
		"brackets":  {"int x = " + strings.Repeat("(", 1e6) + ";", "nests too deep"},
		"calls":     {"#define F(x) x\n" + strings.Repeat("F(", 1e5), "macros make more than"},
		"nested":    {"#define F(x) x\n" + strings.Repeat("F(", 1e4) + strings.Repeat(")", 1e4), "macros make more than"},
		"condition": {"#if " + strings.Repeat("(", 1e5) + "\n#endif\n#if " + strings.Repeat("!", 1e5) + "\n#endif", "can't be evaluated"},
		"unary":     {"int x = " + strings.Repeat("!", 2e4) + ";", "nests too deep"},
		"braces":    {strings.Repeat("{", 1e5), "nests too deep"},
		"closing":   {strings.Repeat("}", 1e3), ""},
		"open":      {strings.Repeat("namespace {", 1e4), "nests too deep"},
		"ifs":       {strings.Repeat("#if 1\n", 1e5), "#if without #endif"},
		"comments":  {strings.Repeat("/*\n", 1e5), "the comment does not end"},
		"raw":       {"const char *s = R\"(\nint x;\n", "the raw string does not end"},
		"quotes":    {strings.Repeat("\"\n'\n", 1e3), ""},
	} {
		t.Run(name, func(t *testing.T) {
			u := parse(t, test.text)
			found := test.problem == "" && len(u.Problems) == 0
			for _, p := range u.Problems {
				found = found || test.problem != "" && strings.Contains(p.Message, test.problem)
			}
			if !found || len(u.Problems) > maxProblems {
				t.Errorf("%d problems, such as %v, want %q", len(u.Problems), u.Problems[:min(3, len(u.Problems))], test.problem)
			}
		})
	}
}
