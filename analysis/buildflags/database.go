package buildflags

// This file reads compile_commands.json and finds out which files the commands' files include.

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// maxScanned bounds the files that are searched for #include.
const maxScanned = 5000

// database is one compile_commands.json.
type database struct {
	path     string
	hash     [32]byte
	problem  string
	commands []command
	byPath   map[string]*command

	include   sync.Once
	includers map[string]*command // by the path of an included file
}

// command is how one file is compiled.
type command struct {
	path      string
	dir       string
	line      string   // with the compiler, where arguments is empty
	arguments []string // with the compiler
	windows   bool
}

// args returns the arguments without the compiler. Lines are split only here: of a large
// database, few commands are ever asked for.
func (c *command) args() []string {
	args := c.arguments
	if len(args) == 0 {
		args = splitWords(c.line, c.windows)
	}
	return args[min(1, len(args)):]
}

// database returns the database at a path, or nil where there is none.
func (f *Finder) database(path string, r *Result) *database {
	file, ok := f.files.File(path)
	if !ok {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	db := f.databases[path]
	if db == nil || db.hash != file.Hash {
		db = readDatabase(file)
		f.databases[path] = db
	}
	if db.problem != "" {
		r.problem(path, db.problem)
	}
	return db
}

func (r *Result) problem(path, message string) {
	r.Problems = append(r.Problems, syntax.Problem{Span: source.Span{File: path}, Message: message})
}

// Database says why a text is no compilation database; nil if it is one.
func Database(text string) error {
	_, err := entriesOf(text)
	return err
}

func entriesOf(text string) ([]json.RawMessage, error) {
	var entries []json.RawMessage
	return entries, plainly(json.Unmarshal([]byte(text), &entries))
}

// plainly says a JSON error without the types of our program.
func plainly(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.Field == "":
		return fmt.Errorf("a JSON %s can't stand there", wrong.Value)
	}
	return fmt.Errorf("its %s can't be a JSON %s", strings.ToLower(wrong.Field), wrong.Value)
}

func readDatabase(file *source.File) *database {
	db := &database{path: file.Path, hash: file.Hash, byPath: map[string]*command{}}
	entries, err := entriesOf(file.Text)
	if err != nil {
		db.problem = "the compilation database is not understood: " + err.Error()
		return db
	}
	for i, raw := range entries {
		var e struct {
			Directory, File, Command string
			Arguments                []string
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			if db.problem == "" {
				db.problem = fmt.Sprintf("entry %d of the compilation database is not understood: %v", i+1, plainly(err))
			}
			continue
		}
		dir := absolute(filepath.FromSlash(e.Directory), filepath.Dir(file.Path))
		if e.File == "" || len(e.Arguments) == 0 && strings.TrimSpace(e.Command) == "" {
			continue
		}
		path := absolute(filepath.FromSlash(e.File), dir)
		db.commands = append(db.commands, command{path, dir, e.Command, e.Arguments, isWindows(e.Directory)})
	}
	for i := range db.commands {
		if c := &db.commands[i]; db.byPath[c.path] == nil {
			db.byPath[c.path] = c
		}
	}
	return db
}

// isWindows reports whether a folder has a drive letter, so that backslashes in commands
// separate folders.
func isWindows(dir string) bool { return len(dir) > 1 && dir[1] == ':' }

// includers finds for every file that a command's file includes, also by way of others, the
// first such command, those of CUDA files before others.
func includers(f *Finder, db *database) map[string]*command {
	found := map[string]*command{}
	scanned := map[string]bool{}
	order := make([]*command, len(db.commands))
	for i := range order {
		order[i] = &db.commands[i]
	}
	slices.SortStableFunc(order, func(a, b *command) int {
		switch {
		case source.IsCUDA(a.path) == source.IsCUDA(b.path):
			return 0
		case source.IsCUDA(a.path):
			return -1
		}
		return 1
	})
	for _, c := range order {
		var ignored Result
		dirs := config(f.expand(c.args(), c.dir, &ignored), c.dir).IncludeDirs
		for queue := []string{c.path}; len(queue) > 0 && len(scanned) < maxScanned; queue = queue[1:] {
			path := queue[0]
			file, ok := f.files.File(path)
			if scanned[path] || !ok {
				continue
			}
			scanned[path] = true
			for _, name := range includedNames(file.Text) {
				for _, dir := range append([]string{filepath.Dir(path)}, dirs...) {
					target := absolute(filepath.FromSlash(name), dir)
					if _, ok := f.files.File(target); !ok {
						continue
					}
					if found[target] == nil {
						found[target] = c
						queue = append(queue, target)
					}
					break
				}
			}
		}
	}
	return found
}

// includedNames lists what a text includes, whatever its conditions.
func includedNames(text string) (names []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.TrimSpace(line[1:])
		if !strings.HasPrefix(line, "include") {
			continue
		}
		line = strings.TrimSpace(strings.TrimPrefix(line, "include"))
		if len(line) < 2 {
			continue
		}
		closing := byte('"')
		if line[0] == '<' {
			closing = '>'
		}
		if end := strings.IndexByte(line[1:], closing); end > 0 && (line[0] == '<' || line[0] == '"') {
			names = append(names, line[1:1+end])
		}
	}
	return names
}
