package lsp

// This file defines how a document's compilation database is found: in the nearest folder
// around the document that has one, or has one in a folder called build below it.

import (
	"os"
	"path/filepath"

	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/internal/compiledb"
)

// compileFlags returns what the nearest database says of a file.
func (v *diskView) compileFlags(path string) syntax.Config {
	if !filepath.IsAbs(path) {
		return syntax.Config{}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if db := v.database(filepath.Dir(path)); db != nil {
		return db.Config(path)
	}
	return syntax.Config{}
}

// database returns the nearest database of a folder or of one around it. The lock is held.
func (v *diskView) database(folder string) *compiledb.Database {
	if db, seen := v.databases[folder]; seen {
		return db
	}
	db := v.cache.database(filepath.Join(folder, compiledb.Name))
	if db == nil {
		db = v.cache.database(filepath.Join(folder, "build", compiledb.Name))
	}
	if parent := filepath.Dir(folder); db == nil && parent != folder {
		db = v.database(parent)
	}
	v.databases[folder] = db
	return db
}

// cachedDatabase is a database as it was at a time.
type cachedDatabase struct {
	info os.FileInfo
	db   *compiledb.Database
}

// database returns the database in a file, or nil if there is none that can be read.
func (c *diskCache) database(path string) *compiledb.Database {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.databases[path]; ok && sameFile(old.info, info) {
		return old.db
	}
	db, err := compiledb.Load(path)
	if err != nil {
		c.log.Warn("a compilation database can't be used", "error", err)
		db = nil
	}
	c.databases[path] = cachedDatabase{info, db}
	return db
}
