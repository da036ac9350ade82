package lower

// This file tests lowering on programs in which a few tokens are wrong, as they are while
// somebody types.

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis/ir"
)

var mutantCount = flag.Int("mutants", 150, "programs that TestMutated makes")

var tokenPattern = regexp.MustCompile(`\s+|"[^"\n]*"|'[^'\n]*'|\w+|<<<|>>>|::|->|[-+*/%&|^<>=!]=|&&|\|\||<<|>>|.`)

// strangeTokens are of kinds that an operation does not expect.
var strangeTokens = []string{"1.5f", "nullptr", `"text"`, "this", "float", "1ull << 63", "-1", "true", "{}", "()", "[]", "*", "&", "<", ">", ",", ";", "{", "}", "(", ")", "sizeof", "new", "delete", "template", "struct", "void", "auto", "const", "::", "..."}

// seedPrograms are the programs of the archives and of TestAgree.
func seedPrograms(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"testdata/*.txtar", "testdata/agree/*.cu"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal("no programs", err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if a := txtar.Parse(data); len(a.Files) > 0 {
				data = a.Files[0].Data
			}
			out = append(out, string(data))
		}
	}
	return out
}

// mutate changes a few tokens of a program: it deletes, repeats, exchanges or replaces them.
func mutate(r *rand.Rand, tokens, others []string) string {
	list := append([]string{}, tokens...)
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(list)), r.IntN(len(list))
		switch r.IntN(7) {
		case 0:
			list[i] = ""
		case 6:
			list[i] += "_"
		case 1:
			list[i] += " " + list[i]
		case 2:
			list[i], list[j] = list[j], list[i]
		case 3:
			list[i] = others[r.IntN(len(others))]
		case 4:
			list[i] = strangeTokens[r.IntN(len(strangeTokens))]
		case 5:
			list = append(append(append([]string{}, list[:i]...), " "), list[min(i+r.IntN(8), len(list)-1):]...)
		}
	}
	return strings.Join(list, "")
}

// TestMutated lowers programs with mistakes: no crash, and only functions that pass the checker.
func TestMutated(t *testing.T) {
	t.Parallel()
	programs := seedPrograms(t)
	var tokens [][]string
	var all []string
	for _, p := range programs {
		list := tokenPattern.FindAllString(p, -1)
		tokens, all = append(tokens, list), append(all, list...)
	}
	r := rand.New(rand.NewPCG(5, uint64(*mutantCount)))
	seen := map[string]bool{}
	for range *mutantCount {
		text := mutate(r, tokens[r.IntN(len(tokens))], all)
		if problem := lowerBroken(text); problem != "" && !seen[problem] {
			seen[problem] = true
			t.Errorf("%s\n%s", problem, text)
		}
	}
}

// frames finds the places of the lowering in a stack.
var frames = regexp.MustCompile(`lower/[a-z]+\.go:\d+`)

// lowerBroken says what is wrong with the lowering of a text, "" if nothing is.
func lowerBroken(text string) (problem string) {
	defer func() {
		if r := recover(); r != nil {
			problem = fmt.Sprint(r, "\n", strings.Join(frames.FindAllString(string(debug.Stack()), 12), "\n"))
		}
	}()
	m := lowerText(map[string]string{"a.cu": text})
	for _, k := range append(append([]*ir.Func{}, m.Kernels...), m.Hosts...) {
		if err := ir.Check(k); err != nil {
			return err.Error()
		}
	}
	return ""
}
