package disk

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReplace(t *testing.T) {
	root := tree(t, "a.cu", "b.cu")
	path, link := filepath.Join(root, "a.cu"), filepath.Join(root, "link.cu")
	if err := os.Chmod(path, 0o751); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.cu", link); err != nil {
		t.Fatal(err)
	}
	files := NewFiles()
	if err := files.Replace(link, "new\r\n"); err != nil {
		t.Fatal(err)
	}
	if f, ok := files.File(link); !ok || f.Text != "new\r\n" {
		t.Error("the provider has not the new text")
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone", err)
	}
	info, err = os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o751 || info.Size() != 5 {
		t.Error("the file has another mode or text", info, err)
	}

	// What somebody else has written meanwhile stays.
	other := filepath.Join(root, "b.cu")
	files.File(other)
	if err := os.WriteFile(other, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := files.Replace(other, "ours"); err == nil {
		t.Error("a file that was changed meanwhile is replaced")
	}
	if text, _ := os.ReadFile(other); string(text) != "theirs" {
		t.Errorf("the file holds %q", text)
	}
	if left, _ := os.ReadDir(root); len(left) != 3 {
		t.Errorf("there are %d files, and not 3", len(left))
	}
}
