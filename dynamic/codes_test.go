package dynamic

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
)

// The programs in testdata/codes are of the kind that people bring: command lines that read a file,
// allocate, launch in a loop, and print a result. Each runs while the default detector watches, which
// has nothing to warn of, and prints what the same computation gives in Go.
func TestCodes(t *testing.T) {
	for _, c := range []struct {
		name, files, input, args, output string // INPUT and OUTPUT are files
	}{
		{"text in, text out", "heat.cu", heatInput(), "30 50 7 INPUT OUTPUT", heatOutput(7)},
		{"a graph", "levels.cu", graphInput(), "-s 3 INPUT", graphOutput(3)},
		{"binary in, C and CUDA", "means.c means_device.cu", pointsInput(), "-k 4 -i INPUT", pointsOutput()},
		{"no file", "levels.cu", "", "nowhere", "nowhere: No such file or directory\n"},
		{"a file cut short", "levels.cu", "5 0 1", "INPUT", "levels: the graph is cut short\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			input, output := filepath.Join(t.TempDir(), "input"), filepath.Join(t.TempDir(), "output")
			if err := os.WriteFile(input, []byte(c.input), 0o600); err != nil {
				t.Fatal(err)
			}
			o := &Options{}
			o.Detectors, _ = SelectDetectors(nil)
			for _, f := range strings.Fields(c.files) {
				o.Files = append(o.Files, "testdata/codes/"+f)
			}
			for _, a := range strings.Fields(c.args) {
				o.Args = append(o.Args, strings.NewReplacer("INPUT", input, "OUTPUT", output).Replace(a))
			}
			r, got := simulateOK(t, t.Context(), o)
			if written, err := os.ReadFile(output); err == nil {
				got += string(written)
			}
			if got != c.output {
				t.Errorf("the program says %.200q, want %.200q\n%s", got, c.output, problems(r))
			}
			for _, f := range r.Findings {
				if f.Severity >= race.Warning {
					t.Errorf("%s: %s", f.Rule, f.Message)
				}
			}
		})
	}
}

const heatRows, heatColumns = 30, 50

func heatAt(i int) float32 { return float32(i*7919%1000) / 8 }

func heatInput() string {
	var b strings.Builder
	for i := range heatRows * heatColumns {
		fmt.Fprintf(&b, "%g\n", heatAt(i))
	}
	return b.String()
}

func heatOutput(steps int) string {
	now := make([]float32, heatRows*heatColumns)
	for i := range now {
		now[i] = heatAt(i)
	}
	for range steps {
		next := make([]float32, len(now))
		for y := range heatRows {
			for x := range heatColumns {
				at := func(y, x int) float32 {
					return now[min(max(y, 0), heatRows-1)*heatColumns+min(max(x, 0), heatColumns-1)]
				}
				around := at(y-1, x) + at(y+1, x) + at(y, x-1) + at(y, x+1)
				next[y*heatColumns+x] = at(y, x) + 0.125*(around-4*at(y, x))
			}
		}
		now = next
	}
	sum := 0.0
	var b strings.Builder
	for _, v := range now {
		sum += float64(v)
		b.WriteString(shortest(v))
	}
	return fmt.Sprintf("sum %.3f\n", sum) + b.String()
}

// shortest is C's %g.
func shortest(v float32) string {
	return strconv.FormatFloat(float64(v), 'g', 6, 64) + "\n"
}

// graphEdges are those of a graph of 500 vertices, most of which the source reaches.
func graphEdges() [][]int {
	edges := make([][]int, 500)
	for v := range edges {
		for i := range v % 4 {
			edges[v] = append(edges[v], (v*(17+i)+31*i+1)%len(edges))
		}
	}
	return edges
}

func graphInput() string {
	var nodes, targets strings.Builder
	count := 0
	edges := graphEdges()
	for _, to := range edges {
		fmt.Fprintln(&nodes, count, len(to))
		for _, v := range to {
			fmt.Fprintln(&targets, v)
		}
		count += len(to)
	}
	return fmt.Sprintf("%d\n%s%d\n%s", len(edges), &nodes, count, &targets)
}

func graphOutput(source int) string {
	edges := graphEdges()
	cost := make([]int, len(edges))
	for i := range cost {
		cost[i] = -1
	}
	cost[source] = 0
	rounds := 0
	for level := []int{source}; len(level) > 0; rounds++ {
		var next []int
		for _, v := range level {
			for _, to := range edges[v] {
				if cost[to] < 0 {
					cost[to] = cost[v] + 1
					next = append(next, to)
				}
			}
		}
		level = next
	}
	sum := 0
	for _, c := range cost {
		sum += c
	}
	return fmt.Sprintf("rounds %d, sum %d\n", rounds, sum)
}

// Points of five features around four places, which the first points are taken for.
const pointCount, featureCount, meanCount = 700, 5, 4

func point(i, j int) float32 {
	return float32(20*((i*i+i/3)%meanCount)*(j+1)) + float32(i*31%17+j)/8
}

func pointsInput() string {
	data := binary.LittleEndian.AppendUint32(nil, pointCount)
	data = binary.LittleEndian.AppendUint32(data, featureCount)
	for i := range pointCount {
		for j := range featureCount {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(point(i, j)))
		}
	}
	return string(data)
}

func pointsOutput() string {
	var means [meanCount][featureCount]float32
	for i := range meanCount * featureCount {
		means[i/featureCount][i%featureCount] = point(i/featureCount, i%featureCount)
	}
	membership, members := make([]int, pointCount), [meanCount]int{}
	for i := range membership {
		membership[i] = -1
	}
	rounds := 0
	for {
		changed := 0
		for i := range pointCount {
			best, least := -1, float32(math.MaxFloat32)
			for c := range means {
				d := float32(0)
				for j := range featureCount {
					x := point(i, j) - means[c][j]
					d += x * x
				}
				if d < least {
					best, least = c, d
				}
			}
			if membership[i] != best {
				changed++
			}
			membership[i] = best
		}
		members, means = [meanCount]int{}, [meanCount][featureCount]float32{}
		for i, m := range membership {
			members[m]++
			for j := range featureCount {
				means[m][j] += point(i, j)
			}
		}
		for c := range means {
			for j := range featureCount {
				means[c][j] /= float32(max(members[c], 1))
			}
		}
		if changed == 0 {
			break
		}
		if rounds++; rounds == 100 {
			break
		}
	}
	spread := 0.0
	for i, m := range membership {
		for j := range featureCount {
			d := float64(point(i, j) - means[m][j])
			spread += d * d
		}
	}
	return fmt.Sprintf("%d %d %d %d rounds %d, spread %.4f\n", members[0], members[1], members[2], members[3], rounds, math.Sqrt(spread))
}
