// Package rule defines what a rule is: a validated value that lives in a folder of its own,
// analysis/rules/<name without hyphens>, beside its page. Rules and their registry both
// import it; it knows neither.
package rule

import (
	"fmt"
	"strings"

	"github.com/warplint/warplint/analysis/race"
)

// Rule says what can be wrong. It has the same name in a finding, on the command line and in
// the documentation.
type Rule struct {
	Name     race.Rule
	Title    string        // what is wrong, in one line without a full stop
	Severity race.Severity // of a finding that a launch in the code can reach
	Page     string        // Markdown: the sections of Sections, in that order
	// Simulated is set if only runs on the simulator show it. The functions below are nil then.
	Simulated bool

	// Applies reports whether the rule names what is wrong in a case; the registry asks the
	// rules in the order of their precedence.
	Applies func(*Case) bool
	// Explain says what happens, for the finding.
	Explain func(*Case) Text
	// Fixes returns changes that may mend the case, the best first; the engine verifies them.
	Fixes func(*Case) []race.Fix
}

// Sections are the headings that every page has, in this order.
var Sections = []string{"What happens", "Wrong", "Right", "How to mend it", "What it leaves alone", "Why"}

// URL returns the address of the rule's page for people who read a finding elsewhere.
func (r Rule) URL() string {
	return "https://github.com/warplint/warplint/blob/main/docs/rules/" + string(r.Name) + ".md"
}

// Markdown returns the whole page with its heading.
func (r Rule) Markdown() string {
	text := fmt.Sprintf("# %s\n\n%s. Severity: %s.\n\n%s", r.Name, r.Title, r.Severity, r.Page)
	if r.Simulated {
		return text
	}
	return text + "\n" + strings.ReplaceAll(ignoring, "RULE", string(r.Name))
}

// ignoring is the end of every page of what a check can find; a run takes no notice of comments.
const ignoring = `## How to ignore it

Behind the line of one of the two places, or above the kernel: ` + "`// warplint-ignore RULE -- reason`" + `.
On the line before: ` + "`// warplint-ignore-next-line RULE -- reason`" + `. A comment that ignores nothing is reported.
`

// Validate says what a rule lacks to be of use to its readers.
func (r Rule) Validate() error {
	switch {
	case r.Name == "":
		return fmt.Errorf("a rule has no name")
	case r.Title == "" || strings.HasSuffix(r.Title, ".") || strings.Contains(r.Title, "\n"):
		return fmt.Errorf("rule %s: the title must be one line without a full stop", r.Name)
	}
	rest := r.Page
	for _, section := range Sections {
		heading := "## " + section + "\n"
		at := strings.Index("\n"+rest, "\n"+heading)
		if at < 0 {
			return fmt.Errorf("rule %s: the page lacks the section %q, or has it in the wrong place", r.Name, section)
		}
		rest = rest[at+len(heading):]
		body, _, _ := strings.Cut(rest, "\n## ")
		if strings.TrimSpace(body) == "" {
			return fmt.Errorf("rule %s: the section %q is empty", r.Name, section)
		}
		if (section == "Wrong" || section == "Right") && !strings.Contains(body, "```cuda\n") {
			return fmt.Errorf("rule %s: the section %q shows no code", r.Name, section)
		}
	}
	return nil
}
