// Package disk gives the analysis the files of this machine. It is one of the few places
// where warplint reads files; the analysis itself never does.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/warplint/warplint/analysis/source"
)

// MaxSize is the greatest file that is read, in bytes. Greater ones are data, not programs.
const MaxSize = 64 << 20

// maxKept is how many bytes of text are kept. The texts that were read first are dropped first.
const maxKept = 256 << 20

// Files is a source.Provider over the disk. Each file is read once, as long as all texts
// together are smaller than 256 MiB; it is safe for concurrent use.
type Files struct {
	mu    sync.Mutex
	cache map[string]*entry
	read  []string // paths of the texts that are kept, in order
	size  int
}

type entry struct {
	once sync.Once
	file *source.File
	err  error
}

// NewFiles returns a provider that has read nothing yet.
func NewFiles() *Files { return &Files{cache: map[string]*entry{}} }

// File implements source.Provider.
func (f *Files) File(path string) (*source.File, bool) {
	file, err := f.Read(path)
	return file, err == nil
}

// Read is File with the reason why a file can't be had, in a sentence without its path.
func (f *Files) Read(path string) (*source.File, error) {
	f.mu.Lock()
	e := f.cache[path]
	if e == nil {
		e = &entry{}
		f.cache[path] = e
	}
	f.mu.Unlock()
	e.once.Do(func() {
		if e.file, e.err = Read(path); e.err == nil {
			f.keep(path, e)
		}
	})
	return e.file, e.err
}

// Read reads one file now, and keeps nothing. The reason why it can't is a sentence without the path.
func Read(path string) (*source.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, plain(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, plain(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, plain(err)
	}
	if len(text) > MaxSize {
		return nil, fmt.Errorf("larger than %d MiB, so it is taken for data", MaxSize>>20)
	}
	return source.New(path, string(text)), nil
}

// keep notes that a text was read, and drops others if there are too many.
func (f *Files) keep(path string, e *entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cache[path] != e {
		return
	}
	f.read, f.size = append(f.read, path), f.size+len(e.file.Text)
	for f.size > maxKept && len(f.read) > 1 {
		f.size -= len(f.cache[f.read[0]].file.Text)
		delete(f.cache, f.read[0])
		f.read = f.read[1:]
	}
}

// forget makes the next Read read a file anew.
func (f *Files) forget(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.Index(f.read, path); i >= 0 {
		f.size -= len(f.cache[path].file.Text)
		f.read = slices.Delete(f.read, i, i+1)
	}
	delete(f.cache, path)
}

// plain says what the operating system said, without the path that the caller names anyway.
func plain(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no such file or folder")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("no permission to read it")
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
