// Package compiledb reads compile_commands.json: which macros and include folders a file is
// compiled with. It takes what the static analysis needs and tolerates every other flag, of
// nvcc as of clang.
package compiledb

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

// Name is the file's name in a build folder.
const Name = "compile_commands.json"

// Database is a compilation database.
type Database struct {
	entries []entry
	byPath  map[string]int
}

type entry struct {
	path   string // absolute
	config syntax.Config
}

// command is an entry as the file has it: https://clang.llvm.org/docs/JSONCompilationDatabase.html.
type command struct {
	Directory string   `json:"directory"`
	File      string   `json:"file"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// Load reads the database of a build folder, or the file itself if that is named.
func Load(path string) (*Database, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, Name)
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s (CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)", path)
	}
	if err != nil {
		return nil, err
	}
	var commands []command
	if err := json.Unmarshal(text, &commands); err != nil {
		return nil, fmt.Errorf("%s is no compilation database: %v", path, err)
	}
	base, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	db := &Database{byPath: map[string]int{}}
	for _, c := range commands {
		db.add(base, c)
	}
	return db, nil
}

// add keeps the first command of a file; a file may be compiled several times.
func (db *Database) add(base string, c command) {
	dir := resolve(base, c.Directory)
	path := resolve(dir, c.File)
	if _, seen := db.byPath[path]; seen || c.File == "" {
		return
	}
	args := c.Arguments
	if len(args) == 0 {
		args = split(c.Command)
	}
	db.byPath[path] = len(db.entries)
	db.entries = append(db.entries, entry{path, parse(dir, args)})
}

func resolve(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// Config returns what the database says of a file. A file that it does not name, such as a
// header, takes the flags of the file nearest to it: one of the same name with another
// extension if there is one, else the one that shares most of the path.
func (db *Database) Config(path string) syntax.Config {
	abs, err := filepath.Abs(path)
	if err != nil {
		return syntax.Config{}
	}
	if i, ok := db.byPath[abs]; ok {
		return db.entries[i].config
	}
	best, score := syntax.Config{}, -1
	for _, e := range db.entries {
		if s := likeness(abs, e.path); s > score {
			best, score = e.config, s
		}
	}
	return best
}

// likeness counts the leading folders that two paths share; the same name but for the
// extension counts most.
func likeness(a, b string) int {
	score := 0
	as, bs := strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/")
	for score < len(as)-1 && score < len(bs)-1 && as[score] == bs[score] {
		score++
	}
	stem := func(p string) string { return strings.TrimSuffix(filepath.Base(p), filepath.Ext(p)) }
	if stem(a) == stem(b) {
		score += len(as)
	}
	return score
}
