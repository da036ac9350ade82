package witness

import (
	"slices"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/term"
)

// This file says which races hang on data alone.

// onlyData reports whether nothing but what memory holds may keep two threads from meeting: people know
// that the elements of `out[perm[i]]` differ, that the ranges which begin at `start[row]` do not overlap,
// or that an index leads out of the part of an array, behind an offset, that the launch writes. But
// people who count, as in `hist[data[i]]++`, know no such thing, `a[i] = a[next[i]]` over the whole of an
// array meets itself wherever next[i] is another than i, and in shared memory it takes a barrier to write
// at one index and read at another.
func onlyData(s *access.Summary, a, b *access.Access, kind race.Kind) bool {
	x, y := a.InBlock, b.InBlock
	if kind == race.InterBlock {
		x, y = a.ByData, b.ByData
	}
	switch {
	case kind != race.InterBlock && !a.Common.Equal(b.Common):
		switch {
		case len(a.Common.Terms()) == 0 && oneElement(s, b):
			return access.Shifted(a.Off)
		case len(b.Common.Terms()) == 0 && oneElement(s, a):
			return access.Shifted(b.Off)
		}
		return true // two ranges of one block
	case x == access.ByStart && y == access.ByStart:
		return true
	case (x != access.Plain || y != access.Plain) && (ofClass(s, a) && ofClass(s, b) || ofPart(s, a) && ofPart(s, b)) && !folded(a.Off) && !folded(b.Off):
		return true
	case x != access.Plain && y != access.Plain && ofListed(s, a, kind) && ofListed(s, b, kind):
		return true
	case updates(s, a, b), asks(s, a) && asks(s, b):
		return false
	case x != access.Plain && y != access.Plain:
		return a.Base.Space != ir.Shared || a.Off == b.Off || a.Writes() && b.Writes()
	case x != access.Plain:
		return access.Shifted(b.Off) || flagged(s, a) && flagged(s, b) || puts(a, b)
	case y != access.Plain:
		return access.Shifted(a.Off) || flagged(s, a) && flagged(s, b) || puts(b, a)
	}
	return false
}

// puts reports whether the one write is of the element that memory names and the other of a single one of the launch, as where
// the first offset is 0 and `start[run[i]] = i` are the others.
func puts(a, one *access.Access) bool {
	return a.Kind == race.Write && one.Kind == race.Write && one.Off.Variance() == term.Grid && one.Off.Loops() == 0
}

// oneElement reports whether all threads of a block go to one element, which memory names, as the one of a label in the row
// that the block has just worked out.
func oneElement(s *access.Summary, a *access.Access) bool {
	rest := s.T.Sub(a.Off, a.Common)
	return rest.Variance() <= term.Block && rest.Loops() == 0 && a.Common.Loops() == 0
}

// flagged reports whether a thread goes to an element only if a flag of that element says so: memory of another
// array at the same index. Where two threads ask flags, as those of a search that is on one level and finds the next do,
// the flags may be such that no element has both.
func flagged(s *access.Summary, a *access.Access) bool {
	return slices.ContainsFunc(s.Accesses, func(flag *access.Access) bool {
		if flag.Writes() || flag.Base == a.Base || !s.T.Scale(a.Size, flag.Off).Equal(s.T.Scale(flag.Size, a.Off)) {
			return false
		}
		return slices.ContainsFunc(a.When, func(c *term.Cond) bool {
			return speaks(c, func(x *term.Atom) bool {
				return flag.Result != nil && x == flag.Result || access.IsContents(x) && x.Args[0].Equal(flag.Off)
			})
		})
	})
}

// ofClass reports whether a thread comes to an access only if its item is of the class that the launch is for, as where
// vertices of one colour, or of one level of a tree, are updated from their neighbours, or edges of one colour add to the cells at their
// ends: classes are made so that no two items of one have to do with the same element.
func ofClass(s *access.Summary, a *access.Access) bool {
	return slices.ContainsFunc(term.Conjuncts(a.When), func(c *term.Cond) bool {
		return c.Op == term.EqZero && slices.ContainsFunc(c.P.Terms(), func(t term.Term) bool {
			if len(t.Mono.Atoms) != 1 || !access.IsContents(t.Mono.Atoms[0]) || !atOwnPlace(t.Mono.Atoms[0].Args[0]) {
				return false
			}
			number := s.T.Sub(c.P, s.T.Monomial(t.Coef, t.Mono.Atoms))
			return number.Variance() == term.Grid && !isConst(number)
		})
	})
}

