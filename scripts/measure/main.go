// Command measure runs `warplint check` on each CUDA file below the folders that it is given,
// one process a file, and prints what came of it as Markdown: the tables of docs/results.md.
//
//	go run ./scripts/measure [-files] [-limit 10s] [-warplint bin/warplint] FOLDER...
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/warplint/warplint/internal/disk"
)

func main() {
	files := flag.Bool("files", false, "a row for each file")
	limit := flag.Duration("limit", 10*time.Second, "time for one file")
	warplint := flag.String("warplint", "bin/warplint", "the program to measure")
	flag.Parse()
	total := totals{rules: map[string]int{}, verdicts: map[string]int{}, reasons: map[string]int{}}
	for _, folder := range flag.Args() {
		paths, problems := disk.Find(context.Background(), []string{folder})
		for _, p := range problems {
			fmt.Fprintf(os.Stderr, "%s: %s\n", p.File, p.Message)
		}
		if *files {
			fmt.Print("| file | kernels | verdicts | findings |\n| --- | --- | --- | --- |\n")
		}
		for _, path := range paths {
			one := check(*warplint, path, *limit)
			total.add(one)
			if *files {
				name, err := filepath.Rel(folder, path)
				if err != nil {
					name = path
				}
				fmt.Println(one.row(name))
			}
		}
	}
	fmt.Print(total.String())
}

// outcome is what one process said.
type outcome struct {
	Kernels []struct {
		Verdict      string
		Reasons      []string
		Milliseconds float64
	}
	Findings []struct{ Rule, Kind, Severity string }

	path   string
	failed string // why there is no answer, "" if there is one
	took   time.Duration
}

func check(warplint, path string, limit time.Duration) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, warplint, "check", "--format", "json", "--fail-on", "never", path)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	out := outcome{path: path, took: time.Since(start)}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		out.failed = "hang"
	case err != nil:
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		out.failed = fmt.Sprintf("%v: %s", err, first)
	default:
		if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
			out.failed = fmt.Sprintf("no JSON: %v", err)
		}
	}
	return out
}

func (o outcome) row(name string) string {
	if o.failed != "" {
		return fmt.Sprintf("| %s | | %s | |", name, o.failed)
	}
	verdicts, findings := map[string]int{}, map[string]int{}
	for _, k := range o.Kernels {
		verdicts[k.Verdict]++
	}
	for _, f := range o.Findings {
		findings[f.Severity+" "+f.Rule+" ("+f.Kind+")"]++
	}
	return fmt.Sprintf("| %s | %d | %s | %s |", name, len(o.Kernels), counts(verdicts), counts(findings))
}

// counts writes a count behind each name, the most frequent first.
func counts(m map[string]int) string {
	var parts []string
	for _, name := range frequent(m) {
		part := name
		if m[name] > 1 {
			part = fmt.Sprintf("%s × %d", name, m[name])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func frequent(m map[string]int) []string {
	names := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(names, func(a, b string) int { return m[b] - m[a] })
	return names
}

// totals sums over all files.
type totals struct {
	files, kernels           int
	failures                 []string
	rules, verdicts, reasons map[string]int
	times                    []float64 // of kernels, in milliseconds
	slowest                  outcome
	took                     time.Duration
}

func (t *totals) add(o outcome) {
	t.files++
	t.took += o.took
	if o.took > t.slowest.took {
		t.slowest = o
	}
	if o.failed != "" {
		t.failures = append(t.failures, fmt.Sprintf("%s: %s", o.path, o.failed))
	}
	for _, k := range o.Kernels {
		t.kernels++
		t.verdicts[k.Verdict]++
		t.times = append(t.times, k.Milliseconds)
		for _, reason := range k.Reasons {
			t.reasons[place.ReplaceAllString(reason, "")]++
		}
	}
	for _, f := range o.Findings {
		t.rules[f.Severity+" "+f.Rule]++
	}
}

// place is what tells one reason from another of the same kind: its line and its variable.
var place = regexp.MustCompile("^line \\d+: | on `[^`]*`")

const mostReasons = 15 // lines of the table of reasons

func (t *totals) String() string {
	var b strings.Builder
	row := func(name string, value any) { fmt.Fprintf(&b, "| %s | %v |\n", name, value) }
	b.WriteString("\n| what | how much |\n| --- | --- |\n")
	row("files", t.files)
	row("without an answer", len(t.failures))
	row("kernels", t.kernels)
	row("verdicts", counts(t.verdicts))
	row("findings", counts(t.rules))
	row("median kernel", fmt.Sprintf("%.2f ms", t.quantile(0.5)))
	row("99th percentile", fmt.Sprintf("%.2f ms", t.quantile(0.99)))
	row("slowest file", fmt.Sprintf("%s, %.2f s", filepath.Base(t.slowest.path), t.slowest.took.Seconds()))
	row("all files, one process each", fmt.Sprintf("%.1f s", t.took.Seconds()))
	for _, failure := range t.failures {
		fmt.Fprintf(&b, "\nNo answer: %s", failure)
	}
	if len(t.reasons) > 0 {
		b.WriteString("\n| reason for unknown | times |\n| --- | --- |\n")
		for _, reason := range frequent(t.reasons)[:min(len(t.reasons), mostReasons)] {
			row(strings.ReplaceAll(reason, "|", "\\|"), t.reasons[reason])
		}
	}
	return b.String()
}

func (t *totals) quantile(q float64) float64 {
	if len(t.times) == 0 {
		return 0
	}
	slices.Sort(t.times)
	return t.times[int(q*float64(len(t.times)-1))]
}
