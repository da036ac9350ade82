// This file defines the output as GitHub's workflow commands, which become annotations on
// the lines of a pull request. The escapes are those of actions/toolkit's command.ts.

package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

type githubWriter struct {
	w      io.Writer
	places places
}

func (g *githubWriter) Add(p Part) error {
	for i := range p.Findings {
		if err := g.finding(&p.Findings[i]); err != nil {
			return err
		}
	}
	return nil
}

func (g *githubWriter) Close() error { return nil }

func (g *githubWriter) finding(f *Finding) error {
	_, err := fmt.Fprintf(g.w, "::%s %s,title=%s::%s\n", githubCommand(f.Severity), g.place(f.First.Span),
		githubProperty("warplint "+string(f.Rule)), githubData(g.text(f)))
	return err
}

// place writes where an annotation stands. GitHub takes columns only within one line.
func (g *githubWriter) place(s source.Span) string {
	start, end := g.places.bounds(s)
	place := fmt.Sprintf("file=%s,line=%d,endLine=%d", githubProperty(filepath.ToSlash(g.places.name(s.File))), start.Line, end.Line)
	if start.Line == end.Line {
		place += fmt.Sprintf(",col=%d,endColumn=%d", start.Column, end.Column)
	}
	return place
}

// text is the message, and in lines of its own what an annotation can't show otherwise.
func (g *githubWriter) text(f *Finding) string {
	lines := []string{
		f.Message,
		fmt.Sprintf("first: %s at %s", label(f, true), g.places.column(f.First.Span)),
		fmt.Sprintf("second: %s at %s", label(f, false), g.places.column(f.Second.Span)),
	}
	for _, s := range []string{f.Why, f.Mend} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, "\n")
}

func githubCommand(s race.Severity) string {
	switch s {
	case race.Error:
		return "error"
	case race.Warning:
		return "warning"
	}
	return "notice"
}

var (
	githubDataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubPropertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func githubData(s string) string     { return githubDataEscapes.Replace(s) }
func githubProperty(s string) string { return githubPropertyEscapes.Replace(s) }
