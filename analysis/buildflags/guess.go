package buildflags

// This file guesses where a project keeps its headers, if no build file says so.

import (
	"os"
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

// guessed are folders of a project that may hold headers, for a file that no build file names: those around it, and in each of them
// the folders that are called so, the innermost first.
func (f *Finder) guessed(path string) (dirs []string) {
	for _, dir := range project(path) {
		if _, err := os.Stat(dir); err != nil {
			continue // of a file that is in no folder yet
		}
		dirs = append(dirs, dir)
		for _, sub := range f.headersIn(dir) {
			dirs = append(dirs, sub)
			dirs = append(dirs, f.headersIn(sub)...)
		}
	}
	return dirs
}

// project are the folders around a file up to that of its repository, the innermost first.
func project(path string) []string {
	dirs := ancestors(path)
	dirs = dirs[:len(dirs)-1] // the root of all
	for i, dir := range dirs[:min(len(dirs), maxAbove)] {
		for _, mark := range []string{".git", ".hg", ".svn"} {
			if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
				return dirs[:i+1]
			}
		}
	}
	dirs = dirs[:min(len(dirs), maxLoose)]
	home, _ := os.UserHomeDir()
	if i := slices.IndexFunc(dirs, func(dir string) bool { return dir == home || dir == filepath.Clean(os.TempDir()) }); i >= 0 {
		dirs = dirs[:i] // of many projects
	}
	return dirs
}

// headersIn are the folders of headers in a folder.
func (f *Finder) headersIn(dir string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if subs, ok := f.subfolders[dir]; ok {
		return subs
	}
	var subs []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && slices.Contains(headerFolders, strings.ToLower(e.Name())) {
			subs = append(subs, filepath.Join(dir, e.Name()))
		}
	}
	f.subfolders[dir] = subs
	return subs
}
