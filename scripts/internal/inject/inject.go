// Package inject handles programs that hold races behind a macro, such as RACEY in ScoR's
// applications: it finds the places of the macro, and writes the program with one of them on.
package inject

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Site is one `#ifdef` of the macro: the lines from it to its `#endif`, from 1.
type Site struct {
	File        string
	First, Last int
}

// Program is the text of a folder.
type Program struct {
	Folder string
	Sites  []Site
	// Defines are the numbers that the folder's makefile sets by `NAME ?= NUMBER`, by name.
	Defines map[string]string
	files   map[string][]string // lines by name
}

var setting = regexp.MustCompile(`(?m)^(\w+)\s*\?=\s*(\d+)\s*$`)

// Load reads the sources and headers of a folder, but not of the folders below.
func Load(folder, macro string) (*Program, error) {
	p := &Program{Folder: folder, Defines: map[string]string{}, files: map[string][]string{}}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		switch filepath.Ext(e.Name()) {
		case ".cu", ".cuh", ".h":
			p.files[e.Name()] = strings.Split(string(text), "\n")
			p.find(e.Name(), macro)
		default:
			if e.Name() == "Makefile" {
				for _, m := range setting.FindAllStringSubmatch(string(text), -1) {
					p.Defines[m[1]] = m[2]
				}
			}
		}
	}
	return p, nil
}

// find lists the places of the macro in a file; conditionals do not nest in them.
func (p *Program) find(name, macro string) {
	for i, line := range p.files[name] {
		switch {
		case strings.TrimSpace(line) == "#ifdef "+macro:
			p.Sites = append(p.Sites, Site{name, i + 1, i + 1})
		case strings.HasPrefix(strings.TrimSpace(line), "#endif"):
			if n := len(p.Sites); n > 0 && p.Sites[n-1].File == name && p.Sites[n-1].Last == p.Sites[n-1].First {
				p.Sites[n-1].Last = i + 1
			}
		}
	}
}

// Write writes the program to a folder, with the macro taken as defined at one of its places, by
// its number, or nowhere for -1. Lines keep their numbers.
func (p *Program) Write(dir string, on int) error {
	for name, lines := range p.files {
		lines = append([]string(nil), lines...)
		for i, s := range p.Sites {
			if s.File == name && i == on {
				lines[s.First-1] = "#if 1"
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			return err
		}
	}
	return nil
}
