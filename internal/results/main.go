// Command results measures warplint on the programs that docs/results.md speaks of, and prints
// the tables as Markdown. The programs are not part of this repository:
//
//	go run ./internal/results scor DIR      the microbenchmarks of csl-iisc/ScoR
//	go run ./internal/results corpus DIR    every .cu and .cuh file below a folder
package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/internal/disk"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: results scor|corpus DIR")
		os.Exit(2)
	}
	var err error
	switch os.Args[1] {
	case "scor":
		err = scor(os.Args[2])
	case "corpus":
		err = corpus(os.Args[2])
	default:
		err = fmt.Errorf("unknown table %q", os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(path string, files *disk.Files) (*analysis.Result, time.Duration) {
	start := time.Now()
	res := analysis.NewEngine().Check(context.Background(), analysis.Request{Files: files, Path: path})
	return res, time.Since(start)
}

// scor prints a row for each microbenchmark, whose file name says whether it is racy.
func scor(dir string) error {
	paths, err := cudaFiles(filepath.Join(dir, "microbenchmarks"))
	if err != nil {
		return err
	}
	fmt.Println("| program | verdict | kind | rule | right |\n| --- | --- | --- | --- | --- |")
	right := 0
	for _, path := range paths {
		res, _ := check(path, disk.NewFiles())
		name := strings.TrimSuffix(filepath.Base(path), ".cu")
		verdict, kind, rule := race.Unknown, "", ""
		for _, k := range res.Kernels {
			verdict = k.Verdict
		}
		for _, f := range res.Findings {
			if f.Severity >= race.Warning {
				kind, rule = string(f.Kind), string(f.Rule)
				break
			}
		}
		racy := strings.HasPrefix(name, "race_")
		ok := racy && verdict == race.Racy || !racy && verdict == race.RaceFree
		if ok {
			right++
		}
		fmt.Printf("| %s | %s | %s | %s | %s |\n", name, verdict, kind, rule, map[bool]string{true: "yes", false: "no"}[ok])
	}
	fmt.Printf("\n%d of %d right.\n", right, len(paths))
	return nil
}

// corpus prints counts over all files, the commonest reasons, and the times.
func corpus(dir string) error {
	paths, err := cudaFiles(dir)
	if err != nil {
		return err
	}
	verdicts, rules, reasons := map[race.Verdict]int{}, map[string]int{}, map[string]int{}
	var perFile, perKernel []float64
	for _, path := range paths {
		res, took := check(path, disk.NewFiles())
		perFile = append(perFile, took.Seconds()*1000)
		for _, k := range res.Kernels {
			verdicts[k.Verdict]++
			perKernel = append(perKernel, k.Milliseconds)
			if k.Verdict == race.Unknown && len(k.Reasons) > 0 {
				_, reason, found := strings.Cut(k.Reasons[0], ": ")
				if !found {
					reason = k.Reasons[0]
				}
				reasons[reason]++
			}
		}
		for _, f := range res.Findings {
			rules[f.Severity.String()+" "+string(f.Rule)]++
		}
	}
	fmt.Printf("%d files, %d kernels: %d race-free, %d racy, %d unknown.\n", len(paths), len(perKernel),
		verdicts[race.RaceFree], verdicts[race.Racy], verdicts[race.Unknown])
	fmt.Printf("\nMilliseconds a file: %s. Milliseconds a kernel: %s.\n", spread(perFile), spread(perKernel))
	table("finding", rules)
	table("first reason of an unknown kernel", reasons)
	return nil
}

func spread(ms []float64) string {
	if len(ms) == 0 {
		return "none"
	}
	slices.Sort(ms)
	at := func(share float64) float64 { return ms[int(share*float64(len(ms)-1))] }
	return fmt.Sprintf("median %.1f, 95%% %.1f, 99%% %.1f, most %.1f", at(0.5), at(0.95), at(0.99), at(1))
}

func table(title string, counts map[string]int) {
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	fmt.Printf("\n| %s | number |\n| --- | --- |\n", title)
	const most = 25
	for i, k := range keys {
		if i == most {
			break
		}
		fmt.Printf("| %s | %d |\n", k, counts[k])
	}
}

func cudaFiles(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && !d.IsDir() && (ext == ".cu" || ext == ".cuh") {
			out = append(out, path)
		}
		return err
	})
	slices.Sort(out)
	return out, err
}
