package lsp

// This file defines how hovers are written: as Markdown, or as plain text for clients that
// show no Markdown.

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// page is a text in the making. Parts without content leave nothing behind.
type page interface {
	title(name, link, rest string)
	paragraph(heading, text string)
	table(head []string, rows [][]string)
	list(heading string, items []string)
	rule()
	kind() protocol.MarkupKind
	String() string
}

// markdown is GitHub's dialect, of which clients know the tables.
type markdown struct{ strings.Builder }

func (m *markdown) kind() protocol.MarkupKind { return protocol.MarkupKindMarkdown }

func (m *markdown) rule() { m.WriteString("\n---\n\n") }

func (m *markdown) title(name, link, rest string) {
	name = "**" + escape(name) + "**"
	if link != "" {
		name = "[" + name + "](" + link + ")"
	}
	fmt.Fprintf(m, "%s: %s\n\n", name, prose(rest))
}

func (m *markdown) paragraph(heading, text string) {
	if text == "" {
		return
	}
	if heading != "" {
		fmt.Fprintf(m, "**%s.** ", escape(heading))
	}
	fmt.Fprintf(m, "%s\n\n", prose(text))
}

func (m *markdown) table(head []string, rows [][]string) {
	m.row(head)
	m.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, row := range rows {
		m.row(row)
	}
	m.WriteByte('\n')
}

// row writes a row. A bar ends a cell even in a code span, unless it is escaped.
func (m *markdown) row(cells []string) {
	for _, cell := range cells {
		m.WriteString("| " + strings.ReplaceAll(prose(cell), "|", `\|`) + " ")
	}
	m.WriteString("|\n")
}

func (m *markdown) list(heading string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(m, "**%s:**\n\n", escape(heading))
	for _, item := range items {
		fmt.Fprintf(m, "- %s\n", prose(item))
	}
	m.WriteByte('\n')
}

// prose writes a text in which code stands between backticks: the code as it is, and the rest
// so that it is not read as Markdown.
func prose(text string) string {
	parts := strings.Split(oneLine(text), "`")
	if len(parts)%2 == 0 {
		return escape(oneLine(text)) // a backtick without its partner
	}
	for i := 0; i < len(parts); i += 2 {
		parts[i] = escape(parts[i])
	}
	return strings.Join(parts, "`")
}

// escape keeps names such as __syncthreads and expressions such as a * b from being read as
// Markdown.
var escape = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, "#", `\#`, "~", `\~`, "&", "&amp;",
).Replace

// plain is text in columns.
type plain struct{ strings.Builder }

func (p *plain) kind() protocol.MarkupKind { return protocol.MarkupKindPlainText }

func (p *plain) rule() { p.WriteString("\n\n") }

func (p *plain) title(name, link, rest string) {
	fmt.Fprintf(p, "%s: %s\n", name, rest)
	if link != "" {
		fmt.Fprintf(p, "%s\n", link)
	}
}

func (p *plain) paragraph(heading, text string) {
	if text == "" {
		return
	}
	if heading != "" {
		heading += ". "
	}
	fmt.Fprintf(p, "\n%s%s\n", heading, oneLine(text))
}

func (p *plain) table(head []string, rows [][]string) {
	widths := make([]int, len(head))
	for _, row := range append(rows, head) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	p.WriteByte('\n')
	for _, row := range append([][]string{head}, rows...) {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		p.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

func (p *plain) list(heading string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(p, "\n%s:\n", heading)
	for _, item := range items {
		fmt.Fprintf(p, "  - %s\n", oneLine(item))
	}
}
