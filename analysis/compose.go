package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/order"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/analysis/rules/rule"
	"github.com/warplint/warplint/analysis/source"
)

// This file makes one change of several, each a change of the text that those before it leave.

// change is a fix that consists of others, each of the text that those before it leave.
type change struct {
	race.Fix
	parts []race.Fix
	made  []made
}

func singly(fixes []race.Fix) (out []change) {
	for _, fix := range fixes {
		out = append(out, change{}.and(fix)...)
	}
	return out
}

// and is a change followed by one more, nothing if they do not go together.
func (c change) and(next race.Fix) []change {
	all, ok := compose(c.made, next.Edits, len(c.parts))
	if !ok {
		return nil
	}
	return []change{changeOf(append(slices.Clone(c.parts), next), all)}
}

func changeOf(parts []race.Fix, all []made) change {
	c := change{race.Fix{Edits: editsOf(all), Safe: true}, parts, all}
	for _, part := range parts {
		c.Title, c.Safe = both(c.Title, part.Title), c.Safe && part.Safe
	}
	return c
}

// without is a change without one of its parts.
func (c change) without(i int) change {
	var rest []made
	for _, e := range c.made {
		if e.step > i {
			e.step--
		} else if e.step == i {
			continue
		}
		rest = append(rest, e)
	}
	return changeOf(slices.Delete(slices.Clone(c.parts), i, i+1), rest)
}

// doesMore reports whether a change is another one's, or that at more places.
func (c change) doesMore(other change) bool {
	return c.Title == other.Title || strings.HasPrefix(c.Title, other.Title+",") || strings.HasPrefix(c.Title, other.Title+" and") || strings.HasPrefix(c.Title, other.Title) && len(c.Edits) > len(other.Edits)
}

// both is a title for two changes.
func both(one, other string) string {
	if one == "" || one == other {
		return other
	}
	return one + ", and " + strings.ToLower(other[:1]) + other[1:]
}

// followed are the changes that a change and one more make, where it has not mended a case but now something else is
// missing, as with a fence that is wide enough where the other side has none, or where another race of the variable has come to light.
func (c change) followed(f race.Finding, before, rest *rule.Case) (out []change) {
	if rest == nil {
		return nil
	}
	a, b := rest.Site(rest.A).Span, rest.Site(rest.B).Span
	same := shifted(f.First.Span, c.Edits).holds(a) && shifted(f.Second.Span, c.Edits).holds(b) && ways(before, c.Edits) == ways(rest, nil)
	elsewhere := before.Miss.What == order.Nothing && rest.Miss.What == order.Nothing && rest.Variable() == before.Variable() && !same
	if !elsewhere && (rest.Miss.What == order.Nothing || lackOf(rest) == lackOf(before)) {
		return nil
	}
	for _, next := range rules.Classify(rest).Fixes(rest) {
		if !slices.ContainsFunc(next.Edits, c.repeats) {
			out = append(out, c.and(next)...)
		}
	}
	beside := func(both change) int { return min(len(both.made)-len(c.made), 1) }
	slices.SortStableFunc(out, func(a, b change) int { return cmp.Compare(beside(b), beside(a)) }) // not in what c wrote, if it can stand beside it
	return out
}

// repeats reports whether an edit of the text that a change leaves puts once more what that has put there.
func (c change) repeats(e race.Edit) bool {
	return slices.ContainsFunc(c.Edits, func(o race.Edit) bool {
		at := shifted(source.Span{File: o.Span.File, Start: o.Span.End, End: o.Span.End}, c.Edits)
		return o.Span.Start == o.Span.End && e.Span.Start == e.Span.End && e.Text == o.Text && (e.Span == at.Span || e.Span.File == at.File && e.Span.Start == at.Start-len(o.Text))
	})
}

// ways are the calls that lead to the accesses of a case, as they stand behind edits.
func ways(c *rule.Case, edits []race.Edit) string {
	var out []string
	for _, a := range []*access.Access{c.A, c.B} {
		way := ""
		for _, call := range c.Site(a).Inlined {
			way += fmt.Sprint(shifted(call, edits).Span)
		}
		out = append(out, way)
	}
	slices.Sort(out)
	return fmt.Sprint(out)
}

