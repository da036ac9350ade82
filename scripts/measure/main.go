// Command measure runs `warplint check` on each CUDA file below the folders that it is given,
// one process a file, and prints what came of it as Markdown: the tables of docs/results.md. They
// are those of `warplint check --stats`, with the time of whole processes, and with crashes and
// hangs, which here end one file only.
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
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/internal/disk"
	"github.com/warplint/warplint/internal/report"
)

func main() {
	files := flag.Bool("files", false, "a row for each file")
	limit := flag.Duration("limit", 10*time.Second, "time for one file")
	warplint := flag.String("warplint", "bin/warplint", "the program to measure")
	flag.Parse()
	var total report.Stats
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
			total.Add(one.part())
			if *files {
				name, err := filepath.Rel(folder, path)
				if err != nil {
					name = path
				}
				fmt.Println(one.row(name))
			}
		}
	}
	fmt.Print("\n" + total.String())
}

// outcome is what one process said.
type outcome struct {
	Kernels []struct {
		Verdict      race.Verdict
		Reasons      []string
		Milliseconds float64
		Outside      []string
		Unshown      int
		CutShort     bool   `json:"cut_short"`
		Name         string `json:"name"`
	}
	Findings []struct {
		Rule     race.Rule
		Kind     race.Kind
		Severity string
	}

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

// part is the outcome as the statistics take it.
func (o outcome) part() report.Part {
	p := report.Part{Files: []report.Timing{{Path: o.path, Whole: o.took}}}
	if o.failed != "" {
		p.Problems = []race.Problem{{File: o.path, Message: o.failed}}
	}
	for _, k := range o.Kernels {
		p.Kernels = append(p.Kernels, race.Kernel{Name: k.Name + " of " + o.path, Verdict: k.Verdict, Reasons: k.Reasons,
			Milliseconds: k.Milliseconds, Outside: k.Outside, Unshown: k.Unshown, CutShort: k.CutShort})
	}
	for _, f := range o.Findings {
		finding := race.Finding{Rule: f.Rule, Kind: f.Kind}
		for finding.Severity < race.Error && finding.Severity.String() != f.Severity {
			finding.Severity++
		}
		p.Findings = append(p.Findings, report.Finding{Finding: finding})
	}
	return p
}

func (o outcome) row(name string) string {
	if o.failed != "" {
		return fmt.Sprintf("| %s | | %s | |", name, o.failed)
	}
	verdicts, findings := map[string]int{}, map[string]int{}
	for _, k := range o.Kernels {
		verdicts[string(k.Verdict)]++
	}
	for _, f := range o.Findings {
		findings[fmt.Sprintf("%s %s (%s)", f.Severity, f.Rule, f.Kind)]++
	}
	return fmt.Sprintf("| %s | %d | %s | %s |", name, len(o.Kernels), report.Counts(verdicts), report.Counts(findings))
}
