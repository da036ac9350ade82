package lsp_test

// This file tests what sessions can't show of runs: their cancellation, files that are not open,
// and what panels get.

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/warplint/warplint/lsp"
)

// trusting starts an editor that trusts its workspace and has one file open.
func trusting(t *testing.T, name, text string) *editor {
	t.Helper()
	e := serve(t, lsp.Options{})
	caps := capabilities()
	set(caps, "workspace.configuration", nil)
	e.initialize(caps, map[string]any{"initializationOptions": map[string]any{"trusted": true, "simulate.schedules": 1}})
	e.write(name, text)
	e.open(name, "cuda-cpp", text)
	return e
}

// execute runs a command about a file and decodes its answer.
func (e *editor) execute(command, name string, more map[string]any, answer any) {
	e.t.Helper()
	argument := map[string]any{"uri": e.uri(name)}
	for key, value := range more {
		argument[key] = value
	}
	raw, err := json.Marshal(argument)
	e.must(err)
	got, err := e.server.ExecuteCommand(e.ctx, &protocol.ExecuteCommandParams{Command: command, Arguments: []protocol.LSPAny{raw}})
	e.must(err)
	if answer != nil {
		e.must(json.Unmarshal(got, answer))
	}
}

type runView struct {
	ID    int64
	Kind  string
	State string
	Again struct {
		Command  string
		Argument json.RawMessage
	}
	Message  string
	Problems []string
	Findings []struct {
		Index         int
		Rule          string
		Witnessed     bool
		Why           string
		First, Second struct {
			Line   int
			Access string
		}
	}
}

func (e *editor) runs() []runView {
	e.t.Helper()
	var all []runView
	e.execute("warplint.runs", "", nil, &all)
	return all
}

// TestCancel ends a kernel that would run for ever, as a client's progress does it.
func TestCancel(t *testing.T) {
	e := trusting(t, "endless.cu", "__global__ void endless(int *a) { while (true) a[threadIdx.x]++; }\n")
	e.execute("warplint.simulateKernel", "endless.cu", map[string]any{"kernel": "endless"}, nil)
	e.await("progress that can be cancelled", func() bool { return e.begun > 0 && e.reports > 0 })
	for _, token := range e.tokens {
		e.must(e.server.WorkDoneProgressCancel(e.ctx, &protocol.WorkDoneProgressCancelParams{Token: token}))
	}
	e.await("the end of all progress", func() bool { return e.finished == e.begun })
	if all := e.runs(); len(all) != 1 || all[0].State != "cancelled" || len(all[0].Problems) > 0 {
		t.Errorf("runs %+v", all)
	}
	e.quit()
}

// TestShutdownDuringRun leaves while a kernel runs for ever, alone and in its program: the server ends
// soon, and what the run had on disk is gone.
func TestShutdownDuringRun(t *testing.T) {
	const text = "__global__ void endless(int *a) { while (true) a[threadIdx.x]++; }\n" +
		"int main() { int *a; cudaMalloc(&a, 4); endless<<<1, 1>>>(a); cudaDeviceSynchronize(); }\n"
	for _, command := range []string{"warplint.simulateKernel", "warplint.simulate"} {
		t.Run(command, func(t *testing.T) {
			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			e := trusting(t, "endless.cu", text)
			e.execute(command, "endless.cu", map[string]any{"kernel": "endless"}, nil)
			e.await("the run to be under way", func() bool { return e.reports > 0 })
			e.quit()
			if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
				t.Errorf("the run left %v, %v", left, err)
			}
		})
	}
}

