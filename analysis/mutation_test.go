package analysis

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/ir/interp/hb"
	"github.com/warplint/warplint/analysis/lower"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/analysis/term"
	"github.com/warplint/warplint/analysis/witness"
)

// A mutant is a race-free kernel with one mistake: a barrier or a fence is deleted, a scope is
// narrowed, or an index is off by one.
type mutant struct {
	name   string // the file, the line and what was done
	files  source.Provider
	path   string
	kernel string // "" if all kernels of the file are race-free, and the mistake may be in any
}

// TestMutants makes mutants of our race-free programs and runs each on the interpreter. Of those
// that race there, at least 95 % must have a finding; those that do not must have no warning. The
// test takes one mutant of a few, always the same; with WARPLINT_MUTANTS set, it takes all. With WARPLINT_CORPUS
// set, the programs are those below the folder that it names.
func TestMutants(t *testing.T) {
	share := uint32(48)
	if os.Getenv("WARPLINT_MUTANTS") != "" {
		share = 1
	}
	const least = 0.95
	var racy, found atomic.Int64
	var mutants []mutant
	for _, p := range raceFreePrograms(t) {
		mutants = append(mutants, slices.DeleteFunc(p.mutants(), func(m mutant) bool {
			h := fnv.New32a()
			h.Write([]byte(m.name))
			return h.Sum32()%share != 0
		})...)
	}
	inParallel(mutants, func(m mutant) {
		result := check(m.files, m.path)
		ofKernel := func(name string) bool { return m.kernel == "" || name == m.kernel }
		result.Findings = slices.DeleteFunc(result.Findings, func(f race.Finding) bool { return !ofKernel(f.Kernel) })
		races, doubted := contest(m, result)
		switch {
		case races == nil && doubted:
			t.Errorf("%s: has a warning, but no run shows a race", m.name)
		case races != nil && len(result.Findings) > 0:
			racy.Add(1)
			found.Add(1)
		case races != nil && slices.ContainsFunc(result.Kernels, func(k race.Kernel) bool {
			return ofKernel(k.Name) && (k.Verdict != race.RaceFree || !provedForAny(k))
		}):
			racy.Add(1)
			t.Logf("%s: not found: %s and %s race (%s)", m.name, races.First.Access, races.Second.Access, races.Kind)
		case races != nil:
			t.Errorf("%s: proved race-free, but %s and %s race (%s)", m.name, races.First.Access, races.Second.Access, races.Kind)
		}
	})
	if racy.Load() == 0 || float64(found.Load()) < least*float64(racy.Load()) {
		t.Errorf("%d of %d mutants that race were found", found.Load(), racy.Load())
	}
	t.Logf("%d of %d mutants that race were found", found.Load(), racy.Load())
}

func check(files source.Provider, path string) *Result {
	return NewEngine().Check(context.Background(), Request{Files: files, Path: path})
}

// warns reports whether there is a warning of a race; a barrier that not all threads reach is none.
func warns(r *Result) bool {
	return slices.ContainsFunc(r.Findings, func(f race.Finding) bool {
		return f.Severity >= race.Warning && f.Rule != race.BarrierDivergence
	})
}

// contest runs a kernel of a file, or all, more thoroughly where there is a warning; then writes of one value count,
// which may differ for what memory held before, and what the warning says of the launch and its memory is tried
// as well. It returns a race that shows, nil if none does, and whether the warning stands to be doubted if so.
func contest(m mutant, result *Result) (shown *hb.Race, doubted bool) {
	ctx, warning := context.Background(), warns(result)
	module := lower.Module(syntax.Parse(ctx, m.files, m.path, syntax.Config{}, nil))
	module.Kernels = slices.DeleteFunc(module.Kernels, func(f *ir.Func) bool { return m.kernel != "" && f.Name != m.kernel })
	doubted = warning
	for _, effort := range witness.Efforts {
		var ran bool
		if shown, ran = raceOf(ctx, module, effort, warning); shown != nil || !doubted {
			break
		}
		if doubted = ran; ran { // nothing contests one about what can't be run
			if shown = raceAsTold(ctx, module, result.Findings); shown != nil {
				break
			}
		}
	}
	return shown, doubted
}

// raceAsTold is a race that shows where findings say that one does, on the whole kernel.
func raceAsTold(ctx context.Context, module *ir.Module, findings []race.Finding) (shown *hb.Race) {
	for _, f := range module.Kernels {
		table := term.NewTable()
		for _, l := range newHostRuns(nil).launches(ctx, table, f, launchersIn(module)[f]) {
			summary := access.Summarize(ctx, table, f, l, race.Dim3{}, race.Dim3{})
			for _, finding := range findings {
				if finding.Kernel != f.Name || finding.Severity < race.Warning || finding.Witness == nil || shown != nil {
					continue
				}
				shown = witness.ShownAs(ctx, summary, finding.Witness)
			}
		}
	}
	return shown
}

// raceOf is a race that runs of a module's kernels show, nil if none does, and whether all could be run.
func raceOf(ctx context.Context, module *ir.Module, e witness.Effort, alike bool) (*hb.Race, bool) {
	all := true
	for _, f := range module.Kernels {
		table := term.NewTable()
		for _, l := range newHostRuns(nil).launches(ctx, table, f, launchersIn(module)[f]) {
			r, ran := witness.Shown(ctx, access.Summarize(ctx, table, f, l, race.Dim3{}, race.Dim3{}), e, alike)
			if r != nil {
				return r, true
			}
			all = all && ran
		}
	}
	return nil, all
}

