package architecture

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOurOwnSource applies the invariants to the tracked files of this repository.
func TestOurOwnSource(t *testing.T) {
	tree := trackedFiles(t)
	if len(tree) < 20 {
		t.Fatalf("only %d tracked files found", len(tree))
	}
	for _, broken := range All(tree) {
		t.Error(broken)
	}
}

// trackedFiles reads what git tracks, with new files that it does not ignore.
func trackedFiles(t *testing.T) Tree {
	t.Helper()
	root := filepath.Join("..", "..")
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	tree := Tree{}
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		tree[name] = string(text)
	}
	return tree
}

// TestViolationsAreFound breaks each invariant once in a small tree that keeps them all.
func TestViolationsAreFound(t *testing.T) {
	good := Tree{
		"analysis/source/source.go":       goFile("source", "strings"),
		"analysis/race/race.go":           goFile("race", Module+"/analysis/source") + "type Rule string\nconst (\n\tMissingX Rule = \"missing-x\"\n)\n",
		"analysis/syntax/syntax.go":       goFile("syntax", "C", "github.com/tree-sitter/go-tree-sitter"),
		"analysis/analysis.go":            goFile("analysis", Module+"/analysis/syntax"),
		"analysis/analysis_test.go":       goFile("analysis", "os"),
		"dynamic/dynamic.go":              goFile("dynamic", "os", Module+"/analysis/race"),
		"lsp/lsp.go":                      goFile("lsp", "go.lsp.dev/protocol", Module+"/analysis", Module+"/dynamic"),
		"cmd/warplint/main.go":            goFile("main", "github.com/spf13/cobra", Module+"/lsp"),
		"internal/report/report.go":       goFile("report", Module+"/analysis/rules"),
		"analysis/rules/missingx/rule.go": goFile("missingx"),
		"analysis/rules/missingx/rule.md": "page",
		"docs/rules/missing-x.md":         "page",
	}
	if broken := All(good); len(broken) > 0 {
		t.Fatalf("the good tree is said to be broken: %v", broken)
	}
	home := "/" + "home/someone"
	cases := []struct{ name, file, text, want string }{
		{"source is a leaf", "analysis/source/x.go", goFile("source", Module+"/analysis/race"), "source is a leaf"},
		{"source imports std only", "analysis/source/x.go", goFile("source", "golang.org/x/text"), "source is a leaf"},
		{"race imports source only", "analysis/race/x.go", goFile("race", Module+"/analysis/ir"), "nothing but source"},
		{"analysis imports dynamic", "analysis/x.go", goFile("analysis", Module+"/dynamic"), "nothing of its users"},
		{"analysis imports lsp in a test", "analysis/prove/x_test.go", goFile("prove", Module+"/lsp"), "nothing of its users"},
		{"analysis imports cmd", "analysis/rules/x.go", goFile("rules", Module+"/cmd/warplint"), "nothing of its users"},
		{"analysis imports internal", "analysis/x.go", goFile("analysis", Module+"/internal/disk"), "nothing of its users"},
		{"dynamic imports the analysis", "dynamic/sim/x.go", goFile("sim", Module+"/analysis"), "shares only the vocabulary"},
		{"dynamic imports lsp", "dynamic/x.go", goFile("dynamic", Module+"/lsp"), "shares only the vocabulary"},
		{"lsp imports cmd", "lsp/x.go", goFile("lsp", Module+"/cmd/warplint"), "does not know the command line"},
		{"cgo outside syntax", "analysis/lower/x.go", goFile("lower", "C"), "cgo stays"},
		{"tree-sitter outside syntax", "lsp/x.go", goFile("lsp", "github.com/tree-sitter/go-tree-sitter"), "only syntax knows"},
		{"protocol types in the analysis", "analysis/x.go", goFile("analysis", "go.lsp.dev/protocol"), "protocol types"},
		{"file access in the analysis", "analysis/lower/x.go", goFile("lower", "os"), "no file I/O"},
		{"a process in the analysis", "analysis/prove/x.go", goFile("prove", "os/exec"), "no file I/O"},
		{"a network in the analysis", "analysis/x.go", goFile("analysis", "net/http"), "no file I/O"},
		{"a look at the disk in the analysis", "analysis/syntax/x.go", goFile("syntax", "path/filepath") + "var x, _ = filepath.Abs(\"x\")\n", "calls filepath.Abs"},
		{"a rule without a page", "analysis/race/race.go", strings.ReplaceAll(good["analysis/race/race.go"], "missing-x", "missing-y"), "rule missing-y lacks analysis/rules/missingy/rule.md"},
		{"a rule without docs", "docs/rules/missing-x.md", "", "lacks docs/rules/missing-x.md"},
		{"a machine's path", "docs/x.md", "run `" + home + "/bin/x`\n", "a path of one machine"},
		{"a file that does not parse", "lsp/x.go", "packag lsp", "expected 'package'"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tree := maps.Clone(good)
			tree[c.file] = c.text
			if c.text == "" {
				delete(tree, c.file)
			}
			broken := strings.Join(All(tree), "\n")
			if !strings.Contains(broken, c.want) {
				t.Errorf("not found; All says %q, want %q in it", broken, c.want)
			}
		})
	}
}

func goFile(name string, imports ...string) string {
	var b strings.Builder
	b.WriteString("package " + name + "\n")
	for _, i := range imports {
		b.WriteString("import _ \"" + i + "\"\n")
	}
	return b.String()
}