// TestProblemsOfRuns looks at what a panel gets of a program that breaks down, and of one that is
// cancelled: each fact once, and files by the names that the user knows.
func TestProblemsOfRuns(t *testing.T) {
	const text = "__global__ void k(int *a) { a[threadIdx.x + 9] = 1; }\n" +
		"int main() { int *a; cudaMalloc(&a, 4); k<<<1, 1>>>(a); cudaDeviceSynchronize(); return 3; }\n"
	e := trusting(t, "crash.cu", text)
	e.execute("warplint.simulate", "crash.cu", nil, nil)
	e.await("the end of the run", func() bool { return len(e.messages) == 1 })
	run := e.runs()[0]
	if run.Message != "no race in 1 launch" {
		t.Errorf("the run says %q", run.Message)
	}
	if len(run.Problems) != 2 || !strings.HasPrefix(run.Problems[0], "crash.cu:1:") || !strings.HasSuffix(run.Problems[0], "(kernel k, thread (0,0,0) of block (0,0,0))") ||
		run.Problems[1] != "the program exited with status 3" {
		t.Errorf("its problems are %q", run.Problems)
	}
	if !strings.Contains(e.messages[0], "no race in 1 launch; crash.cu:1:") {
		t.Errorf("the user is told %q", e.messages[0])
	}
	e.quit()
}

// TestAgain makes a run of each kind twice: the second time as a panel does it, from what it knows of the first.
func TestAgain(t *testing.T) {
	const text = "__global__ void set(int *a, int n) { if (n == 7) a[0] = threadIdx.x; }\n" +
		"int main() { int *a; cudaMalloc(&a, 4); set<<<1, 32>>>(a, 7); cudaDeviceSynchronize(); }\n"
	e := trusting(t, "set.cu", text)
	e.write("race.txt", "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n")
	diagnostics := func() []protocol.Diagnostic {
		return e.published[e.uri("set.cu")][len(e.published[e.uri("set.cu")])-1].Diagnostics
	}
	e.await("the finding", func() bool { return len(e.published[e.uri("set.cu")]) > 0 && len(diagnostics()) == 1 })
	var data struct {
		Finding string `json:"finding"`
	}
	e.must(json.Unmarshal(diagnostics()[0].Data, &data))
	for i, first := range []struct {
		command, name string
		more          map[string]any
		kind          string
	}{
		{"warplint.simulate", "set.cu", nil, "program"},
		{"warplint.simulateKernel", "set.cu", map[string]any{"kernel": "set", "block": "64", "arguments": map[string]string{"n": "7"}}, "kernel"},
		{"warplint.confirm", "set.cu", map[string]any{"finding": data.Finding}, "finding"},
		{"warplint.import", "race.txt", nil, "report"},
	} {
		e.execute(first.command, first.name, first.more, nil)
		e.await("the first run", func() bool { return len(e.messages) == 2*i+1 })
		run := e.runs()[0]
		got, err := e.server.ExecuteCommand(e.ctx, &protocol.ExecuteCommandParams{Command: run.Again.Command, Arguments: []protocol.LSPAny{protocol.LSPAny(run.Again.Argument)}})
		if err != nil || len(got) == 0 {
			t.Fatalf("%s: again: %v", first.command, err)
		}
		e.await("the second run", func() bool { return len(e.messages) == 2*i+2 })
		if again := e.runs()[0]; again.ID == run.ID || again.Kind != first.kind || again.Message != run.Message || string(again.Again.Argument) != string(run.Again.Argument) {
			t.Errorf("%s: first %+v, then %+v", first.command, run, again)
		}
	}
	e.quit()
}

// TestHang looks at what a panel gets of a barrier that some threads never reach: nobody accesses anything, and there is nothing to trace.
func TestHang(t *testing.T) {
	const text = "__global__ void hang(int *a) {\n  if (threadIdx.x < 32) __syncthreads();\n  else while (atomicAdd(a, 0) == 0);\n}\n" +
		"int main() { int *a; cudaMalloc(&a, 4); hang<<<1, 64>>>(a); cudaDeviceSynchronize(); }\n"
	e := trusting(t, "hang.cu", text)
	e.execute("warplint.simulate", "hang.cu", nil, nil)
	e.await("the end of the run", func() bool { return len(e.messages) == 1 })
	run := e.runs()[0]
	if len(run.Findings) != 1 {
		t.Fatalf("findings %+v", run.Findings)
	}
	f := run.Findings[0]
	if f.Rule != "barrier-divergence" || f.Witnessed || f.First.Access != "waits" || f.Second.Access != "does not come" || !strings.Contains(f.Why, " at hang.cu:3.") {
		t.Errorf("finding %+v", f)
	}
	e.quit()
}

