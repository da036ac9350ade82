package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a new text for a file that was read, all of it or nothing. It is an error if the file no longer holds
// what was read.
func (f *Files) Replace(path, text string) error {
	was, err := f.Read(path)
	if err != nil {
		return err
	}
	is, err := Read(path)
	switch {
	case err != nil:
		return err
	case is.Hash != was.Hash:
		return errors.New("it was changed in the meantime")
	}
	switch err := write(path, text); {
	case errors.Is(err, fs.ErrPermission):
		return errors.New("no permission to write it")
	case err != nil:
		return plain(err)
	}
	f.forget(path)
	return nil
}

// write puts a text in a file of its own beside the one that it then takes the place of, with the same permissions.
func write(path, text string) error {
	path, err := filepath.EvalSymlinks(path) // the link stays
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	beside, err := os.CreateTemp(filepath.Dir(path), ".warplint-*")
	if err != nil {
		return err
	}
	defer os.Remove(beside.Name())
	_, err = beside.WriteString(text)
	if err := errors.Join(err, beside.Chmod(info.Mode().Perm()), beside.Close()); err != nil {
		return err
	}
	return os.Rename(beside.Name(), path)
}
