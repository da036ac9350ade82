package term

// Numbers is a set of the numbers of atoms, or of monomials.
type Numbers []uint64

// Add puts a number into the set, and reports whether it is new.
func (s *Numbers) Add(n int) bool {
	at, bit := n/64, uint64(1)<<(n%64)
	if at >= len(*s) {
		*s = append(*s, make(Numbers, at+1-len(*s))...)
	}
	old := (*s)[at]
	(*s)[at] = old | bit
	return old&bit == 0
}

// Has reports whether a number is in the set.
func (s Numbers) Has(n int) bool { return n/64 < len(s) && s[n/64]>>(n%64)&1 != 0 }