// ofPart reports whether a thread goes to what an item names that it takes from a part of a list, as where elements are sorted by
// colour and each launch adds those of one to the nodes at their corners, or edges, which look at their ends as well. A part
// begins where the host says.
func ofPart(s *access.Summary, a *access.Access) bool {
	item := func(x *term.Atom) bool {
		if !access.IsContents(x) || x.Args[0].Variance() != term.Thread || !access.Shifted(x.Args[0]) {
			return false
		}
		found := false
		x.Args[0].AllLeaves(func(a *term.Atom) { found = found || a.Kind == term.Result || access.IsContents(a) })
		return !found
	}
	found := false
	a.Off.AllLeaves(func(x *term.Atom) {
		switch {
		case !access.IsContents(x):
		case item(x):
			found = found || slices.ContainsFunc(s.Accesses, func(b *access.Access) bool { return b.Base != a.Base && b.Off.MadeOf(x) })
		default:
			x.Args[0].AllLeaves(func(x *term.Atom) { found = found || item(x) })
		}
	})
	return found
}

// atOwnPlace reports whether an address is a thread's own, and does not hang on memory or the rounds of loops.
func atOwnPlace(p *term.Poly) bool {
	own := p.Variance() == term.Thread
	p.AllLeaves(func(a *term.Atom) { own = own && a.Kind != term.Iter && a.Kind != term.Result && !access.IsContents(a) })
	return own
}

// updates reports whether one of the accesses is part of a read and a write of one place, as
// in `hist[data[i]]++`, or if a place is set where it was found not to be: lost updates are then sure, if two
// threads meet at all. That they do is so likely where remainders are taken that people count on it.
func updates(s *access.Summary, a, b *access.Access) bool {
	f := s.Func
	same := a.Update || b.Update || f.Sites[a.Site].Span == f.Sites[b.Site].Span && a.Kind != b.Kind
	same = same || a.Kind != b.Kind && a.Base == b.Base && a.Off.Equal(b.Off) && !clears(s, a, b) && !clears(s, b, a) // by hand, in two statements
	both := func(are func(*access.Summary, *access.Access) bool) bool { return are(s, a) && are(s, b) }
	same = same && !both(tabled) && !both(headOfRun) && !both(headOfSegment) && !both(ofItem)
	return same || folded(a.Off) && !headOfRun(s, a) || folded(b.Off) && !headOfRun(s, b) || finds(a, b) || finds(b, a) || leads(a, b) || leads(b, a) || a.Kind == race.Atomic || b.Kind == race.Atomic
}

// clears reports whether a write puts the same number back whatever the other has read, and nobody goes by that, as where the row of a
// product is taken out of the room that it was summed up in: nothing is lost by it.
func clears(s *access.Summary, read, w *access.Access) bool {
	if w.Kind != race.Write || w.Value == nil || w.Value.Variance() != term.Grid || w.Value.Loops() != 0 || read.Result == nil {
		return false
	}
	return !slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
		return slices.ContainsFunc(a.When, func(c *term.Cond) bool { return speaksOf(c, read.Result) })
	})
}

