// Package suppress leaves out the findings that a comment in the source says to ignore:
//
//	x += 1;  // warplint-ignore RULE -- reason           findings of the rule on this line
//	// warplint-ignore-next-line RULE -- reason          … on the next line that holds code
//	// warplint-ignore RULE -- reason                    … in the kernel that begins below
//	__global__ void k(…)
//
// Several rules are separated by commas; the reason may be left out. A finding is on a line
// if one of its two places begins there, or a call or macro through which it is reached. A
// comment that ignores nothing in a check is reported, so that none outlives what it was written for.
package suppress

import (
	"fmt"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/analysis/source"
)

// Suppressed is a finding that a comment says to ignore.
type Suppressed struct {
	race.Finding
	Reason string // as the comment gives it, "" if it gives none
}

// Unused is a comment that ignores nothing, or that names no rule.
type Unused struct {
	Span    source.Span
	Message string
}

// Result splits the findings of one file.
type Result struct {
	Kept       []race.Finding
	Suppressed []Suppressed
	Unused     []Unused // of the checked file only: what is unused in a header may be used elsewhere
}

// Apply splits the findings that the check of path gave. Kernels are those of the same check.
func Apply(files source.Provider, path string, kernels []race.Kernel, findings []race.Finding) Result {
	s := Of(files)
	if len(s.of(path)) == 0 && len(findings) == 0 {
		return Result{}
	}
	var out Result
	for _, f := range findings {
		if reason, ok := s.Match(f, kernels); ok {
			out.Suppressed = append(out.Suppressed, Suppressed{f, reason})
		} else {
			out.Kept = append(out.Kept, f)
		}
	}
	for _, c := range s.of(path) {
		out.Unused = append(out.Unused, c.unused()...)
	}
	return out
}

// Comments are those that say to ignore findings; each file is read once.
type Comments struct {
	files    source.Provider
	comments map[string][]*comment
}

// Of returns the comments of the files that findings are in.
func Of(files source.Provider) *Comments {
	return &Comments{files: files, comments: map[string][]*comment{}}
}

func (s *Comments) of(path string) []*comment {
	list, ok := s.comments[path]
	if !ok {
		if file, there := s.files.File(path); there {
			list = comments(file)
		}
		s.comments[path] = list
	}
	return list
}

// Match says whether a comment says to ignore a finding, and why, and marks each one that does.
func (s *Comments) Match(f race.Finding, kernels []race.Kernel) (reason string, ok bool) {
	see := func(c *comment) {
		for i, rule := range c.rules {
			if rule == f.Rule {
				c.used[i] = true
				reason, ok = c.reason, true
			}
		}
	}
	for _, span := range places(f) {
		for _, c := range s.of(span.File) {
			if c.covers(span.Start) {
				see(c)
			}
		}
	}
	for _, k := range kernels {
		if k.Name != f.Kernel || k.Span.IsZero() {
			continue
		}
		for _, c := range s.of(k.Span.File) {
			if c.coversKernel(k.Span.Start) {
				see(c)
			}
		}
	}
	return reason, ok
}

// places are all spans that a finding is said to be on.
func places(f race.Finding) []source.Span {
	var spans []source.Span
	for _, site := range []race.Site{f.First, f.Second} {
		spans = append(append(spans, site.Span), site.Inlined...)
	}
	return spans
}

// unused says what is wrong with the comment, if anything.
func (c *comment) unused() []Unused {
	out := c.mistakes()
	for i, name := range c.rules {
		if rule, known := rules.Get(name); known && !c.used[i] && !rule.Simulated { // only a run knows of that one
			out = append(out, Unused{c.span, fmt.Sprintf("there is no finding of %s to ignore here", name)})
		}
	}
	return out
}

// mistakes says what of the comment is not understood.
func (c *comment) mistakes() []Unused {
	switch {
	case c.meant != "":
		return []Unused{{c.span, fmt.Sprintf("%q ignores nothing: begin the comment with warplint-ignore RULE, or with warplint-ignore-next-line RULE", c.meant)}}
	case len(c.rules) == 0:
		return []Unused{{c.span, "names no rule: write warplint-ignore RULE -- reason"}}
	}
	var out []Unused
	for _, name := range c.rules {
		if _, known := rules.Get(name); !known {
			out = append(out, Unused{c.span, fmt.Sprintf("there is no rule %q", name)})
		}
	}
	return out
}

// parse reads the text of a comment, false if it is no suppression.
func parse(text string) (c comment, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "warplint-ignore")
	if !ok {
		return comment{}, false
	}
	if next, found := strings.CutPrefix(rest, "-next-line"); found {
		c.nextLine, rest = true, next
	}
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != ':' {
		return comment{}, false
	}
	names, reason, _ := strings.Cut(strings.TrimPrefix(rest, ":"), "--")
	c.reason = strings.TrimSpace(reason)
	for _, name := range strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		c.rules = append(c.rules, race.Rule(name))
	}
	c.used = make([]bool, len(c.rules))
	return c, true
}
