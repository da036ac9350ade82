package rules_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/rules"
	"github.com/warplint/warplint/analysis/rules/rule"
)

var update = flag.Bool("update", false, "write docs/rules anew from the pages")

const docs = "../../docs/rules"

func TestRulesAreComplete(t *testing.T) {
	names := map[string]bool{}
	for _, r := range rules.All() {
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
		if names[string(r.Name)] {
			t.Errorf("rule %s is registered twice", r.Name)
		}
		names[string(r.Name)] = true
		if got, ok := rules.Get(r.Name); !ok || got.Title != r.Title {
			t.Errorf("Get(%q) does not return the rule", r.Name)
		}
	}
	if _, ok := rules.Get("no-such-rule"); ok {
		t.Error("Get returns a rule that does not exist")
	}
}

// TestRulesHaveTestData: the folder of each rule holds a program that has a finding of it.
func TestRulesHaveTestData(t *testing.T) {
	for _, r := range rules.All() {
		if r.Simulated { // dynamic/testdata/streams.txtar has its programs
			continue
		}
		folder := filepath.Join(strings.ReplaceAll(string(r.Name), "-", ""), "testdata")
		programs, err := filepath.Glob(filepath.Join(folder, "*.cu"))
		if err != nil {
			t.Fatal(err)
		}
		wanted := false
		for _, path := range programs {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			wanted = wanted || strings.Contains(string(text), "want "+string(r.Name)+" ")
		}
		if !wanted {
			t.Errorf("no program in %s has a finding of %s", folder, r.Name)
		}
	}
}

// TestPageLinks: pages point to each other; a renamed rule must not leave a dead link.
func TestPageLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)]+)\)`)
	for _, r := range rules.All() {
		for _, m := range link.FindAllStringSubmatch(r.Page, -1) {
			name := strings.TrimSuffix(m[1], ".md")
			if _, ok := rules.Get(race.Rule(name)); !ok {
				t.Errorf("the page of %s links to %s, which is no rule", r.Name, m[1])
			}
		}
	}
}

// TestDocsAreFresh holds docs/rules to the pages. `go generate ./analysis/rules` mends it.
func TestDocsAreFresh(t *testing.T) {
	want := map[string]string{"README.md": index()}
	for _, r := range rules.All() {
		want[string(r.Name)+".md"] = r.Markdown()
	}
	if *update {
		if err := os.MkdirAll(docs, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range want {
			if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(docs, name))
		if err != nil || string(got) != text {
			t.Errorf("docs/rules/%s is stale; run go generate ./analysis/rules", name)
		}
	}
	entries, err := os.ReadDir(docs)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := want[e.Name()]; !ok {
			t.Errorf("docs/rules/%s belongs to no rule", e.Name())
		}
	}
}

// index is the table of all rules.
func index() string {
	var b strings.Builder
	b.WriteString("# Rules\n\nEach page is also what `warplint explain RULE` prints. A rule says what is wrong, and so what mends it.\n\n")
	b.WriteString("| rule | what is wrong | severity |\n| --- | --- | --- |\n")
	for _, r := range rules.All() {
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s |\n", r.Name, r.Name, r.Title, r.Severity)
	}
	return b.String()
}

func TestValidateFindsWhatIsMissing(t *testing.T) {
	good := rules.All()[0]
	cases := map[string]func(*rule.Rule){
		"no name":       func(r *rule.Rule) { r.Name = "" },
		"title":         func(r *rule.Rule) { r.Title += "." },
		`section "Why"`: func(r *rule.Rule) { r.Page, _, _ = strings.Cut(r.Page, "## Why") },
		"is empty":      func(r *rule.Rule) { head, _, _ := strings.Cut(r.Page, "## Why"); r.Page = head + "## Why\n\n" },
		"wrong place": func(r *rule.Rule) {
			head, tail, _ := strings.Cut(r.Page, "## Wrong")
			r.Page = "## Wrong" + tail + head
		},
		"shows no code": func(r *rule.Rule) { r.Page = strings.ReplaceAll(r.Page, "```cuda", "```") },
	}
	for want, spoil := range cases {
		r := good
		spoil(&r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate says %v, want it to say %q", err, want)
		}
	}
}
