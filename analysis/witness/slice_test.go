package witness

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/lower"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/slice"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/analysis/term"
)

// At the sites that it is sliced for, each kernel of the test data races as the whole of it does.
func TestSlicedKernelsRaceAlike(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no test data", err)
	}
	compared, statements, left := 0, 0, 0
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			files := source.Map{f.Name: source.New(f.Name, string(f.Data))}
			for _, k := range lower.Module(syntax.Parse(context.Background(), files, f.Name, syntax.Config{}, nil)).Kernels {
				ctx := context.Background()
				s := access.Summarize(ctx, term.NewTable(), k, nil, race.Dim3{}, race.Dim3{})
				var sites []int
				pairs := meet.Pairs(ctx, s, nil)
				for _, c := range pairs.Candidates {
					sites = append(sites, c.A.Site, c.B.Site)
				}
				if len(sites) == 0 {
					continue
				}
				part := slice.OfMeeting(s, sites)
				if len(pairs.Divergent) > 0 {
					part = slice.Of(s, sites)
				}
				if err := ir.Check(part); err != nil {
					t.Errorf("%s, %s: %v", f.Name, k.Name, err)
				}
				statements, left = statements+count(k), left+count(part)
				compared += compare(t, f.Name, s, part, sites)
			}
		}
	}
	if compared < 100 || left >= statements {
		t.Errorf("%d runs compared, %d of %d statements left", compared, left, statements)
	}
	t.Logf("%d runs compared, %d of %d statements left", compared, left, statements)
}

func count(f *ir.Func) (n int) {
	ir.WalkStmts(f.Body, func(ir.Stmt) bool { n++; return true })
	return n
}

// compare runs a kernel and a slice of it from some plans and contents, and returns how many of the runs
// could be compared.
func compare(t *testing.T, file string, s *access.Summary, part *ir.Func, sites []int) (compared int) {
	whole, slice := interp.Compile(s.Func), interp.Compile(part)
	for i, p := range plans(s) {
		for k := range contents {
			if i+k > 2 {
				continue
			}
			p.fill(k)
			races := func(program *interp.Program, schedules ...interp.Options) ([]string, bool) {
				r, err := hb.DetectAt(context.Background(), program, p.launch, schedules, hb.Wanted{Sites: sites})
				if err != nil || slices.ContainsFunc(r.Outcomes, func(o *interp.Outcome) bool { return o.Trap != nil || o.Limit != "" }) {
					return nil, false
				}
				var out []string
				for _, r := range r.Races {
					sides := []string{fmt.Sprint(r.First.Site, r.First.Access), fmt.Sprint(r.Second.Site, r.Second.Access)}
					slices.Sort(sides) // threads that wait for each other take other turns where there is less to do
					out = append(out, fmt.Sprint(sides, r.Kind, r.Missing, r.Note))
				}
				slices.Sort(out)
				return out, true
			}
			first := interp.Options{MaxSteps: runSteps, MaxMemory: runMemory}
			want, ok := races(whole, first)
			if !ok {
				continue
			}
			compared++
			got, ok := races(slice, first)
			if ok && !slices.Equal(got, want) { // as turns differ: do they in all schedules?
				all := slices.Clone(hb.Schedules)
				for i := range all {
					all[i].MaxSteps, all[i].MaxMemory = runSteps, runMemory
				}
				want, _ = races(whole, all...)
				got, ok = races(slice, all...)
			}
			if !ok || !slices.Equal(got, want) {
				t.Errorf("%s, %s, plan %d, contents %d: sliced it has %v, whole %v", file, s.Func.Name, i, k, got, want)
			}
		}
	}
	return compared
}
