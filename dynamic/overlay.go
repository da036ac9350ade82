// This file lets the compiler see texts that are not on disk, such as what an editor has not
// saved yet, at the paths of the files that they replace: lines, includes and messages are those
// of the files.

package dynamic

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/warplint/warplint/dynamic/toolchain"
)

// overlay is clang's description of a virtual file system (llvm/Support/VirtualFileSystem.h);
// JSON is YAML.
type overlay struct {
	Version int            `json:"version"`
	Names   bool           `json:"use-external-names"`
	Roots   []overlayEntry `json:"roots"`
}

type overlayEntry struct {
	Type     string `json:"type"`
	Name     string `json:"name"`
	Contents string `json:"external-contents"`
}

// overlaid returns options that compile with the texts in place of files; dir keeps the texts.
func (o *Options) overlaid(dir string) (*Options, error) {
	if len(o.Texts) == 0 {
		return o, nil
	}
	description := overlay{}
	for i, path := range slices.Sorted(maps.Keys(o.Texts)) {
		contents := filepath.Join(dir, fmt.Sprint("text", i))
		if err := os.WriteFile(contents, []byte(o.Texts[path]), 0o600); err != nil {
			return nil, err
		}
		description.Roots = append(description.Roots, overlayEntry{"file", path, contents})
	}
	raw, err := json.Marshal(description)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, raw, 0o600); err != nil {
		return nil, err
	}
	next := *o
	next.Compile = func(file string) toolchain.Options {
		options := o.compile(file)
		options.Overlay = name
		return options
	}
	return &next, nil
}
