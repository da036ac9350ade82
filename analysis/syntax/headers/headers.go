// Package headers holds what the analysis knows of libraries that are all templates: headers of our own, in
// CUDA C++, that do to memory what the library promises and no more. They stand for the real ones, which take
// seconds to read and hang on the architecture.
package headers

import (
	_ "embed"
	"strings"
)

//go:embed cub.cuh
var cub string

// Find returns the text that stands for an included file, and the name of it; ok is false for all that is not known.
// All headers of one library are one text.
func Find(include string) (name, text string, ok bool) {
	if strings.HasPrefix(include, "cub/") {
		return "cub.cuh", cub, true
	}
	return "", "", false
}
