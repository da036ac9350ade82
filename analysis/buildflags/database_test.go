package buildflags

import (
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/source"
)

// TestWrongDatabases: what is wrong is said in plain words, and keeps nothing else from being used.
func TestWrongDatabases(t *testing.T) {
	const good = `{"directory": "/p", "file": "a.cu", "command": "nvcc -DGOOD a.cu"}`
	for _, test := range []struct{ text, problem, defines string }{
		{"[" + good + "]", "", "GOOD"},
		{"null", "", ""},
		{"[null, " + good + "]", "", "GOOD"},
		{`[{"file": "a.cu", "arguments": "nvcc"}, ` + good + "]", "entry 1 of the compilation database is not understood: its arguments can't be a JSON string", "GOOD"},
		{"[" + good + `, {"directory": 3}, 4]`, "entry 2 of the compilation database is not understood: its directory can't be a JSON number", "GOOD"},
		{"[" + good + ", 4]", "entry 2 of the compilation database is not understood: a JSON number can't stand there", "GOOD"},
		{good, "the compilation database is not understood: a JSON object can't stand there", ""},
		{"[" + good, "the compilation database is not understood: unexpected end of JSON input", ""},
		{strings.Repeat("[", 100000), "the compilation database is not understood: invalid character '[' exceeded max depth", ""},
	} {
		files := source.Map{"/p/compile_commands.json": source.New("/p/compile_commands.json", test.text)}
		got := NewFinder(files).For("/p/a.cu")
		problem := ""
		if len(got.Problems) > 0 {
			problem = got.Problems[0].Message
		}
		if defines := strings.Join(got.Config.Defines, " "); problem != test.problem || defines != test.defines {
			t.Errorf("%.60s gives the macros %q and says %q, want %q and %q", test.text, defines, problem, test.defines, test.problem)
		}
	}
}