// TestElsewhere simulates a program whose race is in a header that is not open. The header's
// diagnostics come, follow its text on disk, and go.
func TestElsewhere(t *testing.T) {
	const main = "#include \"add.h\"\n__global__ void k(int *a) { add(a); }\n" +
		"int main() { int *a; cudaMalloc(&a, 4); k<<<2, 1>>>(a); cudaDeviceSynchronize(); }\n"
	const header = "__device__ inline void add(int *a) {\n    *a += 1;\n}\n"
	e := serve(t, lsp.Options{})
	e.write("add.h", header)
	e.write("main.cu", main)
	caps := capabilities()
	set(caps, "workspace.configuration", nil)
	e.initialize(caps, map[string]any{"initializationOptions": map[string]any{"trusted": true}})
	e.open("main.cu", "cuda-cpp", main)
	last := func() []protocol.Diagnostic {
		all := e.published[e.uri("add.h")]
		if len(all) == 0 {
			return nil
		}
		return all[len(all)-1].Diagnostics
	}
	e.execute("warplint.simulate", "main.cu", nil, nil)
	e.await("the end of the run", func() bool { return len(e.messages) == 1 })
	if !strings.Contains(e.messages[0], "race") {
		t.Fatal(e.messages[0])
	}
	e.await("diagnostics of the header", func() bool { return len(last()) > 0 && last()[0].Range.Start.Line == 1 })
	e.write("add.h", "// one line more\n"+header)
	e.watched("add.h")
	e.await("diagnostics on the next line", func() bool { return len(last()) > 0 && last()[0].Range.Start.Line == 2 })
	e.execute("warplint.forgetRuns", "", nil, nil)
	e.await("no diagnostics of the header", func() bool { return len(last()) == 0 })
	e.quit()
}

// TestTimeline asks for what a panel shows of a race: the two threads' accesses, and the barrier
// that does not suffice; and for the run as SARIF.
func TestTimeline(t *testing.T) {
	const text = `__global__ void shift(float *out, const float *in) {
    __shared__ float tile[64];
    __syncthreads();
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
`
	e := trusting(t, "shift.cu", text)
	e.execute("warplint.simulateKernel", "shift.cu", map[string]any{"kernel": "shift", "block": "64", "grid": 1}, nil)
	e.await("the end of the run", func() bool { return len(e.messages) == 1 })
	all := e.runs()
	if len(all) != 1 || len(all[0].Findings) == 0 || !all[0].Findings[0].Witnessed {
		t.Fatalf("runs %+v", all)
	}
	var timeline struct {
		Variable string
		Steps    []struct {
			Second, Sync, Race bool
			What               string
			Line               int
		}
	}
	e.execute("warplint.timeline", "", map[string]any{"run": all[0].ID, "finding": "0"}, &timeline)
	var races, barriers [2]int
	for _, step := range timeline.Steps {
		side := 0
		if step.Second {
			side = 1
		}
		if step.Race {
			races[side]++
		}
		if step.What == "barrier of the block" {
			barriers[side]++
		}
	}
	if timeline.Variable != "tile" || races != [2]int{1, 1} || barriers != [2]int{1, 1} {
		t.Errorf("timeline %+v", timeline)
	}
	var sarif string
	e.execute("warplint.exportRun", "", map[string]any{"run": all[0].ID}, &sarif)
	var document struct {
		Runs []struct{ Results []struct{ RuleID string } }
	}
	if err := json.Unmarshal([]byte(sarif), &document); err != nil || len(document.Runs) != 1 || len(document.Runs[0].Results) != len(all[0].Findings) {
		t.Errorf("%v: %s", err, sarif)
	}
	e.quit()
}
