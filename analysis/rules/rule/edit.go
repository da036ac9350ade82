package rule

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file makes the edits that several rules' fixes consist of.

// Insert returns, for each place where a statement could be put between the two accesses, the
// edit that puts it there: beside the statements that they stand in, in what is around both, where most likely all
// threads come to; then further out, and at last further in. Which of them
// mends the race, and deadlocks nobody, is for the engine to find out.
func (c *Case) Insert(statement string) []race.Edit {
	var edits []race.Edit
	seen := map[race.Edit]bool{}
	put := func(e race.Edit, ok bool) {
		if ok && !seen[e] {
			seen[e] = true
			edits = append(edits, e)
		}
	}
	calls := c.calls()
	for i, call := range calls {
		if i == 0 {
			put(c.beforeAt(call, statement))
		} else {
			put(c.behindAt(call, statement))
		}
	}
	for _, call := range calls { // on the way round a loop
		put(c.behindAt(call, statement))
		put(c.beforeAt(call, statement))
	}
	inA, inB, i, j := c.around()
	for _, s := range []ir.Stmt{inB[j], inA[i]} {
		put(c.before(s, statement))
		put(c.behind(s, statement))
	}
	for _, s := range inB[j+1:] {
		put(c.before(s, statement))
		put(c.behind(s, statement))
	}
	for k := max(i, j) - 1; k >= 0; k-- {
		if k < j {
			put(c.before(inB[k], statement))
		}
		if k < i {
			put(c.behind(inA[k], statement))
			put(c.before(inA[k], statement))
		}
		if k < j {
			put(c.behind(inB[k], statement))
		}
	}
	return edits
}

// around lists each access and what is around it, innermost first, and where in the lists stands what is not around the other one.
func (c *Case) around() (inA, inB []ir.Stmt, i, j int) {
	around := parents(c.Func.Body)
	inA, inB = append([]ir.Stmt{c.A.Stmt}, around[c.A.Stmt]...), append([]ir.Stmt{c.B.Stmt}, around[c.B.Stmt]...)
	i, j = len(inA)-1, len(inB)-1
	for i > 0 && j > 0 && inA[i] == inB[j] {
		i, j = i-1, j-1
	}
	return inA, inB, i, j
}

// calls are the statements, the last one first, in the function that both accesses are reached from, which call what only one of them is in. A
// barrier there is nobody else's.
func (c *Case) calls() (statements []source.Span) {
	within := len(c.within())
	for _, inlined := range [][]source.Span{c.Site(c.B).Inlined[within:], c.Site(c.A).Inlined[within:]} {
		if len(inlined) == 0 {
			continue
		}
		f, ok := c.Files.File(inlined[0].File)
		if !ok {
			continue
		}
		nodes := syntax.WrittenIn(f).Around(inlined[0])
		for i := 1; i < len(nodes); i++ {
			if n := nodes[i-1]; nodes[i].Kind == "compound_statement" && !n.HasError {
				statements = append(statements, source.Span{File: f.Path, Start: n.Start, End: n.End})
				break
			}
		}
	}
	slices.SortStableFunc(statements, func(a, b source.Span) int { return cmp.Compare(b.Start, a.Start) })
	return statements
}

// Enclose returns, for each of the two accesses, the edits that put a statement before and behind what it stands in and the other one
// does not: round a loop the one is as well behind the other as before it.
func (c *Case) Enclose(statement string) (pairs [][]race.Edit) {
	inA, inB, i, j := c.around()
	for _, s := range []ir.Stmt{inB[j], inA[i]} {
		before, ok := c.before(s, statement)
		behind, also := c.behind(s, statement)
		if ok && also {
			pairs = append(pairs, []race.Edit{before, behind})
		}
	}
	return pairs
}

// parents gives each statement those around it that have a place in the source, innermost first.
func parents(body []ir.Stmt) map[ir.Stmt][]ir.Stmt {
	out := map[ir.Stmt][]ir.Stmt{}
	var walk func(list []ir.Stmt, around []ir.Stmt)
	walk = func(list []ir.Stmt, around []ir.Stmt) {
		for _, s := range list {
			out[s] = around
			in := around
			if _, ok := ir.SiteOf(s); ok {
				in = append([]ir.Stmt{s}, around...)
			}
			for _, nested := range ir.Nested(s) {
				walk(nested, in)
			}
		}
	}
	walk(body, nil)
	return out
}

