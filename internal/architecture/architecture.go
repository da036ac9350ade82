// Package architecture holds the invariants of docs/architecture.md as code, and its test
// applies them to warplint's own source. Each invariant is a function over a Tree, so that
// the test can also apply it to small trees that break it.
package architecture

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Module is the import path of the repository's root.
const Module = "github.com/warplint/warplint"

// Tree is the tracked files by their path from the root, with slashes.
type Tree map[string]string

// file is one Go file of the tree.
type file struct {
	path    string
	folder  string // of the package, "." for the root
	test    bool
	imports []string
	syntax  *ast.File
}

// All applies every invariant and returns what breaks them, sorted.
func All(tree Tree) []string {
	files, broken := goFiles(tree)
	for _, f := range files {
		broken = append(broken, checkImports(f)...)
		broken = append(broken, checkDiskCalls(f)...)
	}
	broken = append(broken, checkRules(tree)...)
	broken = append(broken, checkPaths(tree)...)
	broken = append(broken, checkLinks(tree)...)
	broken = append(broken, checkSizes(tree)...)
	sort.Strings(broken)
	return broken
}

func goFiles(tree Tree) (files []file, broken []string) {
	for name, text := range tree {
		if path.Ext(name) != ".go" || strings.Contains("/"+name, "/testdata/") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			broken = append(broken, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		f := file{path: name, folder: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), syntax: parsed}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err == nil {
				f.imports = append(f.imports, imported)
			}
		}
		files = append(files, f)
	}
	return files, broken
}

// boundary says what the packages below a folder may import of this module.
type boundary struct {
	folder string
	within []string // folders of this module that may be imported, with what is below them
	why    string
}

// boundaries apply from the first that matches a file's folder.
var boundaries = []boundary{
	{"analysis/source", nil, "source is a leaf"},
	{"analysis/race", []string{"analysis/source"}, "the vocabulary imports nothing but source"},
	{"analysis/ir", []string{"analysis/race", "analysis/source", "analysis/ir"}, "the IR knows no stage that makes or reads it"},
	{"analysis", []string{"analysis"}, "the analysis knows nothing of its users"},
	{"dynamic", []string{"dynamic", "analysis/race", "analysis/source", "analysis/syntax/headers"}, "the dynamic side shares only the vocabulary and CUB's header with the static one"},
	{"lsp", []string{"lsp", "analysis", "dynamic", "internal"}, "the server does not know the command line"},
	{"internal/report", []string{"internal", "analysis/race", "analysis/source", "analysis/rules"}, "a report shows findings, whoever made them"},
	{"internal/confirm", []string{"analysis", "dynamic"}, "confirm joins findings and runs, for the server and the commands"},
	{"internal", []string{"internal", "analysis"}, "helpers don't know the commands"},
	{"cmd", []string{"cmd", "lsp", "dynamic", "analysis", "internal"}, "commands are the top"},
}

// owner says which folders alone may import a package, or any package below it.
type owner struct {
	imported string
	folders  []string
	why      string
}

var owners = []owner{
	{"C", []string{"analysis/syntax", "dynamic/cudart"}, "cgo stays where the parser and the CUDA runtime need it"},
	{"github.com/tree-sitter", []string{"analysis/syntax"}, "only syntax knows tree-sitter"},
	{"github.com/tree-sitter-grammars", []string{"analysis/syntax"}, "only syntax knows tree-sitter"},
	{"go.lsp.dev", []string{"lsp", "cmd"}, "protocol types stay in the server"},
	{"github.com/spf13", []string{"cmd"}, "only the command line knows cobra"},
	{"github.com/owenrumney/go-sarif", []string{"internal/report"}, "only the report knows SARIF"},
	{"github.com/go-air/gini", []string{"analysis/prove/bits"}, "only bits knows the SAT solver"},
}

// noInput are the packages of file and network access, from which the analysis is free. Its
// tests may use them. analysis/prove/z3 starts the solver, which is its purpose; analysis/hostcompiler is of tests.
var noInput = []string{"os", "os/exec", "os/signal", "io/ioutil", "net", "net/http", "syscall"}

// diskCalls are the functions of path/filepath that look at the disk; the others handle names.
var diskCalls = []string{"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"}

var mayDoInput = []string{"analysis/prove/z3", "analysis/hostcompiler"}

func checkImports(f file) []string {
	var broken []string
	complain := func(imported, why string) {
		broken = append(broken, fmt.Sprintf("%s imports %s: %s", f.path, imported, why))
	}
	for _, imported := range f.imports {
		if why := checkBoundary(f, imported); why != "" {
			complain(imported, why)
		}
		for _, o := range owners {
			if below(imported, o.imported) && !belowAny(f.folder, o.folders) {
				complain(imported, o.why)
			}
		}
		if withoutInput(f) && slices.Contains(noInput, imported) {
			complain(imported, "the analysis does no file I/O; files come in by a source.Provider")
		}
	}
	return broken
}

