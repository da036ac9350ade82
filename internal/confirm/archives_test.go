package confirm

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic"
)

// classes are why a run may not show a warning, by a part of what it says; the first one counts.
var classes = []struct{ part, why string }{
	{"file not found", "includes a header of another project"},
	{"clang does not compile it", "does not compile by itself"},
	{"no kernel", "a template that nothing instantiates"},
	{"no thread waits for ever", "a barrier for which threads that have ended are not waited for"},
	{"misaligned", "the kernel faults: a misaligned access"},
	{"the kernel faults", "the kernel faults"},
	{"in no allocation", "the kernel faults: memory that nobody allocates"},
	{"limit reached", "too long for a confirmation, or for ever in a loop"},
	{"wait", "threads wait for what never comes"},
	{"did not watch", "more threads than the detector watches"},
	{"at others", "threads race on the variable, at other places"},
	{"the memory that the launch began with", "not on the orders and contents that were tried"},
}

// TestArchives confirms the warnings of the archives of test programs, and counts why the others are not seen. It takes half an hour:
//
//	WARPLINT_CONFIRM=1 go test ./internal/confirm -run TestArchives -v -timeout 2h
func TestArchives(t *testing.T) {
	if os.Getenv("WARPLINT_CONFIRM") == "" {
		t.Skip("takes half an hour; WARPLINT_CONFIRM=1 runs it")
	}
	paths, err := filepath.Glob(cmp.Or(os.Getenv("WARPLINT_ARCHIVES"), "../../analysis/testdata/*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	dir, programs := t.TempDir(), make(chan program)
	var lock sync.Mutex
	counts, all := map[string]int{}, 0
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			engine := analysis.NewEngine()
			for p := range programs {
				path := filepath.Join(dir, strings.ReplaceAll(p.name, "/", "-"))
				file := source.New(path, p.text)
				files := source.Map{path: file}
				if err := os.WriteFile(path, []byte(p.text), 0o600); err != nil {
					t.Error(err)
					continue
				}
				var code dynamic.Code
				for _, f := range engine.Check(context.Background(), analysis.Request{Files: files, Path: path}).Findings {
					if f.Severity < race.Warning {
						continue
					}
					c, _, err := Run(t.Context(), files, f, Options{File: path, Code: &code})
					if err != nil {
						t.Error(err)
						continue
					}
					why := "seen"
					if !c.Seen {
						why = classOf(c.Reason)
						t.Logf("%s:%d:%d %s: %s", p.name, file.Position(f.First.Span.Start).Line, file.Position(f.Second.Span.Start).Line, f.Rule, c.Reason)
					}
					lock.Lock()
					counts[why]++
					all++
					lock.Unlock()
				}
				code.Remove()
			}
		})
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".cu") {
				programs <- program{strings.TrimSuffix(filepath.Base(path), ".txtar") + "/" + f.Name, string(f.Data)}
			}
		}
	}
	close(programs)
	workers.Wait()
	for why, n := range counts {
		t.Logf("| %d | %s |", n, why)
	}
	t.Logf("%d of %d warnings were seen on the simulator", counts["seen"], all)
}

func classOf(reason string) string {
	i := slices.IndexFunc(classes, func(c struct{ part, why string }) bool { return strings.Contains(reason, c.part) })
	if i < 0 {
		return reason
	}
	return classes[i].why
}
