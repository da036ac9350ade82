package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHalfTyped cuts the examples short at many places, as they are while somebody types
// them: each gives an answer, and warplint has no internal error.
func TestHalfTyped(t *testing.T) {
	examples, err := filepath.Glob("../../examples/*.cu")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	const step = 97 // bytes, so that cuts fall into all kinds of tokens
	dir := t.TempDir()
	for _, path := range examples {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for end := step; end < len(text); end += step {
			name := fmt.Sprintf("%s-%04d.cu", strings.TrimSuffix(filepath.Base(path), ".cu"), end)
			if err := os.WriteFile(filepath.Join(dir, name), text[:end], 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	var stdout, stderr strings.Builder
	if got := run(t.Context(), []string{"check", "--fail-on", "never", dir}, &stdout, &stderr); got != exitClean {
		t.Errorf("exit status %d", got)
	}
	if stderr.Len() > 0 || strings.Contains(stdout.String(), "internal error") {
		t.Errorf("standard error: %s, standard output: %s", stderr.String(), stdout.String())
	}
}
