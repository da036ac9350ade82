package sim_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/dynamic/ptx"
	"github.com/warplint/warplint/dynamic/sim"
)

// runAnything loads a text and runs each of its kernels, with limits. It fails the test for a
// mistake of the simulator; everything else is allowed.
func runAnything(t *testing.T, text string) {
	m, err := ptx.Parse(text)
	if err != nil {
		return
	}
	d := sim.NewDevice(sim.Config{MemoryLimit: 1 << 24})
	p, _ := d.Malloc(1<<12, "buffer")
	loaded, err := d.Load(m)
	if err != nil {
		return
	}
	for i, name := range loaded.Kernels() {
		if i == 4 {
			break
		}
		k, err := loaded.Kernel(name)
		if errors.Is(err, sim.ErrInternal) {
			t.Fatalf("%v in\n%s", err, text)
		}
		if err != nil || k.Attributes.ParameterSize > 1<<12 {
			continue
		}
		arguments := make([]byte, k.Attributes.ParameterSize)
		for at := 0; at+8 <= len(arguments); at += 8 {
			copy(arguments[at:], args(p))
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		_, err = d.Launch(ctx, k, sim.Launch{
			Grid: race.Dim3{2}, Block: race.Dim3{40}, Args: arguments, MaxInstructions: 2000,
		})
		cancel()
		var f *sim.Fault
		if errors.As(err, &f) && (f.Kind == sim.Internal || f.Kind == sim.Cancelled) {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
}

func seedTexts(t testing.TB) []string {
	var texts []string
	files, _ := filepath.Glob("testdata/*.ptx")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for _, c := range readConformance(t) {
		texts = append(texts, c.PTX)
	}
	return texts
}

func FuzzSimulator(f *testing.F) {
	for i, text := range seedTexts(f) {
		if i%20 == 0 || len(text) < 600 {
			f.Add(text)
		}
	}
	f.Fuzz(runAnything)
}

// TestMutations runs kernels whose words were exchanged for words of others.
func TestMutations(t *testing.T) {
	texts := seedTexts(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		runAnything(t, mutate(texts[r.IntN(len(texts))], texts[r.IntN(len(texts))], r))
	}
}

// mutate replaces some words of a text's instructions by words of another one's.
func mutate(text, other string, r *rand.Rand) string {
	words, donors := strings.FieldsFunc(text, isSpace), strings.FieldsFunc(other, isSpace)
	start := strings.Index(text, "{")
	for range 1 + r.IntN(4) {
		old := words[r.IntN(len(words))]
		at := strings.LastIndex(text, old)
		if at < start || at < 0 {
			continue
		}
		text = text[:at] + donors[r.IntN(len(donors))] + text[at+len(old):]
	}
	return text
}

func isSpace(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }
