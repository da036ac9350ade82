// Package table reads the tables from which the functions of the simulator are generated: a row is
// keys, a shape, and what to do.
package table

import (
	"log"
	"os"
	"strings"
)

// Row is one line of a table.
type Row struct {
	Keys  []string // what "add.{u32,s32}" stands for, one after the other
	Shape string
	Does  string
}

// Read returns the rows of a file. The rest of a line behind # is a comment. A
// defect of the file ends the program.
func Read(path string) []Row {
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	var rows []Row
	for n, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 3 {
			log.Fatalf("%s:%d: expected keys, shape and what to do", path, n+1)
		}
		rows = append(rows, Row{expand(fields[0]), fields[1], strings.Join(fields[2:], " ")})
	}
	return rows
}

func expand(pattern string) []string {
	open := strings.IndexByte(pattern, '{')
	if open < 0 {
		return []string{pattern}
	}
	end := open + strings.IndexByte(pattern[open:], '}')
	var keys []string
	for _, choice := range strings.Split(pattern[open+1:end], ",") {
		keys = append(keys, expand(pattern[:open]+choice+pattern[end+1:])...)
	}
	return keys
}
