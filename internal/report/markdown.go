// This file shows a rule's page on a terminal. It knows the Markdown that the pages use:
// headings, paragraphs, lists, code blocks, code spans and links, and nothing else.

package report

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

const textWidth = 88 // columns that running text is broken at

var (
	linkPattern = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	codePattern = regexp.MustCompile("`([^`]*)`")
)

// Markdown renders a page as text, with ANSI colours or without.
func Markdown(page string, color bool) string {
	m := markdown{style: style{color}}
	code := false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "```"):
			m.paragraph()
			code = !code
		case code:
			m.out.WriteString(strings.TrimRight("    "+m.comment(line), " ") + "\n")
		case strings.HasPrefix(line, "#"):
			m.paragraph()
			m.out.WriteString(m.style.bold(strings.TrimLeft(line, "# ")) + "\n")
		case line == "":
			m.paragraph()
			m.out.WriteString("\n")
		case strings.HasPrefix(line, "* "):
			m.paragraph()
			m.text = line
		default:
			m.text = strings.TrimPrefix(m.text+" "+line, " ")
		}
	}
	m.paragraph()
	return m.out.String()
}

type markdown struct {
	style style
	out   strings.Builder
	text  string // the paragraph or list item being collected
}

// comment greys the remark at the end of a line of code.
func (m *markdown) comment(line string) string {
	if at := strings.Index(line, "//"); at >= 0 {
		return line[:at] + m.style.paint("2", line[at:])
	}
	return line
}

// paragraph breaks what was collected into lines and writes it.
func (m *markdown) paragraph() {
	text := linkPattern.ReplaceAllString(m.text, "$1")
	m.text = ""
	if text == "" {
		return
	}
	indent := ""
	if strings.HasPrefix(text, "* ") {
		indent = "  "
	}
	for i, line := range wrap(text, textWidth) {
		if i > 0 {
			line = indent + line
		}
		m.out.WriteString(m.code(line) + "\n")
	}
}

// wrap breaks a text into lines of at most width characters, where no word is longer.
func wrap(text string, width int) []string {
	var lines []string
	line, length := "", 0
	for _, word := range words(text) {
		n := utf8.RuneCountInString(word)
		if length > 0 && length+1+n > width {
			lines = append(lines, line)
			line, length = word, n
			continue
		}
		if length > 0 {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+n
	}
	return append(lines, line)
}

// words splits at blanks, but not inside code spans.
func words(text string) []string {
	var out []string
	inside, start := false, 0
	for i, r := range text {
		switch {
		case r == '`':
			inside = !inside
		case r == ' ' && !inside:
			if i > start {
				out = append(out, text[start:i])
			}
			start = i + 1
		}
	}
	return append(out, text[start:])
}

// code paints code spans; without colours they keep their back quotes.
func (m *markdown) code(line string) string {
	if !m.style.on {
		return line
	}
	return codePattern.ReplaceAllStringFunc(line, func(s string) string { return m.style.cyan(s[1 : len(s)-1]) })
}
