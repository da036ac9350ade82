// Package e2e tests the language server in a real editor.
package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/warplint/warplint/lsp" // so that go test runs again whenever the program changes
)

// report is what testdata/session.lua saw.
type report struct {
	Failed             string
	Steps              []string
	Diagnostics, Again []diagnostic
	Hover              string
	Lenses             []string
	Simulated          []diagnostic
	Actions            []string
	Text               string
}

type diagnostic struct {
	Line, Severity        int
	Code, Message, Source string
}

// TestNeovim mends examples/count.cu in Neovim.
func TestNeovim(t *testing.T) {
	editor, err := exec.LookPath("nvim")
	if err != nil {
		t.Fatal("Neovim is not installed; scripts/test.sh installs it (Debian's package neovim)")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "warplint")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/warplint/warplint/cmd/warplint").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	example, err := os.ReadFile("../../examples/count.cu")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "count.cu")
	if err := os.WriteFile(file, example, 0o666); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/session.lua")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, editor, "--headless", "--clean", "-n", file, "-c", "luafile "+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "WARPLINT="+program, "REPORT="+filepath.Join(dir, "report.json"),
		"ACTION=Widen the atomic to device scope", "XDG_STATE_HOME="+dir, "XDG_CACHE_HOME="+dir, "XDG_DATA_HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("nvim: %v\n%s", err, out)
	}
	check(t, readReport(t, filepath.Join(dir, "report.json"), out))
}

func readReport(t *testing.T, path string, out []byte) report {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("nvim wrote no report: %s", out)
	}
	var r report
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	if r.Failed != "" {
		t.Fatalf("%s, after %q\n%s\n%s", r.Failed, r.Steps, raw, out)
	}
	return r
}

func check(t *testing.T, r report) {
	t.Helper()
	for _, d := range append(r.Diagnostics, r.Again...) {
		if d.Code != "atomic-scope" || d.Source != "warplint" || d.Severity != 2 {
			t.Errorf("diagnostic %+v", d)
		}
	}
	if len(r.Again) != len(r.Diagnostics) {
		t.Errorf("%d diagnostics before the fix and %d after undoing it", len(r.Diagnostics), len(r.Again))
	}
	for _, want := range []string{"atomic-scope", "count", "block", "thread", "atomicAdd_block"} {
		if !strings.Contains(r.Hover, want) {
			t.Errorf("the hover does not say %q:\n%s", want, r.Hover)
		}
	}
	if got, want := strings.Join(r.Lenses, ", "), "1 race, Simulate, Simulate this program"; got != want {
		t.Errorf("the lenses are %q, want %q", got, want)
	}
	if len(r.Simulated) != len(r.Diagnostics) {
		t.Errorf("%d diagnostics before the run and %d after it: %+v", len(r.Diagnostics), len(r.Simulated), r.Simulated)
	}
	if code, _, _ := strings.Cut(r.Text, "int main"); strings.Contains(code, "atomicAdd_block(") || !strings.Contains(code, "atomicAdd(") {
		t.Errorf("the fix did not widen the atomic:\n%s", r.Text)
	}
}
