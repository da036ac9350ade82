// This file unpacks the headers that the binary carries.

package toolchain

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	shared "github.com/warplint/warplint/analysis/syntax/headers"
)

//go:embed all:include
var headers embed.FS

// cub are the headers of CUB, all of which are the text that the static side reads.
const cub = "cub block/block_discontinuity block/block_exchange block/block_histogram block/block_load " +
	"block/block_merge_sort block/block_radix_sort block/block_reduce block/block_scan block/block_shuffle block/block_store " +
	"util_type warp/warp_exchange warp/warp_load warp/warp_merge_sort warp/warp_reduce warp/warp_scan warp/warp_store"

// unpackHeaders writes the headers into the cache, unless they are there, and returns their
// folder.
func unpackHeaders() (string, error) {
	tree, err := fs.Sub(headers, "include")
	if err != nil {
		return "", err
	}
	_, collectives, _ := shared.Find("cub/cub.cuh", true)
	hash, err := hashTree(tree, collectives)
	if err != nil {
		return "", err
	}
	return Cached("include-"+hash, func(dir string) error {
		if err := os.CopyFS(dir, tree); err != nil {
			return err
		}
		for _, name := range strings.Fields(cub) {
			text := "#include <cub/cub.cuh>\n"
			if name == "cub" {
				text = collectives
			}
			file := filepath.Join(dir, "cub", filepath.FromSlash(name)+".cuh")
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

func hashTree(tree fs.FS, more string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00", cub, more)
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tree, path)
		fmt.Fprintf(h, "%s\x00%d\x00", path, len(text))
		h.Write(text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:12]), err
}

// Cached returns a folder of the user's cache whose name says all that its content depends on.
// If it isn't there, fill makes it in a temporary place, so that two processes can't disturb
// each other.
func Cached(name string, fill func(dir string) error) (string, error) {
	base, err := os.UserCacheDir()
	if err == nil {
		base = filepath.Join(base, "warplint")
		err = os.MkdirAll(base, 0o755)
	}
	if err != nil { // no home, or it may not be written
		base = filepath.Join(os.TempDir(), fmt.Sprintf("warplint-cache-%d", os.Getuid()))
		if err = os.MkdirAll(base, 0o700); err != nil {
			return "", fmt.Errorf("the cache folder %s: %w", base, err)
		}
	}
	dir := filepath.Join(base, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	temporary, err := os.MkdirTemp(base, name+".")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary)
	if err := fill(temporary); err != nil {
		return "", err
	}
	if err := os.Chmod(temporary, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(temporary, dir); err != nil {
		if _, there := os.Stat(dir); there == nil {
			return dir, nil // another process was faster
		}
		return "", err
	}
	return dir, nil
}
