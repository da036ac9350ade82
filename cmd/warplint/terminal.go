// This file decides whether output is coloured.

package main

import (
	"io"
	"os"
)

// wantsColor reports whether w is a terminal and the user did not ask for plain text
// (https://no-color.org, TERM=dumb).
func wantsColor(w io.Writer) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