func withoutInput(f file) bool {
	return !f.test && below(f.folder, "analysis") && !belowAny(f.folder, mayDoInput)
}

func checkDiskCalls(f file) []string {
	var broken []string
	if !withoutInput(f) {
		return nil
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains(diskCalls, selector.Sel.Name) {
			return true
		}
		if name, ok := selector.X.(*ast.Ident); ok && name.Name == "filepath" {
			broken = append(broken, fmt.Sprintf("%s calls filepath.%s: the analysis does no file I/O", f.path, selector.Sel.Name))
		}
		return true
	})
	return broken
}

func checkBoundary(f file, imported string) string {
	for _, b := range boundaries {
		if !below(f.folder, b.folder) {
			continue
		}
		folder, ours := strings.CutPrefix(imported, Module+"/")
		switch {
		case ours && !belowAny(folder, b.within) && !(f.test && folder == f.folder):
			return b.why
		case !ours && b.within == nil && !f.test && strings.Contains(imported, "."):
			return b.why
		}
		return ""
	}
	return ""
}

// below reports whether a path is a folder or lies in it.
func below(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

func belowAny(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return below(name, folder) })
}

// rulePattern finds the names of rules where the vocabulary declares them.
var rulePattern = regexp.MustCompile(`(?m)^\s+\w+\s+(?:Rule\s+)?= "([a-z]+(?:-[a-z]+)+)"$`)

// checkRules wants for each rule that the vocabulary names a folder, a page and its docs.
func checkRules(tree Tree) []string {
	var broken []string
	declared := tree["analysis/race/race.go"]
	if at := strings.Index(declared, "type Rule string"); at >= 0 {
		declared = declared[at:]
		if end := strings.Index(declared, "\n)"); end >= 0 {
			declared = declared[:end]
		}
	} else {
		declared = ""
	}
	for _, m := range rulePattern.FindAllStringSubmatch(declared, -1) {
		folder := "analysis/rules/" + strings.ReplaceAll(m[1], "-", "")
		for _, want := range []string{folder + "/rule.go", folder + "/rule.md", "docs/rules/" + m[1] + ".md"} {
			if _, ok := tree[want]; !ok {
				broken = append(broken, fmt.Sprintf("rule %s lacks %s", m[1], want))
			}
		}
	}
	return broken
}

// pathPattern finds paths that exist on one machine only; one letter is nobody's name, and so
// an example. It is put together here so that it does not find itself.
var pathPattern = regexp.MustCompile(`(^|[\s"'(=:` + "`" + `])(/(home|Users|root|work)` + `/[\w.-]{2,}|[A-Z]:\\Users)`)

// checkPaths wants no tracked text to name a folder of a developer's machine.
func checkPaths(tree Tree) []string {
	var broken []string
	for name, text := range tree {
		if strings.ContainsRune(text, 0) {
			continue
		}
		number := 0
		for line := range strings.Lines(text) {
			number++
			if m := pathPattern.FindStringSubmatch(line); m != nil {
				broken = append(broken, fmt.Sprintf("%s:%d names %s, a path of one machine", name, number, m[2]))
			}
		}
	}
	return broken
}

const maxSize = 1 << 20 // bytes of a tracked file; what is greater was built, or fetched

func checkSizes(tree Tree) []string {
	var broken []string
	for name, text := range tree {
		if len(text) > maxSize {
			broken = append(broken, fmt.Sprintf("%s has %d KiB: what is built does not belong here", name, len(text)>>10))
		}
	}
	return broken
}

var linkPattern = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// checkLinks wants each relative link of a Markdown file to lead to a tracked file or folder.
func checkLinks(tree Tree) []string {
	folders := map[string]bool{".": true}
	for name := range tree {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	var broken []string
	for name, text := range tree {
		if path.Ext(name) != ".md" || path.Base(name) == "rule.md" { // a rule's page is linked from where docs/rules has it
			continue
		}
		for _, m := range linkPattern.FindAllStringSubmatch(text, -1) {
			link, _, _ := strings.Cut(m[1], "#")
			if link == "" || strings.Contains(link, "://") {
				continue
			}
			target := path.Join(path.Dir(name), link)
			if _, ok := tree[target]; !ok && !folders[target] {
				broken = append(broken, fmt.Sprintf("%s links to %s, which is not there", name, m[1]))
			}
		}
	}
	return broken
}
