package meet

import (
	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/phase"
	"github.com/warplint/warplint/analysis/race"
)

// This file defines what there is to tell of the decisions, for those who look inside.

// Question is whether two threads of a kind can meet by two accesses in a mode; Query writes it
// as conditions.
type Question struct {
	A, B   *access.Access
	Kind   race.Kind
	Mode   phase.Mode
	Answer Answer
}

// Answer is what came of a question.
type Answer string

// The answers.
const (
	Apart     Answer = "apart"     // the conditions contradict each other
	Ordered   Answer = "ordered"   // a lock or a flag orders the accesses
	Presumed  Answer = "presumed"  // apart by an assumption that the verdict names
	Undecided Answer = "undecided" // a candidate, which needs a witness
)
