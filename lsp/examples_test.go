package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/warplint/warplint/lsp"
)

// mostFixes bounds how many fixes an example may need.
const mostFixes = 8

// TestExamples mends every example as a user would who takes the preferred action at the first
// squiggle, again and again, and looks at the fixed examples, in which there is nothing to mend.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../examples/*.cu")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no examples: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			e := serve(t, lsp.Options{})
			e.initialize(capabilities(), nil)
			text := readFile(t, file)
			e.open("example.cu", "cuda-cpp", text)
			rule := regexp.MustCompile(`// Rule: ([a-z-]+)`).FindStringSubmatch(text)
			if all := e.pull("example.cu"); rule == nil || !hasRule(all, rule[1]) {
				t.Errorf("the diagnostics %v have none of the rule that the example names", all)
			}
			for range mostFixes {
				action := preferred(e, "example.cu")
				if action == nil {
					break
				}
				e.apply(action.Edit)
			}
			byHand := filepath.Base(file) == "counter_reset.cu" // the reset belongs before the launch
			if all := e.pull("example.cu"); len(all) > 0 != byHand {
				t.Errorf("after the preferred fixes there is still %v in\n%s", all, e.buffers["example.cu"].text)
			}
			e.open("fixed.cu", "cuda-cpp", readFile(t, filepath.Join(filepath.Dir(file), "fixed", filepath.Base(file))))
			if all := e.pull("fixed.cu"); len(all) > 0 {
				t.Errorf("the fixed example has %v", all)
			}
			e.quit()
		})
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func hasRule(all []protocol.Diagnostic, rule string) bool {
	for _, d := range all {
		if fmt.Sprint(d.Code) == rule {
			return true
		}
	}
	return false
}

// preferred returns the preferred action at the first diagnostic that has one, or nil.
func preferred(e *editor, name string) *protocol.CodeAction {
	for _, d := range e.pull(name) {
		params := &protocol.CodeActionParams{Range: d.Range, Context: protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{d}}}
		params.TextDocument.URI = e.uri(name)
		actions, err := e.server.CodeAction(e.ctx, params)
		e.must(err)
		for _, found := range actions {
			if action := found.(*protocol.CodeAction); action.IsPreferred != nil && *action.IsPreferred {
				return action
			}
		}
	}
	return nil
}
