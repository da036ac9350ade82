package witness

import (
	"context"
	"testing"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// Of another launch with the same numbers only what is not shown for sure is searched for again.
func TestTriedBefore(t *testing.T) {
	f, err := ir.ParseFunc(`func f {
  param $n u32
  param $x ptr f32 size 4
  %i = blockIdx.x * blockDim.x + threadIdx.x
  %v = load $x[%i + 1u32]
  if %i < $n {
    store $x[%i], %v
  }
  if $n * $n == 123456789u32 {
    store $x[1], %v
  }
}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s := access.Summarize(ctx, term.NewTable(), f, nil, race.Dim3{}, race.Dim3{})
	all := meet.Pairs(ctx, s, nil).Candidates
	tried := NewTried(2)
	first := Find(ctx, s, all, false, 1, tried)
	if len(first.Races) == 0 || len(first.Reasons) == 0 {
		t.Fatalf("races %v, reasons %v; want some of each", first.Races, first.Reasons)
	}
	var shown, left []meet.Candidate
	for _, c := range all {
		if first.shows(pairOf(c), true) {
			shown = append(shown, c)
		} else {
			left = append(left, c)
		}
	}
	for _, test := range []struct {
		name       string
		candidates []meet.Candidate
		spared     bool
	}{
		{"the same", all, true},
		{"those that were shown", shown, true},
		{"one of them", shown[:1], true},
		{"those that were not", left, false},
	} {
		if again := Find(ctx, s, test.candidates, false, 1, tried); (again.Runs == 0) != test.spared {
			t.Errorf("%s: %d runs", test.name, again.Runs)
		}
	}
}

// What two fields of an element are asked is one question.
func TestAskedOnceInAllNames(t *testing.T) {
	f, err := ir.ParseFunc(`func f {
  param $n u32
  param $x ptr f32 size 8
  %i = blockIdx.x * blockDim.x + threadIdx.x
  store $x[(%i * $n) % 4096u32], 1f32
  store $x[(%i * $n) % 4096u32 + 1u32], 1f32
}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s := access.Summarize(ctx, term.NewTable(), f, nil, race.Dim3{}, race.Dim3{})
	all := meet.Pairs(ctx, s, nil).Candidates
	search := newSearch(s, all, false, 1, NewTried(1))
	p := &search.plans[0]
	for _, c := range all {
		if c.A == c.B && c.Kind == race.InterBlock {
			search.threadsOf(ctx, p, c, false)
		}
	}
	if len(search.tried.solved) != 1 {
		t.Errorf("%d questions, want 1", len(search.tried.solved))
	}
}
