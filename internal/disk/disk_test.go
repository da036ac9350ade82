package disk

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes files with a little text; a name that ends in "/" is a folder.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		folder := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			folder = path
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if folder == path {
			continue
		}
		if err := os.WriteFile(path, []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func find(t *testing.T, root string, paths ...string) (files, problems []string) {
	t.Helper()
	t.Chdir(root)
	found, said := Find(t.Context(), paths)
	for _, p := range said {
		problems = append(problems, p.File+": "+p.Message)
	}
	for _, f := range found {
		files = append(files, filepath.ToSlash(f))
	}
	return files, problems
}

func TestFind(t *testing.T) {
	root := tree(t, "b.cu", "a.cuh", "c.cpp", "sub/d.cu", "sub/.git/e.cu", "node_modules/f.cu", ".hidden/g.cu", "none/h.txt")
	cases := []struct {
		paths, files, problems []string
	}{
		{[]string{"."}, []string{"a.cuh", "b.cu", "sub/d.cu"}, nil},
		{[]string{"sub", "b.cu", "."}, []string{"sub/d.cu", "b.cu", "a.cuh"}, nil},
		{[]string{"c.cpp"}, []string{"c.cpp"}, nil},
		{[]string{".hidden", "node_modules"}, []string{".hidden/g.cu", "node_modules/f.cu"}, nil},
		{[]string{"none"}, nil, []string{"none: no .cu or .cuh files in this folder"}},
		{[]string{"gone.cu", "b.cu"}, []string{"b.cu"}, []string{"gone.cu: no such file or folder"}},
		{[]string{"b.cu", "./b.cu"}, []string{"b.cu"}, nil},
	}
	for _, c := range cases {
		files, problems := find(t, root, c.paths...)
		if !slices.Equal(files, c.files) || !slices.Equal(problems, c.problems) {
			t.Errorf("Find(%q) = %q, %q, want %q, %q", c.paths, files, problems, c.files, c.problems)
		}
	}
}

func TestSources(t *testing.T) {
	root := tree(t, "b.cu", "a.h", "sub/c.cpp", "sub/.git/e.cu", "d.py", "link.cu")
	t.Chdir(root)
	if got, want := Sources(t.Context(), []string{"sub", "d.py", "."}, 10), []string{"sub/c.cpp", "a.h", "b.cu", "link.cu"}; !slices.Equal(got, want) {
		t.Errorf("Sources = %q, want %q", got, want)
	}
	if got := Sources(t.Context(), []string{"."}, 2); !slices.Equal(got, []string{"a.h", "b.cu"}) {
		t.Errorf("two Sources = %q", got)
	}
}

func TestFindFollowsLinksOnce(t *testing.T) {
	root := tree(t, "real/a.cu", "top/")
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("../real", "top/linked")
	link("..", "real/circle")
	link("nowhere", "top/broken.cu")
	link("../real/a.cu", "top/same.cu")
	files, problems := find(t, root, "top")
	if want := []string{"top/linked/a.cu"}; !slices.Equal(files, want) || problems != nil {
		t.Errorf("Find = %q, %q, want %q", files, problems, want)
	}
}

func TestFindStopsWhenCancelled(t *testing.T) {
	root := tree(t, "a.cu")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if files, _ := Find(ctx, []string{root}); len(files) > 0 {
		t.Errorf("a cancelled search found %q", files)
	}
}

func TestNames(t *testing.T) {
	root := tree(t, "a.cu")
	t.Chdir(root)
	given := filepath.Join(root, "given.cu")
	name := Names([]string{given, "b.cu"})
	for path, want := range map[string]string{
		given:                            given,
		"b.cu":                           "b.cu",
		filepath.Join(root, "inc/c.cuh"): filepath.Join("inc", "c.cuh"),
		filepath.Dir(root):               filepath.Dir(root),
		root + "x/d.cu":                  root + "x/d.cu",
	} {
		if got := name(path); got != want {
			t.Errorf("%s is called %s, want %s", path, got, want)
		}
	}
}

// Texts that take too much memory together are dropped, and read again when they are wanted.
func TestMemoryIsBounded(t *testing.T) {
	root := tree(t, "a.cu", "b.cu")
	files := NewFiles()
	first, _ := files.File(filepath.Join(root, "a.cu"))
	files.size = maxKept // as if much had been read
	files.File(filepath.Join(root, "b.cu"))
	again, ok := files.File(filepath.Join(root, "a.cu"))
	if !ok || again == first || again.Text != first.Text {
		t.Errorf("File gives %v after it was dropped, before %v", again, first)
	}
}

func TestReadSaysWhy(t *testing.T) {
	root := tree(t, "a.cu", "folder/", "big.cu")
	if err := os.Truncate(filepath.Join(root, "big.cu"), MaxSize+1); err != nil {
		t.Fatal(err)
	}
	files := NewFiles()
	for name, want := range map[string]string{
		"gone.cu": "no such file or folder", "folder": "not a regular file", "big.cu": "larger than 64 MiB",
	} {
		_, err := files.Read(filepath.Join(root, name))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), root) {
			t.Errorf("Read(%s) says %v, want %q without the path", name, err, want)
		}
	}
	first, ok := files.File(filepath.Join(root, "a.cu"))
	if !ok || first.Text != "text" {
		t.Fatalf("File gives %v, %v", first, ok)
	}
	if again, _ := files.File(filepath.Join(root, "a.cu")); again != first {
		t.Error("the same file is read twice")
	}
}
