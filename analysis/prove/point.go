package prove

// This file looks for a point that satisfies a system: where there is one, nothing can be
// shown, and elimination, which costs far more, is spared.

// maxRepairs bounds the moves of the search.
const maxRepairs = 12

// hopeless reports whether elimination would show nothing: because there is a point, which it returns,
// or because a large system has solutions in the reals and only the tightening to integers could help,
// which it does for one system in two hundred (measured on cuda-samples).
func (s *system) hopeless(start []int64) (bool, []int64) {
	if len(s.rows) <= fewRows {
		if s.walk(start, 0) {
			return true, start
		}
		return false, nil
	}
	if s.walk(start, maxRepairs) {
		return true, start
	}
	corner := s.corner()
	switch {
	case corner == nil:
		return false, nil
	case s.walk(corner, maxRepairs):
		return true, corner
	}
	return len(s.rows) > manyRows, nil
}

// walk looks from a point on, and moves it. Each move mends the first row that is violated by one
// variable, the one that leaves the least violation in all rows.
func (s *system) walk(point []int64, moves int) bool {
	s.work += int64(len(s.rows) * len(point))
	sums := make([]int64, len(s.rows)) // of each row at the present point
	for i, r := range s.rows {
		sums[i] = r.c
		for v, at := range point {
			p, ok := mulSmall(at, r.coef[v])
			if !ok || tooLarge(p) || tooLarge(sums[i]) {
				return false
			}
			sums[i] += p
		}
	}
	for left := moves; ; left-- {
		at := -1
		for i, v := range sums {
			if tooLarge(v) {
				return false
			}
			if v > 0 {
				at = i
				break
			}
		}
		if at < 0 {
			return true
		}
		if left == 0 {
			return false
		}
		v, move := s.bestMove(sums, at)
		if v < 0 {
			return false
		}
		point[v] += move
		for i, r := range s.rows {
			sums[i] += move * r.coef[v]
		}
	}
}

// bestMove chooses by which variable to satisfy a row.
func (s *system) bestMove(sums []int64, at int) (v int, move int64) {
	v = -1
	var least int64
	for i, c := range s.rows[at].coef {
		if c == 0 {
			continue
		}
		by := -ceilDiv(sums[at], c) // the smallest move that brings the row to 0 or below
		if c < 0 {
			by = ceilDiv(sums[at], -c)
		}
		if tooLarge(by) {
			continue
		}
		s.work += int64(len(s.rows))
		var violation int64
		for k, r := range s.rows {
			p, ok := mulSmall(by, r.coef[i])
			if !ok || tooLarge(p) {
				violation = -1
				break
			}
			if sum := sums[k] + p; sum > 0 {
				violation = min(violation+sum, 1<<60)
			}
		}
		if violation >= 0 && (v < 0 || violation < least) {
			v, move, least = i, by, violation
		}
	}
	return v, move
}

// tooLarge keeps sums from overflowing.
func tooLarge(x int64) bool { return x > 1<<58 || x < -1<<58 }
