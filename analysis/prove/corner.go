package prove

import "math"

// This file looks for a point that satisfies a system where the walk of point.go has found none: it
// goes to a corner of the system's solutions in the reals by the simplex method for inequalities
// (Dutertre and de Moura 2006, section 3), and rounds it. Numbers are floating-point, since what is
// found is checked, and what is not found proves nothing.

// pivotsPerRow bounds the steps to a corner.
const pivotsPerRow = 2

// tableau gives each row's sum as combination of the numbers that move: a variable, or the sum of
// a row that has been exchanged for one, which stays at its bound.
type tableau struct {
	of    [][]float64 // by row and column
	sum   []float64   // of a row, at the present point
	row   []int       // what that is the sum of: n+i for the row i, v for a variable
	limit []float64   // of each, that the sum may not exceed
	col   []int       // what moves in a column
	at    []float64   // where that is
}

func (s *system) tableau() *tableau {
	m := len(s.rows)
	t := &tableau{
		of: make([][]float64, 0, m), sum: make([]float64, 0, m), row: make([]int, 0, m),
		limit: make([]float64, 0, s.n+m), col: make([]int, 0, s.n), at: make([]float64, 0, s.n),
	}
	for range s.n {
		t.limit = append(t.limit, math.Inf(1))
	}
	for i, r := range s.rows {
		of := s.floats.take(s.n)
		for v, c := range r.coef {
			of[v] = float64(c)
		}
		t.of, t.sum, t.row = append(t.of, of), append(t.sum, 0), append(t.row, s.n+i)
		t.limit = append(t.limit, -float64(r.c))
	}
	for v := range s.n {
		t.col, t.at = append(t.col, v), append(t.at, 0)
	}
	return t
}

const tiny = 1e-7

// corner returns a corner of the solutions, rounded, or nil if there seems to be none.
func (s *system) corner() []int64 {
	t := s.tableau()
	for range pivotsPerRow * len(s.rows) {
		s.work += int64(len(s.rows) * s.n / 4)
		i := t.violated()
		if i < 0 {
			return t.point(s.n)
		}
		j := t.entering(i, s.n)
		if j < 0 {
			return nil
		}
		t.pivot(i, j)
	}
	return nil
}

// violated is a row's sum that exceeds its bound, the one of the smallest number, so that the
// method ends (Bland's rule), or -1.
func (t *tableau) violated() int {
	at := -1
	for i, sum := range t.sum {
		if sum > t.limit[t.row[i]]+tiny && (at < 0 || t.row[i] < t.row[at]) {
			at = i
		}
	}
	return at
}

// entering is a column by which a row's sum can come down: a variable can move either way, a sum
// at its bound only down.
func (t *tableau) entering(i, variables int) int {
	at := -1
	for j, c := range t.of[i] {
		if (c > tiny || c < -tiny && t.col[j] < variables) && (at < 0 || t.col[j] < t.col[at]) {
			at = j
		}
	}
	return at
}

// pivot brings row i to its bound by column j, and exchanges the two.
func (t *tableau) pivot(i, j int) {
	c := t.of[i][j]
	bound := t.limit[t.row[i]]
	move := (bound - t.sum[i]) / c
	for k, of := range t.of {
		t.sum[k] += of[j] * move
	}
	was := t.at[j] + move
	// row = Σ of·col becomes col_j = row/c - Σ others/c.
	exchanged := t.of[i]
	for k := range exchanged {
		exchanged[k] /= -c
	}
	exchanged[j] = 1 / c
	for k, of := range t.of {
		f := of[j]
		if k == i || f == 0 {
			continue
		}
		of[j] = 0
		for x, e := range exchanged {
			of[x] += f * e
		}
	}
	t.row[i], t.col[j] = t.col[j], t.row[i]
	t.at[j], t.sum[i] = bound, was
}

// point rounds the variables.
func (t *tableau) point(variables int) []int64 {
	p := make([]int64, variables)
	round := func(id int, v float64) {
		if id < variables {
			p[id] = int64(math.Round(max(-1<<57, min(v, 1<<57))))
		}
	}
	for i, id := range t.row {
		round(id, t.sum[i])
	}
	for j, id := range t.col {
		round(id, t.at[j])
	}
	return p
}
