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

// guessed are folders of a project that may hold headers, for a file that no build file names: those around it,
// and in each of them the folders that are called so, the innermost first.
func (f *Finder) guessed(path string) (dirs []string) {
	if f.Folders == nil {
		return nil
	}
	for _, dir := range f.project(path) {
		dirs = append(dirs, dir)
		for _, sub := range f.headersIn(dir) {
			dirs = append(append(dirs, sub), f.headersIn(sub)...)
		}
	}
	return dirs
}

// project are the folders around a file, up to that of its repository.
func (f *Finder) project(path string) []string {
	dirs := ancestors(path)
	for i, dir := range dirs[:min(len(dirs), maxAbove)] {
		folders, ok := f.foldersIn(dir)
		if !ok {
			dirs = dirs[:i]
			break
		}
		if slices.ContainsFunc(folders, func(name string) bool { return slices.Contains(repositories, name) }) {
			return dirs[:i+1]
		}
	}
	return dirs[:min(len(dirs), maxLoose)]
}

// headersIn are the folders in one that are called as folders of headers are.
func (f *Finder) headersIn(dir string) (dirs []string) {
	folders, _ := f.foldersIn(dir)
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