// folded reports whether an address is what memory holds, divided by a size: `table[key[i] % buckets]`. Of such
// remainders nobody knows that they differ, nor of what is left of a product that has wrapped around, `key[i] * 2654435761u >> 22`.
// A remainder beside its quotient, as in
// `page[slot / size * pitch + slot % size]`, says as much as the number itself; so it does beside what the quotient finds, as in
// `page[pages[slot / size] * pitch + slot % size]`.
func folded(p *term.Poly) bool {
	var quotients, remainders []*term.Atom
	seen := map[*term.Atom]bool{}
	var walk func(p *term.Poly, within bool)
	walk = func(p *term.Poly, within bool) {
		for _, t := range p.Terms() {
			for _, a := range t.Mono.Atoms {
				if seen[a] {
					continue
				}
				seen[a] = true
				switch {
				case a.Kind == term.Div || a.Kind == term.Func && a.Name == "sdiv":
					quotients = append(quotients, a)
					if wrap := a.Args[0].IsAtom(); wrap != nil && wrap.Kind == term.Wrap && wrap.Args[0].Gcd() > 1 && !within {
						remainders = append(remainders, wrap)
					}
				case (a.Kind == term.Rem || a.Kind == term.Func && a.Name == "srem") && !within:
					remainders = append(remainders, a)
				}
				for _, arg := range a.Args {
					walk(arg, within || keptIn(a)) // how it is found where a number is read is another matter
				}
			}
		}
	}
	walk(p, false)
	return slices.ContainsFunc(remainders, func(r *term.Atom) bool {
		found := false
		r.Args[0].AllLeaves(func(a *term.Atom) { found = found || a.Kind == term.Result || keptIn(a) })
		return found && !slices.ContainsFunc(quotients, func(q *term.Atom) bool {
			return q.Args[0].Equal(r.Args[0]) && q.Args[1].Equal(r.Args[1])
		})
	})
}

// keptIn reports whether a value is what memory holds for good, or shared memory once nobody writes it any more.
func keptIn(a *term.Atom) bool { return access.IsContents(a) || access.SettledAt(a) != nil }

// headOfRun reports whether a thread goes to an element only if the number that names it differs from the one before, or
// behind, in the same array, as in `if (digit[i - 1] != digit[i]) start[digit[i]] = i`. That is asked of sorted numbers,
// where each has one such thread. A thread may go along its run.
func headOfRun(s *access.Summary, a *access.Access) bool {
	t := s.T
	var names []*term.Atom
	a.Off.AllLeaves(func(x *term.Atom) {
		if access.IsContents(x) {
			names = append(names, x)
		}
	})
	neighbour := func(y *term.Atom) bool {
		return slices.ContainsFunc(names, func(x *term.Atom) bool {
			if !access.IsContents(y) || x == y || x.Name != y.Name {
				return false
			}
			apart, element := t.Sub(x.Args[0], y.Args[0]), t.Offset(x.Args[0], -x.Args[0].Constant()).Gcd()
			beside := element == 0 || apart.Constant()%element == 0 // and not another field of one element
			apart.AllLeaves(func(a *term.Atom) { beside = beside && a.Kind == term.Iter })
			return beside
		})
	}
	return slices.ContainsFunc(a.When, func(c *term.Cond) bool {
		found := false
		c.Walk(func(c *term.Cond) {
			if c.Op == term.NeZero && !goesAlong(c.P) {
				found = found || speaks(c, neighbour)
			}
		})
		return found
	})
}

// tabled reports whether an address lies in a part of an array, of which all that memory says is in tables of constant memory, as
// on which part of which tensor a block works: the host has dealt that out for the launch.
func tabled(s *access.Summary, a *access.Access) bool {
	found, all, moves := false, true, false
	for _, t := range a.Off.Terms() {
		data := false
		for _, of := range t.Mono.Atoms {
			s.T.Poly(of).AllLeaves(func(x *term.Atom) {
				data = data || access.IsContents(x)
				all = all && (!access.IsContents(x) || s.Tables[x.Name]) && x.Kind != term.Opaque && x.Kind != term.Result
			})
		}
		found = found || data
		moves = moves || !data && slices.ContainsFunc(t.Mono.Atoms, func(x *term.Atom) bool { return x.Variance > term.Block || x.Kind == term.Iter })
	}
	return found && all && moves
}

// headOfSegment reports whether a thread goes to an element that the first number of a segment names, as in
// `sum[key[start[k]]]`: what begins a segment is the key of all that is in it.
func headOfSegment(s *access.Summary, a *access.Access) bool {
	found := false
	a.Off.AllLeaves(func(x *term.Atom) {
		if !access.IsContents(x) || goesAlong(x.Args[0]) {
			return
		}
		x.Args[0].AllLeaves(func(start *term.Atom) {
			found = found || access.IsContents(start) && slices.ContainsFunc(s.Accesses, func(b *access.Access) bool { return offsets(s, b)[start.Name] })
		})
	})
	return found
}

