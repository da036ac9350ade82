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
	m := move{place: p, list: list, guard: guard}
	text, own := m.lines(call)
	if !own && strings.Contains(text, "//") {
		return nil // the comment would swallow what comes to stand behind it
	}
	steps := expressions(list)
	i := slices.Index(steps, call)
	switch {
	case len(steps) == 1:
		return nil
	case i == 0:
		return m.fix("Move the barrier in front of the condition", m.replaced(guard.Start, guard.Start+len("if"), text+m.apart()+"if"), m.taken(call))
	case i == len(steps)-1:
		return m.fix("Move the barrier behind the condition", m.taken(call), m.replaced(list.End-1, list.End, "}"+m.apart()+text))
	case !pure(unwrapped(asked)) || m.hangsOn(asked, steps[:i], steps[i+1:]):
		return nil
	}
	start, end := m.around(call)
	head := "} "
	if own {
		head = strings.TrimPrefix(m.apart(), lineEnd(f)) + "}" + m.apart()
		if strings.HasPrefix(f.Text[end:], lineEnd(f)+lineEnd(f)) {
			end += len(lineEnd(f)) // an empty line between the two parts
		}
	}
	return m.fix("Ask the condition on both sides of the barrier", m.replaced(start, end, head+text+m.apart()+f.Text[guard.Start:list.Start]+"{"))
}

// move is a barrier in the braces of an if statement.
type move struct {
	place
	list, guard *syntax.Node
}

// apart is what stands between statements beside the if statement.
func (m move) apart() string {
	line, _ := m.f.LineBounds(m.f.Position(m.guard.Start).Line)
	if strings.TrimSpace(m.f.Text[line:m.guard.Start]) != "" {
		return " "
	}
	return lineEnd(m.f) + m.f.Text[line:m.guard.Start]
}

// around is where the barrier's text begins and ends: with the comments on its line, and with those above it if the line is its own.
func (m move) around(call *syntax.Node) (start, end int) {
	number := m.f.Position(call.Start).Line
	line, _ := m.f.LineBounds(number)
	end = behindComments(m.f, call.End)
	if strings.TrimSpace(m.f.Text[line:call.Start]) != "" {
		return call.Start, end
	}
	for start = line; ; start = line {
		number--
		above, _ := m.f.LineBounds(number)
		if above <= m.list.Start || !strings.HasPrefix(strings.TrimSpace(m.f.Text[above:start]), "//") {
			return start, end
		}
		line = above
	}
}

// lines is the barrier's text as it stands beside the if statement; own is false if it shares its line, or the if statement does.
func (m move) lines(call *syntax.Node) (text string, own bool) {
	start, end := m.around(call)
	if start == call.Start || m.apart() == " " {
		return m.f.Text[start:end], false
	}
	var lines []string
	for line := range strings.Lines(m.f.Text[start:end]) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, m.apart()), true
}

// taken is the edit that takes the barrier from where it stands.
func (m move) taken(call *syntax.Node) race.Edit {
	start, end := m.around(call)
	rest := m.f.Text[end:]
	if start < call.Start {
		end += len(rest) - len(strings.TrimPrefix(strings.TrimPrefix(rest, "\r"), "\n"))
	} else {
		end += len(rest) - len(strings.TrimPrefix(rest, " "))
	}
	return m.replaced(start, end, "")
}

func (m move) replaced(start, end int, text string) race.Edit {
	return race.Edit{Span: source.Span{File: m.f.Path, Start: start, End: end}, Text: text}
}

// fix makes edits, with braces around the if statement and the barrier if it is the body of another statement.
func (m move) fix(title string, edits ...race.Edit) []race.Fix {
	if kind(m.parent(3)) != "compound_statement" {
		text, at := "", m.guard.Start
		for _, e := range edits {
			text += m.f.Text[at:e.Span.Start] + e.Text
			at = e.Span.End
		}
		edits = []race.Edit{m.inPlace(2, []string{text + m.f.Text[at:m.guard.End]})}
	}
	return []race.Fix{{Title: title, Edits: edits}}
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
