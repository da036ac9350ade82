package rule

import (
	"regexp"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// This file reads statements and expressions as updates for which CUDA has an atomic function.

// update is a statement that changes a place by a simple operation: `x += v;` or `x++;`.
var update = regexp.MustCompile(`^(?s)(.+?)\s*(?:([-+&|^])=\s*(.+?)|(\+\+|--))\s*;$`)

// prefixUpdate is `++x;` or `--x;`.
var prefixUpdate = regexp.MustCompile(`^(?s)(\+\+|--)\s*(.+?)\s*;$`)

// assigned is `x = v;`.
var assigned = regexp.MustCompile(`^(?s)(.+?)\s*=\s*([^=].*?)\s*;$`)

// extreme is the beginning of a call that finds the smaller or the greater of two numbers.
var extreme = regexp.MustCompile(`^(?:std::)?(min|max)\s*\(`)

// guard is the head of a statement that compares two numbers, up to the assignment that it guards.
var guard = regexp.MustCompile(`\bif\s*\(([^(){};<>=&|?]*(?:\([^(){};<>=&|?]*\)[^(){};<>=&|?]*)*)([<>])=?([^(){};<>=&|?]*(?:\([^(){};<>=&|?]*\)[^(){};<>=&|?]*)*)\)\s*(\{?)\s*$`)

// part is an access that an update may consist of.
type part struct {
	site   int
	t      ir.Type
	writes bool
}

func partsOf(accesses ...*access.Access) (out []part) {
	for _, a := range accesses {
		out = append(out, part{a.Site, a.Type(), a.Writes()})
	}
	return out
}

// plainParts are all plain accesses of a kernel to a variable.
func (c *Case) plainParts(variable string) (out []part) {
	ir.WalkStmts(c.Func.Body, func(s ir.Stmt) bool {
		site, ok := ir.SiteOf(s)
		if !ok || !weak(s) || c.Func.Sites[site].Variable != variable {
			return true
		}
		switch s := s.(type) {
		case *ir.Load:
			out = append(out, part{site, s.T, false})
		case *ir.Store:
			out = append(out, part{site, s.T, true})
		}
		return true
	})
	return out
}

// atomicUpdates are the edits that make the updates atomic which accesses are part of, none if one of them is part of nothing else.
func (c *Case) atomicUpdates(parts []part) []race.Edit {
	var edits []race.Edit
	for _, p := range parts {
		site := c.Func.Sites[p.site]
		f, ok := c.Files.File(site.Span.File)
		if !ok || !site.Macro.IsZero() {
			return nil
		}
		if !p.writes && len(parts) > 1 {
			continue
		}
		edit, ok := atomicUpdateAt(f, site.Span, p.t)
		if !ok {
			return nil
		}
		if !slices.Contains(edits, edit) {
			edits = append(edits, edit)
		}
	}
	for _, p := range parts {
		at := c.Func.Sites[p.site].Span
		if !slices.ContainsFunc(edits, func(e race.Edit) bool {
			return e.Span.File == at.File && e.Span.Start <= at.Start && at.End <= e.Span.End
		}) {
			return nil
		}
	}
	return edits
}

// atomicUpdateAt is the edit for the update of which a place in a text is part.
func atomicUpdateAt(f *source.File, at source.Span, t ir.Type) (race.Edit, bool) {
	place := f.Slice(at)
	span, ok := updateStatement(f, at)
	if !ok {
		return counted(f, at, t)
	}
	to, op, value := parseUpdate(f.Slice(span))
	if to != place {
		to, op, value = parseAssignment(f.Slice(span), place)
	}
	if to == "" {
		span, op, value = guarded(f, span, place)
	}
	call := atomicCall(op, place, value, t)
	return race.Edit{Span: span, Text: call + ";"}, call != ""
}

// atomicCall is the call that changes a place by an operation, empty if CUDA has none for its type.
func atomicCall(op, place, value string, t ir.Type) string {
	whole, half := t == ir.I32 || t == ir.U32, t == ir.U64 // what CUDA has functions for
	has, name := false, ""
	switch op {
	case "+":
		has, name = hasAtomicAdd(t), "atomicAdd"
	case "-":
		has, name = hasAtomicAdd(t), "atomicSub"
		if !whole {
			name = "atomicAdd"
			if !isFactor(value) {
				value = "(" + value + ")"
			}
			value = "-" + value
		}
	case "&", "|", "^":
		has, name = whole || half, map[string]string{"&": "atomicAnd", "|": "atomicOr", "^": "atomicXor"}[op]
	case "min", "max":
		has, name = whole || half || t == ir.I64, map[string]string{"min": "atomicMin", "max": "atomicMax"}[op]
	}
	if !has {
		return ""
	}
	return name + "(" + address(place) + ", " + value + ")"
}

func parseUpdate(stmt string) (place, op, value string) {
	if m := prefixUpdate.FindStringSubmatch(stmt); m != nil {
		return m[2], m[1][:1], "1"
	}
	m := update.FindStringSubmatch(stmt)
	switch {
	case m == nil:
		return "", "", ""
	case m[4] != "":
		return m[1], m[4][:1], "1"
	}
	return m[1], m[2], m[3]
}

// parseAssignment reads `x = x + v;`, `x = v + x;` and `x = max(x, v);`, of a place x.
func parseAssignment(stmt, x string) (place, op, value string) {
	m := assigned.FindStringSubmatch(stmt)
	if m == nil || m[1] != x {
		return "", "", ""
	}
	right := m[2]
	if call := extreme.FindStringSubmatch(right); call != nil {
		args, behind := splitArguments(right[len(call[0]):])
		switch {
		case len(args) != 2 || behind != "":
		case args[0] == x:
			return x, call[1], args[1]
		case args[1] == x:
			return x, call[1], args[0]
		}
		return "", "", ""
	}
	if rest, ok := strings.CutPrefix(right, x); ok {
		if rest = strings.TrimSpace(rest); rest != "" && strings.ContainsAny(rest[:1], "-+&|^") {
			op, value = rest[:1], strings.TrimSpace(rest[1:])
		}
	} else if rest, ok := strings.CutSuffix(right, x); ok {
		if rest = strings.TrimSpace(rest); rest != "" && strings.ContainsAny(rest[len(rest)-1:], "+&|^") {
			op, value = rest[len(rest)-1:], strings.TrimSpace(rest[:len(rest)-1])
		}
	}
	if value == "" || !isFactor(value) {
		return "", "", ""
	}
	return x, op, value
}

// isFactor reports whether no operator outside of brackets in a text binds less than a sum's, or is one.
func isFactor(text string) bool {
	depth := 0
	for _, r := range text {
		switch {
		case strings.ContainsRune("([", r):
			depth++
		case strings.ContainsRune(")]", r):
			depth--
		case depth == 0 && strings.ContainsRune("+-<>=&|^?:,", r):
			return false
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// guarded reads `if (v < x) x = v;`, of which it is given the assignment, as an update by the smaller of two numbers, or by the greater.
func guarded(f *source.File, assignment source.Span, place string) (whole source.Span, op, value string) {
	text, _ := f.Code()
	m := assigned.FindStringSubmatch(f.Slice(assignment))
	head := guard.FindStringSubmatchIndex(text[:assignment.Start])
	if m == nil || m[1] != place || head == nil {
		return source.Span{}, "", ""
	}
	part := func(i int) string { return strings.TrimSpace(f.Text[head[2*i]:head[2*i+1]]) }
	end, behind := assignment.End, strings.TrimLeft(text[assignment.End:], " \t\r\n")
	if part(4) != "" {
		rest, closed := strings.CutPrefix(behind, "}")
		if !closed {
			return source.Span{}, "", ""
		}
		end, behind = len(text)-len(rest), strings.TrimLeft(rest, " \t\r\n")
	}
	if strings.HasPrefix(behind, "else") {
		return source.Span{}, "", ""
	}
	less := part(2) == "<"
	switch {
	case part(1) == m[2] && part(3) == place:
	case part(1) == place && part(3) == m[2]:
		less = !less
	default:
		return source.Span{}, "", ""
	}
	op = "max"
	if less {
		op = "min"
	}
	return source.Span{File: assignment.File, Start: head[0], End: end}, op, m[2]
}

// counted reads `x++` within an expression, as in `out[n++] = v`.
func counted(f *source.File, place source.Span, t ir.Type) (race.Edit, bool) {
	start, end := place.Start, place.End
	if start > 0 && f.Text[start-1] == '(' && strings.HasPrefix(f.Text[end:], ")") {
		start, end = start-1, end+1
	}
	step := f.Text[end:min(end+2, len(f.Text))]
	if step != "++" && step != "--" || t.IsFloat() {
		return race.Edit{}, false
	}
	call := atomicCall(step[:1], f.Slice(place), "1", t)
	return race.Edit{Span: source.Span{File: place.File, Start: start, End: end + 2}, Text: call}, call != ""
}