func (c *Case) statement(s ir.Stmt) (at source.Span, ok bool) {
	site, ok := ir.SiteOf(s)
	if !ok || site < 0 || site >= len(c.Func.Sites) {
		return at, false
	}
	at = c.Func.Sites[site].Stmt
	return at, !at.IsZero() && c.Func.Sites[site].Macro.IsZero()
}

// before puts a statement on a line of its own before another one, indented alike.
func (c *Case) before(s ir.Stmt, text string) (race.Edit, bool) {
	span, ok := c.statement(s)
	if !ok {
		return race.Edit{}, false
	}
	return c.beforeAt(span, text)
}

func (c *Case) beforeAt(span source.Span, text string) (race.Edit, bool) {
	f, ok := c.Files.File(span.File)
	if !ok {
		return race.Edit{}, false
	}
	start, _ := f.LineBounds(f.Position(span.Start).Line)
	indent := f.Text[start:span.Start]
	put := withPragmas(f, span.Start)
	at := source.Span{File: span.File, Start: put, End: put}
	start, _ = f.LineBounds(f.Position(put).Line)
	switch {
	case strings.TrimSpace(f.Text[start:put]) != "":
		return race.Edit{Span: at, Text: strings.ReplaceAll(text, "\n", " ") + " "}, true
	case start == put && put < span.Start: // directives often stand in the first column
		return race.Edit{Span: at, Text: blank(indent) + lines(f, text, blank(indent)) + lineEnd(f)}, true
	}
	return race.Edit{Span: at, Text: lines(f, text, f.Text[start:put]) + lineEnd(f) + f.Text[start:put]}, true
}

// lines are statements, one a line, with the line ends of a file and an indentation for all but the first.
func lines(f *source.File, text, indent string) string {
	return strings.ReplaceAll(text, "\n", lineEnd(f)+indent)
}

// blank is how a line begins.
func blank(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// pragma is what belongs to the loop behind it: a directive, its operator, or a macro of such.
var pragma = regexp.MustCompile(`^\s*(#\s*pragma\b.*|_Pragma\s*\(.*\)|[A-Z][A-Z0-9_]*)\s*$`)

// withPragmas is where a statement begins, with the pragmas in front of it.
func withPragmas(f *source.File, at int) int {
	for line := f.Position(at).Line; line > 0; line-- {
		start, end := f.LineBounds(line)
		before := f.Text[start:min(end, at)]
		switch {
		case pragma.MatchString(before):
			at = start + len(blank(before))
		case strings.TrimSpace(before) != "":
			return at
		case end < at:
			return at // an empty line
		}
	}
	return at
}

// behind puts a statement on a line of its own behind another one.
func (c *Case) behind(s ir.Stmt, text string) (race.Edit, bool) {
	span, ok := c.statement(s)
	if !ok {
		return race.Edit{}, false
	}
	return c.behindAt(span, text)
}

func (c *Case) behindAt(span source.Span, text string) (race.Edit, bool) {
	f, ok := c.Files.File(span.File)
	if !ok {
		return race.Edit{}, false
	}
	put := behindComments(f, span.End)
	at := source.Span{File: span.File, Start: put, End: put}
	start, _ := f.LineBounds(f.Position(span.Start).Line)
	indent := f.Text[start:span.Start]
	if strings.TrimSpace(indent) != "" {
		return race.Edit{Span: at, Text: " " + strings.ReplaceAll(text, "\n", " ")}, true
	}
	return race.Edit{Span: at, Text: lineEnd(f) + indent + lines(f, text, indent)}, true
}

// behindComments is behind a place, and the comments that are about what ends there.
func behindComments(f *source.File, at int) int {
	if _, end := f.LineBounds(f.Position(at).Line); comments.MatchString(f.Text[at:end]) {
		return end
	}
	return at
}

// comments fill what is left of a line, and the last does not go on in the next one.
var comments = regexp.MustCompile(`^\s*(/\*([^*]|\*+[^*/])*\*+/\s*)*(//.*[^\\\s])?\s*$`)

// lineEnd is the line end that a file uses.
func lineEnd(f *source.File) string {
	if strings.Contains(f.Text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}
