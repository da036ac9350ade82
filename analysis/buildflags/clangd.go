package buildflags

// This file reads .clangd (https://clangd.llvm.org/config): CompileFlags with Add, Remove and
// CompilationDatabase, under the conditions of If.

import (
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fragment is one document of a .clangd file that holds for a path.
type fragment struct {
	add, remove []string
	database    string
}

// list is one string or several.
type list []string

func (l *list) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*l = list{n.Value}
		return nil
	}
	return n.Decode((*[]string)(l))
}

// clangd reads the fragments of a .clangd file that hold for a path. No file, no fragments.
func (f *Finder) clangd(config, path string, r *Result) (fragments []fragment) {
	file, ok := f.files.File(config)
	if !ok {
		return nil
	}
	decoder := yaml.NewDecoder(strings.NewReader(file.Text))
	for {
		var d struct {
			If struct {
				PathMatch   list `yaml:"PathMatch"`
				PathExclude list `yaml:"PathExclude"`
			} `yaml:"If"`
			CompileFlags struct {
				Add                 list   `yaml:"Add"`
				Remove              list   `yaml:"Remove"`
				CompilationDatabase string `yaml:"CompilationDatabase"`
			} `yaml:"CompileFlags"`
		}
		err := decoder.Decode(&d)
		if errors.Is(err, io.EOF) {
			return fragments
		}
		if err != nil {
			r.problem(config, "the file is not understood: "+err.Error())
			return fragments
		}
		relative, err := filepath.Rel(filepath.Dir(config), path)
		if err != nil {
			continue
		}
		relative = filepath.ToSlash(relative)
		if (len(d.If.PathMatch) == 0 || matches(d.If.PathMatch, relative)) && !matches(d.If.PathExclude, relative) {
			fragments = append(fragments, fragment{d.CompileFlags.Add, d.CompileFlags.Remove, d.CompileFlags.CompilationDatabase})
		}
	}
}

// matches reports whether one of the patterns is all of a path.
func matches(patterns []string, path string) bool {
	for _, p := range patterns {
		if re, err := regexp.Compile("^(?:" + p + ")$"); err == nil && re.MatchString(path) {
			return true
		}
	}
	return false
}

// apply takes the fragment's flags away and adds others.
func (e fragment) apply(args []string) []string {
	var out []string
	for len(args) > 0 {
		o := next(args)
		taken := args[:o.length]
		args = args[o.length:]
		if !e.removes(taken, o) {
			out = append(out, taken...)
		}
	}
	return append(out, e.add...)
}

// removes reports whether a flag is to be taken away: one that is named as it is, one that a
// pattern ending in * begins, or one of which the option without its value is named.
func (e fragment) removes(flag []string, o option) bool {
	for _, pattern := range e.remove {
		prefix, glob := strings.CutSuffix(pattern, "*")
		switch {
		case glob && strings.HasPrefix(flag[0], prefix),
			!glob && (flag[0] == pattern || strings.Join(flag, " ") == pattern),
			!glob && o.meaning != 0 && o.name == pattern:
			return true
		}
	}
	return false
}
