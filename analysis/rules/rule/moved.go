package rule

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file moves a barrier to where more threads pass.

// Moved offers to take a barrier out of the if statement that some threads pass by: before or behind it if the barrier stands first or last
// in there, and else between two of the same condition.
func Moved(files source.Provider, branch, barrier race.Site) []race.Fix {
	f, ok := files.File(barrier.Span.File)
	if !ok || !barrier.Macro.IsZero() || !branch.Macro.IsZero() || branch.Span.File != f.Path {
		return nil
	}
	p := placeIn(syntax.WrittenIn(f), f, barrier.Span)
	call, list, guard := p.parent(0), p.parent(1), p.parent(2)
	asked := guard.Child("condition")
	if kind(call) != "expression_statement" || kind(list) != "compound_statement" || kind(guard) != "if_statement" || guard.Child("alternative") != nil ||
		branch.Span.Start < asked.Start || branch.Span.End > asked.End {
		return nil
	}
	steps := expressions(list)
	i := slices.Index(steps, call)
	m := move{place: p, call: call, list: list, guard: guard}
	if line, _ := f.LineBounds(f.Position(guard.Start).Line); strings.Contains(m.callText(), "//") && strings.TrimSpace(f.Text[line:guard.Start]) != "" {
		return nil // the comment would swallow what comes to stand behind it
	}
	switch {
	case len(steps) == 1:
		return nil
	case i == 0:
		return m.fix("Move the barrier in front of the condition", m.callText(), m.without())
	case i == len(steps)-1:
		return m.fix("Move the barrier behind the condition", m.without(), m.callText())
	case !pure(unwrapped(asked)) || m.hangsOn(asked, steps[:i], steps[i+1:]):
		return nil
	}
	head, tail := m.parted()
	return m.fix("Ask the condition on both sides of the barrier", head, m.callText(), tail)
}

// move is a barrier's call in the braces of an if statement.
type move struct {
	place
	call, list, guard *syntax.Node
}

// callText is the call with its comments.
func (m move) callText() string { return m.f.Text[m.call.Start:behindComments(m.f, m.call.End)] }

// around is where the text of the call begins and ends, with the line that it has for itself.
func (m move) around() (start, end int) {
	start, _ = m.f.LineBounds(m.f.Position(m.call.Start).Line)
	end = behindComments(m.f, m.call.End)
	if strings.TrimSpace(m.f.Text[start:m.call.Start]) != "" {
		return m.call.Start, end
	}
	return start, end
}

// without is the if statement without the call.
func (m move) without() string {
	start, end := m.around()
	before, behind := m.f.Text[m.guard.Start:start], m.f.Text[end:m.guard.End]
	if strings.HasSuffix(before, "\n") {
		return before + strings.TrimPrefix(strings.TrimPrefix(behind, "\r"), "\n")
	}
	return before + strings.TrimPrefix(behind, " ")
}

// parted are two if statements, of what stands before the call and behind it.
func (m move) parted() (head, tail string) {
	start, end := m.around()
	line, _ := m.f.LineBounds(m.f.Position(m.guard.Start).Line)
	closing := "}"
	if strings.HasSuffix(m.f.Text[:start], "\n") {
		closing = blank(m.f.Text[line:m.guard.Start]) + closing
	}
	return m.f.Text[m.guard.Start:start] + closing, m.f.Text[m.guard.Start:m.list.Start] + "{" + m.f.Text[end:m.guard.End]
}

// hangsOn reports whether what stands behind the call needs a name that what stands before it declares, or a condition that this may change.
func (m move) hangsOn(asked *syntax.Node, before, behind []*syntax.Node) bool {
	s := scopes{f: m.f}
	for _, n := range behind {
		for name := range n.All() {
			if len(name.Children) == 0 && slices.ContainsFunc(before, func(d *syntax.Node) bool {
				return strings.HasSuffix(d.Kind, "declaration") && s.declares(d, m.text(name)) || strings.HasSuffix(d.Kind, "definition") || strings.HasSuffix(d.Kind, "specifier")
			}) {
				return true
			}
		}
	}
	for _, n := range before {
		for n := range n.All() {
			var changed []*syntax.Node
			switch n.Kind {
			case "assignment_expression":
				changed = []*syntax.Node{n.Child("left")}
			case "update_expression", "pointer_expression":
				changed = []*syntax.Node{n.Child("argument")}
			case "argument_list": // perhaps of a reference
				changed = expressions(n)
			}
			for _, c := range changed {
				if c := unwrapped(c); kind(c) == "identifier" && (named{m.place, m.text(c)}).in(asked) {
					return true
				}
			}
		}
	}
	return false
}

func (m move) fix(title string, statements ...string) []race.Fix {
	return []race.Fix{{Title: title, Edits: []race.Edit{m.inPlace(2, statements)}}}
}
