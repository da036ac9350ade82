package lsp

// This file holds the places together that tell of the settings: the list in settings.go, the
// extension's package.json, its README, and docs/editors.md.
// `go test ./lsp -run Manifest -update-manifest` writes the others anew from the list.

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var updateManifest = flag.Bool("update-manifest", false, "write package.json and the tables of settings")

// extensionOwn are the settings of the extension that the server does not read.
var extensionOwn = []setting{
	{name: "server.path", kind: "string", fallback: "",
		description: "The warplint program to start instead of the one that comes with the extension: a path, or a name to look up in `PATH`. `${workspaceFolder}`, `${userHome}` and `${env:NAME}` may be used. The server starts again when this changes."},
	{name: "trace.server", kind: "string", fallback: "off",
		description: "Writes the messages between the editor and the server to the output channel: `off`, `messages` or `verbose`."},
}

// declared are the settings in the order in which an editor shows them.
func declared() []setting {
	var all []setting
	for _, s := range append([]setting{extensionOwn[0]}, append(allSettings, extensionOwn[1])...) {
		if !s.host {
			all = append(all, s)
		}
	}
	return all
}

// property is a setting as VS Code's manifest declares it.
func (s setting) property(order int) map[string]any {
	p := map[string]any{"order": order, "type": s.kind, "default": s.fallback, "markdownDescription": s.description}
	if s.kind == "array" {
		items := map[string]any{"type": "string"}
		if s.pattern != "" {
			items["pattern"], items["patternErrorMessage"] = s.pattern, s.wrong
		}
		p["items"] = items
	} else if s.pattern != "" {
		p["pattern"], p["patternErrorMessage"] = s.pattern, s.wrong
	}
	if s.kind == "integer" {
		p["minimum"] = s.least
	}
	switch s.name {
	case "z3":
		p["scope"] = "machine" // it names a program, which is not for a workspace to choose
	case "server.path":
		p["scope"] = "machine-overridable"
	case "trace.server":
		p["scope"], p["enum"] = "window", []string{"off", "messages", "verbose"}
	}
	return p
}

func TestManifest(t *testing.T) {
	const path = "../vscode-extension/package.json"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := []byte(`"properties": `), []byte("\n    }\n  },\n  \"scripts\"")
	from, to := bytes.Index(raw, begin), bytes.Index(raw, end)
	if from < 0 || to < 0 {
		t.Fatalf("%s has no settings where they are looked for", path)
	}
	var properties bytes.Buffer
	properties.WriteString("{\n")
	for i, s := range declared() {
		name, _ := json.Marshal("warplint." + s.name)
		var value bytes.Buffer
		enc := json.NewEncoder(&value)
		enc.SetEscapeHTML(false)
		enc.SetIndent("        ", "  ")
		if err := enc.Encode(s.property(i)); err != nil {
			t.Fatal(err)
		}
		comma := ","
		if i == len(declared())-1 {
			comma = ""
		}
		fmt.Fprintf(&properties, "        %s: %s%s\n", name, strings.TrimSpace(value.String()), comma)
	}
	properties.WriteString("      }")
	want := string(raw[:from]) + string(begin) + properties.String() + string(raw[to:])
	agree(t, path, string(raw), want)
	for _, file := range []string{"../docs/editors.md", "../vscode-extension/README.md"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		table := regexp.MustCompile(`(?m)^\| setting \| default \| meaning \|\n(\|.*\n?)*`)
		if !table.Match(raw) {
			t.Errorf("%s has no table of settings", file)
			continue
		}
		agree(t, file, string(raw), table.ReplaceAllLiteralString(string(raw), settingsTable(strings.Contains(file, "docs"))))
	}
}

// settingsTable is the settings in Markdown: those of the server, or those of the extension.
func settingsTable(server bool) string {
	out := "| setting | default | meaning |\n| --- | --- | --- |\n"
	all, prefix := allSettings, ""
	if !server {
		all, prefix = declared(), "warplint."
	}
	for _, s := range all {
		fallback, _ := json.Marshal(s.fallback)
		out += fmt.Sprintf("| `%s%s` | `%s` | %s |\n", prefix, s.name, fallback, s.description)
	}
	return out
}

func agree(t *testing.T, path, got, want string) {
	t.Helper()
	switch {
	case got == want:
	case *updateManifest:
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not tell the settings as the server reads them: go test ./lsp -run Manifest -update-manifest", path)
	}
}

// TestSettingsAreRead sets each setting to something else than its default, and looks whether
// the server has noticed; and the defaults are what the server takes when nothing is set.
func TestSettingsAreRead(t *testing.T) {
	unset, err := parseSettings(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range allSettings {
		other := map[string]any{"array": []string{"iguard=1"}, "string": "2", "boolean": true, "integer": 7}[s.kind]
		if s.name == "arch" {
			other = "sm_90"
		}
		raw, _ := json.Marshal(map[string]any{s.name: other})
		parsed, err := parseSettings(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		read, _ := json.Marshal(s.into(&parsed))
		before, _ := json.Marshal(s.into(&unset))
		if bytes.Equal(read, before) {
			t.Errorf("%s is not read", s.name)
		}
		if s.kind == "integer" {
			if fallback, _ := json.Marshal(s.fallback); !bytes.Equal(fallback, before) {
				t.Errorf("%s: the default is %s, but it is %s if nothing is set", s.name, fallback, before)
			}
		}
	}
}
