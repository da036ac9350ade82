package disk

import (
	"os"
	"path/filepath"
)

// Folders lists the folders in a folder by their names, none if it can't be read. What holds many projects, as the home of
// a user, counts as a folder that can't be.
func Folders(dir string) (names []string, ok bool) {
	if home, err := os.UserHomeDir(); err == nil && dir == home || dir == filepath.Clean(os.TempDir()) || dir == filepath.Dir(dir) {
		return nil, false
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err == nil
}