// offered is the fix that people see. Its title says where it inserts what.
func (c change) offered(files source.Provider) race.Fix {
	fix := c.Fix
	fix.Verified, fix.Title = true, ""
	for i, part := range c.parts {
		edits := editsOf(slices.DeleteFunc(slices.Clone(c.made), func(e made) bool { return e.step != i }))
		fix.Title = both(fix.Title, placed(part.Title, files, edits))
	}
	return fix
}

// placed adds to a title where edits insert lines.
func placed(title string, files source.Provider, edits []race.Edit) string {
	var places []string
	braces := 0 // for what is put between them
	for _, e := range edits {
		f, ok := files.File(e.Span.File)
		if !ok || e.Span.Start != e.Span.End {
			continue
		}
		if strings.Trim(e.Text, " {}\r\n\t") == "" {
			braces++
			continue
		}
		where := "in"
		switch {
		case strings.HasPrefix(e.Text, "\n"), strings.HasPrefix(e.Text, "\r"):
			where = "behind"
		case strings.Contains(e.Text, "\n"):
			where = "before"
		}
		places = append(places, fmt.Sprintf("%s line %d", where, f.Position(e.Span.Start).Line))
	}
	switch {
	case len(places) == 0:
		return title
	case len(places)+braces < len(edits):
		title += " and"
	}
	places = slices.Compact(places)
	if last := len(places) - 1; last > 0 {
		places = []string{strings.Join(places[:last], ", "), places[last]}
	}
	return title + " " + strings.Join(places, " and ")
}

// lack is what orders the accesses of a case no more than another one.
type lack struct {
	what         order.What
	lock, reader bool
	places       int
	tolerated    bool
}

func lackOf(c *rule.Case) lack {
	return lack{c.Miss.What, c.Miss.Lock, c.Miss.Reader, len(c.Miss.At), c.Tolerated}
}

// made is an edit of the first text, and the number of the change that made it.
type made struct {
	race.Edit
	step int
}

// compose adds a change of the text that edits leave to these. What it changes of the text that one of them wrote is that one's from then on.
// ok is false if it changes some of that and some of what stands beside it.
func compose(edits []made, change []race.Edit, step int) (all []made, ok bool) {
	type placed struct {
		made
		before int
	}
	var added []placed
	all = slices.Clone(edits)
	change = slices.Clone(change)
	slices.SortStableFunc(change, func(a, b race.Edit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	for _, e := range slices.Backward(change) {
		if i, at, ok := writerOf(edits, e.Span); ok {
			text := all[i].Text
			all[i].Text = text[:at] + e.Text + text[at+e.Span.End-e.Span.Start:]
			continue
		}
		before, span, ok := origin(edits, e.Span)
		if !ok {
			return nil, false
		}
		added = append(added, placed{made{race.Edit{Span: span, Text: e.Text}, step}, before})
	}
	slices.Reverse(added)
	slices.SortStableFunc(added, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.before, b.before), cmp.Compare(a.Span.Start, b.Span.Start))
	})
	for _, p := range slices.Backward(added) {
		all = slices.Insert(all, p.before, p.made)
	}
	return all, true
}

// writerOf is the edit that wrote the text of a span, and where in that it stands. A place at the end of the text is not in it.
func writerOf(edits []made, s source.Span) (i, at int, ok bool) {
	moved := 0
	for i, e := range edits {
		if e.Span.File != s.File {
			continue
		}
		if start := e.Span.Start + moved; start < s.Start && s.End < start+len(e.Text) {
			return i, s.Start - start, true
		}
		moved += len(e.Text) - (e.Span.End - e.Span.Start)
	}
	return 0, 0, false
}

func editsOf(list []made) (out []race.Edit) {
	for _, e := range list {
		out = append(out, e.Edit)
	}
	return out
}

// origin says where a span of an edited text stood before, and before which of the edits it stands now; ok is false if it has
// text that an edit wrote.
func origin(edits []made, s source.Span) (before int, was source.Span, ok bool) {
	moved := 0
	for i, e := range edits {
		if e.Span.File != s.File {
			continue
		}
		start, end := e.Span.Start+moved, e.Span.Start+moved+len(e.Text)
		if s.End <= start {
			return i, source.Span{File: s.File, Start: s.Start - moved, End: s.End - moved}, true
		}
		if s.Start < end {
			return 0, source.Span{}, false
		}
		moved += len(e.Text) - (e.Span.End - e.Span.Start)
	}
	return len(edits), source.Span{File: s.File, Start: s.Start - moved, End: s.End - moved}, true
}
