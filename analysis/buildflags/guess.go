package buildflags

// This file guesses where a project keeps its headers, if no build file says so.

import (
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxAbove is the number of folders above a file that are looked at.
	maxAbove = 8
	// maxLoose is that for a file in no repository, about which nothing says where its project ends: src/a.cu has headers beside src.
	maxLoose = 2
)

// headerFolders are the names, in small letters, that projects give to folders of headers.
var headerFolders = []string{"include", "includes", "inc", "headers", "common", "util", "utils", "lib", "src"}

// repositories are the names of the folders that are in the outermost one of a project.
var repositories = []string{".git", ".hg", ".svn"}

// guessed are folders of a project that may hold headers, for a file that no build file names: those around it, up to that of its
// repository, and in each of them the folders that are called so, the innermost first.
func (f *Finder) guessed(path string) (dirs []string) {
	if f.Folders == nil {
		return nil
	}
	loose := 0
	for i, dir := range ancestors(path) {
		folders, ok := f.foldersIn(dir)
		if !ok || i == maxAbove {
			break
		}
		dirs = append(dirs, dir)
		for _, sub := range headersIn(dir, folders) {
			deeper, _ := f.foldersIn(sub)
			dirs = append(append(dirs, sub), headersIn(sub, deeper)...)
		}
		if slices.ContainsFunc(folders, func(name string) bool { return slices.Contains(repositories, name) }) {
			return dirs
		}
		if i+1 == maxLoose {
			loose = len(dirs)
		}
	}
	if loose > 0 { // in no repository
		dirs = dirs[:loose]
	}
	return dirs
}

// headersIn are those of the folders in one that are called as folders of headers are.
func headersIn(dir string, folders []string) (dirs []string) {
	for _, name := range folders {
		if slices.Contains(headerFolders, strings.ToLower(name)) {
			dirs = append(dirs, filepath.Join(dir, name))
		}
	}
	return dirs
}

// listing are the folders in a folder.
type listing struct {
	names []string
	ok    bool
}

func (f *Finder) foldersIn(dir string) (names []string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l, known := f.listings[dir]
	if !known {
		l.names, l.ok = f.Folders(dir)
		f.listings[dir] = l
	}
	return l.names, l.ok
}