// ofItem reports whether a thread goes to the element of an item that it works on, as of a row that it takes from a list of
// those that may be solved now: it goes along the segment of that item. A list of work has each item once; what is only
// counted, as in `count[kind[i]]++`, has no segment.
func ofItem(s *access.Summary, a *access.Access) bool {
	return slices.ContainsFunc(a.Off.Terms(), func(t term.Term) bool {
		if len(t.Mono.Atoms) != 1 || !access.IsContents(t.Mono.Atoms[0]) || !atOwnPlace(t.Mono.Atoms[0].Args[0]) {
			return false
		}
		item := t.Mono.Atoms[0]
		return slices.ContainsFunc(s.Accesses, func(b *access.Access) bool {
			found, segments := false, offsets(s, b)
			b.Off.AllLeaves(func(x *term.Atom) { found = found || segments[x.Name] && x.Args[0].Mentions(item) })
			return found
		})
	})
}

// goesAlong reports whether p is a number that grows with the rounds of a loop, as in `e != row[v + 1]`, where e goes along a range.
func goesAlong(p *term.Poly) bool {
	return slices.ContainsFunc(p.Terms(), func(x term.Term) bool {
		return slices.ContainsFunc(x.Mono.Atoms, func(a *term.Atom) bool { return a.Kind == term.Iter })
	})
}

// asks reports whether a thread asks by an atomic at a place whether others have come there, before it writes
// beside that place, and writes although they may have.
func asks(s *access.Summary, w *access.Access) bool {
	return w.Writes() && slices.ContainsFunc(s.Accesses, func(a *access.Access) bool {
		if a.Kind != race.Atomic || a.Result == nil {
			return false
		}
		if _, beside := s.T.Sub(a.Off, w.Off).IsConst(); !beside {
			return false
		}
		return slices.ContainsFunc(w.When, func(c *term.Cond) bool { return c.Op == term.Or && speaksOf(c, a.Result) })
	})
}

func speaksOf(c *term.Cond, of *term.Atom) bool {
	return speaks(c, func(a *term.Atom) bool { return a == of })
}

func speaks(c *term.Cond, of func(*term.Atom) bool) bool {
	found := false
	c.Walk(func(c *term.Cond) {
		if c.P != nil {
			c.P.AllLeaves(func(a *term.Atom) { found = found || of(a) })
		}
	})
	return found
}

// finds reports whether what one access has read of a place decides that the other writes there. A loop that looks for
// the place, as one that probes a table does, has been left at it.
func finds(read, write *access.Access) bool {
	if read.Result == nil || !write.Writes() || read.Base != write.Base {
		return false
	}
	of := func(a *term.Atom) bool { return a == read.Result }
	if !read.Off.Equal(write.Off) {
		if len(read.Loops) <= len(write.Loops) || !alikeButForLoops(read.Off, write.Off) {
			return false
		}
		of = func(a *term.Atom) bool { return a.Ref == read.Result.Ref }
	}
	return slices.ContainsFunc(write.When, func(c *term.Cond) bool { return speaks(c, of) })
}

// alikeButForLoops reports whether two addresses are made of the same variables, before and behind a loop.
func alikeButForLoops(p, q *term.Poly) bool {
	return slices.EqualFunc(p.Terms(), q.Terms(), func(x, y term.Term) bool {
		return x.Coef == y.Coef && slices.EqualFunc(x.Mono.Atoms, y.Mono.Atoms, func(a, b *term.Atom) bool {
			return a == b || a.Ref != nil && a.Ref == b.Ref && a.Kind == b.Kind
		})
	})
}

// leads reports whether what one access has read of an array says where in the array the other writes, as where
// trees are joined by `parent[parent[v]] = root`: then no part of the array is for reading.
func leads(read, write *access.Access) bool {
	if read.Result == nil || !write.Writes() || read.Base != write.Base || access.Shifted(read.Off) || access.Shifted(write.Off) {
		return false
	}
	return write.Off.MadeOf(read.Result)
}
