// This file defines how reasons that differ in their line only are told together.

package report

import (
	"slices"
	"strconv"
	"strings"
)

// Reasons joins the reasons of a kernel that say the same of several lines of its file: "line 5: x" and
// "line 3: x" become "lines 3 and 5: x", where the first of them stood.
func Reasons(all []string) []string {
	var out []string
	lines := map[string][]int{}
	at := map[string]int{}
	for _, reason := range all {
		line, what, ok := lineOf(reason)
		if !ok {
			out = append(out, reason)
			continue
		}
		if lines[what] == nil {
			at[what] = len(out)
			out = append(out, reason)
		}
		lines[what] = append(lines[what], line)
	}
	for what, of := range lines {
		slices.Sort(of)
		if of = slices.Compact(of); len(of) > 1 {
			out[at[what]] = "lines " + enumerated(of) + ": " + what
		}
	}
	return out
}

// lineOf takes "line 5: x" apart.
func lineOf(reason string) (line int, what string, ok bool) {
	rest, ok := strings.CutPrefix(reason, "line ")
	if !ok {
		return 0, "", false
	}
	number, what, ok := strings.Cut(rest, ": ")
	line, err := strconv.Atoi(number)
	return line, what, ok && err == nil
}

// enumerated writes "1, 2 and 3"; there are two numbers at least.
func enumerated(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
