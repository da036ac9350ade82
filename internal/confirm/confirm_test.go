package confirm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/source"
)

// reasons are the findings of our own programs that a run does not show, by file and rule; each
// value is a part of the reason. Everything else must be seen.
var reasons = map[string]string{
	// The threads that pass the barrier by run to their end. Compiled code does not tell that from a
	// return, and the hardware goes on without them.
	"barrierdivergence/testdata/branches.cu barrier-divergence": "no thread waits for ever",
	"barrierdivergence/testdata/guards.cu barrier-divergence":   "no thread waits for ever",
	// So do lanes that the mask of an exchange leaves out.
	"barrierdivergence/testdata/exchanges.cu barrier-divergence": "no thread waits for ever",
	"racy/conditional_sync.cu barrier-divergence":                "no thread waits for ever",
	"racy/divloop.cu barrier-divergence":                         "no thread waits for ever",
	"racy/warpbar.cu barrier-divergence":                         "no thread waits for ever",
	"racy/ragged_function.cu barrier-divergence":                 "no thread waits for ever",
	"racy/mode_of_a_divergent_barrier.cu barrier-divergence":     "no thread waits for ever",
	// The grid of the witness has more blocks than the detector watches.
	"racy/stored_dim3.cu inter-block-race": "did not watch",
	"racy/stored_dim3.cu same-value-write": "did not watch",
	// A structure is one parameter of the compiled kernel, of unknown layout.
	"racy/aliasstruct.cu inter-block-race": "has no parameter",
	// A table of pointers is full of zeros there.
	"racy/ptrptr.cu missing-syncwarp": "in no allocation",
	// The interpreter lets a 4-byte access straddle two words; the hardware does not.
	"racy/misal.cu inter-block-race": "misaligned access",
	// Rows whose length is no multiple of four bytes: the same.
	"racy/narrowpitch.cu inter-block-race": "misaligned access",
	// Between two takings of the lock there is always its release in these schedules.
	"lockscope/testdata/typed.cu lock-scope": "threads do race on `lock` at others",
	// The lock is given up after n attempts; few schedules let its holder wait that long.
	"racy/lockor.cu inter-block-race": "not seen in 4 schedules",
	// Who takes the lock leaves it free: two must be inside at the same moment.
	"racy/lock_taken_with_zero.cu inter-block-race": "not seen in",
	// The two writes of one range meet only where memory lets two blocks begin at one place.
	"racy/ranges_of_block.cu same-value-write": "threads do race on `out` at others",
	// A block must fail to take the lock, and write before the other gives it back.
	"racy/trylock.cu inter-block-race": "not seen in",
}

// program is a file to check, which may not be on disk.
type program struct{ name, text string }

// ownPrograms are the examples, the test data of the rules, and the kernels that race by a
// mistake each.
func ownPrograms(t *testing.T) (all []program) {
	t.Helper()
	for _, pattern := range []string{"../../examples/*.cu", "../../analysis/rules/*/testdata/*.cu"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no files: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, program{strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(path), "../../analysis/rules/"), "../../"), string(text)})
		}
	}
	archive, err := txtar.ParseFile("../../analysis/testdata/racy.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		all = append(all, program{"racy/" + f.Name, string(f.Data)})
	}
	return all
}

// TestOwnPrograms confirms every static finding of our own programs.
func TestOwnPrograms(t *testing.T) {
	dir := t.TempDir()
	engine := analysis.NewEngine()
	seen, all := 0, 0
	for _, p := range ownPrograms(t) {
		path := filepath.Join(dir, strings.ReplaceAll(p.name, "/", "-"))
		file := source.New(path, p.text)
		files := source.Map{path: file}
		if err := os.WriteFile(path, []byte(p.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, f := range engine.Check(context.Background(), analysis.Request{Files: files, Path: path}).Findings {
			all++
			c, _, err := Run(t.Context(), files, f, Options{File: path, Instructions: 12_000_000})
			if err != nil {
				t.Fatal(err)
			}
			key := p.name + " " + string(f.Rule)
			why, known := reasons[key]
			switch {
			case c.Seen:
				seen++
			case !known || !strings.Contains(c.Reason, why):
				t.Errorf("%s, line %d and %d, %s: %s", key, file.Position(f.First.Span.Start).Line,
					file.Position(f.Second.Span.Start).Line, f.Kind, c.Reason)
			}
		}
	}
	t.Logf("%d of %d findings were seen on the simulator", seen, all)
}
