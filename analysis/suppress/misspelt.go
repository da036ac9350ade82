// This file knows comments that are meant to ignore findings, and written as no such comment is. Who wrote one takes it to work.

package suppress

import (
	"slices"
	"strings"
	"unicode"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/analysis/source"
)

// Mistakes are the comments of a file that are not understood: they name no rule, or are written in another way than
// warplint-ignore.
func Mistakes(file *source.File) []Unused {
	var out []Unused
	for _, c := range comments(file) {
		out = append(out, c.mistakes()...)
	}
	return out
}

// tool begins every comment of this package.
const tool = "warplint"

// mentions reports whether the name is in a text, as people write it.
func mentions(text string) bool {
	return strings.Contains(text, tool) || strings.Contains(text, "Warplint") || strings.Contains(text, "WARPLINT")
}

// verbs are what other linters have their comments say.
var verbs = []string{"ignore", "disable", "suppress", "nolint", "noqa", "skip", "off"}

// misspelt returns what stands for warplint-ignore in a comment that is none but is meant to be one; "" if it is not. It takes two of
// three signs: the name has no blank behind it, a verb follows, a rule is named. Sentences about warplint have one.
func misspelt(text string) string {
	text = strings.TrimSpace(text)
	if at := strings.Index(text, "warplint-ignore"); at > 0 && namesRule(text[at:]) {
		return firstWord(text[at:], 0)
	}
	if len(text) <= len(tool) || !strings.EqualFold(text[:len(tool)], tool) {
		return ""
	}
	rest := text[len(tool):]
	verbAt := len(tool) + strings.IndexFunc(rest, unicode.IsLetter)
	if verbAt < len(tool) {
		return ""
	}
	signs := 0
	if rest[0] != ' ' && rest[0] != '\t' {
		signs++
	}
	verb := strings.ToLower(text[verbAt:])
	if slices.ContainsFunc(verbs, func(v string) bool { return strings.HasPrefix(verb, v) }) {
		signs++
	}
	if namesRule(text) {
		signs++
	}
	if signs < 2 {
		return ""
	}
	return firstWord(text, verbAt)
}

// firstWord is a text up to the end of the word that holds an offset.
func firstWord(text string, at int) string {
	end := strings.IndexFunc(text[at:], func(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == ',' })
	if end < 0 {
		return text
	}
	return text[:at+end]
}

// namesRule reports whether a rule is named in a text.
func namesRule(text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool {
		_, known := rules.Get(race.Rule(word))
		return known
	})
}
