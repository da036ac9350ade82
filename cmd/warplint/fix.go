// This file defines `check --fix`: findings are mended by verified changes of the files, one file after the other, as
// several may include one header.

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/internal/report"
)

// fix mends the files that were found. It changes what the command names, and nothing else. What can't be read is told by the
// check that follows; what can't be written stays as it is, with its findings.
func (c *checker) fix(ctx context.Context, found []string, name func(string) string, stderr io.Writer) {
	ours := map[string]bool{}
	for _, path := range c.named {
		ours[absolute(path)] = true
	}
	may := func(f race.Fix) bool {
		return !slices.ContainsFunc(f.Edits, func(e race.Edit) bool { return !ours[absolute(e.Span.File)] })
	}
	compiled, included := c.split(found)
	for _, path := range slices.Concat(compiled, included) {
		mended, err := c.mend(ctx, path, may)
		switch {
		case ctx.Err() != nil:
			return // which the check will say
		case err != nil:
			fmt.Fprintf(stderr, "warplint: %s: %v\n", name(path), err)
		case mended.Steps > 0:
			fmt.Fprintf(stderr, "warplint: %s: %s\n", name(path), said(mended))
		}
	}
}

// said tells what was changed.
func said(m analysis.Mended) string {
	text := fmt.Sprintf("%s mended by %s", report.Plural(m.Gone, "finding"), report.Plural(m.Steps, "change"))
	if m.Left > 0 {
		text += fmt.Sprintf("; no change is known for %d more", m.Left)
	}
	return text
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// mend changes one file, and the headers that its findings stand in. A defect of warplint itself leaves it as it is.
func (c *checker) mend(ctx context.Context, path string, may func(race.Fix) bool) (mended analysis.Mended, err error) {
	defer func() {
		if recover() != nil {
			mended = analysis.Mended{} // the check will come to it and say so
		}
	}()
	config, _ := c.config(path)
	if file, ok := c.files.File(path); !ok || file.IsUTF16() {
		return mended, nil
	}
	mended = c.engine.Mend(ctx, c.request(path, config), may)
	edited, ok := analysis.Apply(c.files, mended.Edits)
	if !ok || ctx.Err() != nil {
		return analysis.Mended{}, nil
	}
	for changed, file := range edited {
		if err := c.files.Replace(changed, file.Text); err != nil {
			return mended, fmt.Errorf("%s is not changed: %w", changed, err)
		}
		c.index.Set(file, c.flags(changed).Folders())
	}
	return mended, nil
}