// raceFreeArchives are those of our own programs whose race-free kernels are named as such.
var raceFreeArchives = []string{"racefree", "attack_racefree", "papers", "synchronization", "tickets", "modern",
	"sync_warps", "sync_blocks", "sync_copies", "idioms", "libraries", "recent", "rings", "waiting", "classic", "late", "frameworks", "science", "handed", "whole",
	"alone", "suites", "heap", "domains"}

// program is a file with the kernels that are proved race-free, by name; nil if all are.
type program struct {
	*source.File
	files  source.Provider
	proved []*ir.Func
}

// raceFreePrograms lists programs in which kernels are proved race-free.
func raceFreePrograms(t *testing.T) []program {
	t.Helper()
	var out []program
	add := func(files source.Provider, f *source.File, res *Result) {
		free := map[string]bool{}
		for _, k := range res.Kernels {
			// The runs are also of rows that are too short.
			if k.Verdict == race.RaceFree && provedForAny(k) {
				free[k.Name] = true
			}
		}
		p := program{File: f, files: files}
		if len(free) < len(res.Kernels) {
			p.proved = lower.Module(syntax.Parse(context.Background(), files, f.Path, syntax.Config{}, nil)).Kernels
			p.proved = slices.DeleteFunc(p.proved, func(k *ir.Func) bool { return !free[k.Name] })
		}
		if len(free) > 0 {
			out = append(out, p)
		}
	}
	if corpus := os.Getenv("WARPLINT_CORPUS"); corpus != "" {
		for _, f := range cudaFiles(t, corpus) {
			add(diskFiles{}, f, check(diskFiles{}, f.Path))
		}
		return out
	}
	var alone []*source.File
	for _, archive := range raceFreeArchives {
		files, err := txtar.ParseFile("testdata/" + archive + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files.Files {
			file := source.New(f.Name, string(f.Data))
			alone = append(alone, file)
		}
	}
	for _, pattern := range []string{"../examples/fixed/*.cu", "rules/*/testdata/*.fixed"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file := source.New(filepath.Base(path), string(text))
			alone = append(alone, file)
		}
	}
	inParallel(alone, func(file *source.File) { Checked(file) })
	for _, file := range alone {
		add(source.Map{file.Path: file}, file, Checked(file))
	}
	return out
}

var mutations = []struct {
	name    string
	pattern *regexp.Regexp
	with    string
}{
	{"deleted", regexp.MustCompile(`__(syncthreads|syncwarp|threadfence|threadfence_block)\(\);`), ";"},
	{"deleted", regexp.MustCompile(`\b(cg::sync|\w+\.(sync|arrive_and_wait|consumer_wait)|cg::wait|__pipeline_wait_prior|__pipeline_commit)\(\w*\);`), ";"},
	{"one group fewer", regexp.MustCompile(`wait_(prior|group)([ (<])0`), "wait_${1}${2}1"},
	{"relaxed", regexp.MustCompile(`memory_order_(acquire|release)`), "memory_order_relaxed"},
	{"relaxed", regexp.MustCompile(`__NV_ATOMIC_(ACQUIRE|RELEASE)`), "__NV_ATOMIC_RELAXED"},
	{"narrowed", regexp.MustCompile(`__NV_THREAD_SCOPE_DEVICE`), "__NV_THREAD_SCOPE_BLOCK"},
	{"narrowed", regexp.MustCompile(`__threadfence\(\)`), "__threadfence_block()"},
	{"narrowed", regexp.MustCompile(`\b(atomic(?:Add|Sub|Exch|CAS|Max|Min|Inc|Or|And|Xor))\(`), "${1}_block("},
	{"narrowed", regexp.MustCompile(`thread_scope_device`), "thread_scope_block"},
	{"plain", regexp.MustCompile(`\batomicAdd\(&([^,]+), ([^(),]+)\);`), "${1} += ${2};"},
	{"the same for each block", regexp.MustCompile(`\bblockIdx\.x \* blockDim\.x`), "blockIdx.x"},
	{"off by one", regexp.MustCompile(`\[([^\[\]]*[a-z][^\[\]]*)\]`), "[(${1}) + 1]"},
}

// declaration tells lines whose brackets hold the size of an array.
var declaration = regexp.MustCompile(`__shared__|__device__|__constant__|#|//`)

func (p program) mutants() []mutant {
	var out []mutant
	lines := strings.Split(p.Text, "\n")
	for i, line := range lines {
		kernel, ok := p.provedAt(i + 1)
		if !ok {
			continue
		}
		for _, m := range mutations {
			if m.name == "off by one" && declaration.MatchString(line) {
				continue
			}
			for n, at := range m.pattern.FindAllStringIndex(line, -1) {
				changed := append([]string(nil), lines...)
				changed[i] = line[:at[0]] + m.pattern.ReplaceAllString(line[at[0]:at[1]], m.with) + line[at[1]:]
				out = append(out, mutant{fmt.Sprintf("%s:%d.%d %s", p.Path, i+1, n, m.name), overlay{p.files, source.Map{p.Path: source.New(p.Path, strings.Join(changed, "\n"))}}, p.Path, kernel})
			}
		}
	}
	return out
}

// provedAt reports whether mistakes in a line are of a race-free kernel, and of which, "" if all are.
func (p program) provedAt(line int) (string, bool) {
	for _, k := range p.proved {
		if k.Span.File == p.Path && p.Position(k.Span.Start).Line <= line && line <= p.Position(k.Span.End).Line {
			return k.Name, true
		}
	}
	return "", p.proved == nil
}
