package main

import (
	"bytes"
	bytesOf "encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/testscript"
)

// This file writes the strange files of the scripts: texts in other encodings, huge ones, many.

// fine is a kernel without a race, by a name of its own.
func fine(name string) string {
	return fmt.Sprintf("__global__ void %s(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n", name)
}

func put(ts *testscript.TestScript, name string, data []byte) {
	path := ts.MkAbs(name)
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(os.WriteFile(path, data, 0o644))
}

// utf16Text writes a kernel as UTF-16: `utf16 FILE little|big|bare`, the last without a mark.
func utf16Text(ts *testscript.TestScript, _ bool, args []string) {
	text := "\ufeff" + fine("wide")
	var order bytesOf.ByteOrder = bytesOf.LittleEndian
	switch args[1] {
	case "big":
		order = bytesOf.BigEndian
	case "bare":
		text = fine("wide")
	}
	var b bytes.Buffer
	ts.Check(bytesOf.Write(&b, order, utf16.Encode([]rune(text))))
	put(ts, args[0], b.Bytes())
}

// latin1 writes a kernel with a comment that is not UTF-8.
func latin1(ts *testscript.TestScript, _ bool, args []string) {
	put(ts, args[0], []byte("// Gr\xf6\xdfe der Bl\xf6cke\n"+fine("latin")))
}

// large writes a kernel and so many megabytes of comments: `large FILE MEGABYTES`.
func large(ts *testscript.TestScript, _ bool, args []string) {
	megabytes, err := strconv.Atoi(args[1])
	ts.Check(err)
	line := "// " + strings.Repeat("x", 60) + "\n"
	put(ts, args[0], []byte(fine("large")+strings.Repeat(line, megabytes<<20/len(line))))
}

// nested writes a kernel, and one with an expression that nests too deep.
func nested(ts *testscript.TestScript, _ bool, args []string) {
	put(ts, args[0], []byte(fine("flat")+"__global__ void deep(int *a) { *a = "+strings.Repeat("(", 5000)+"1"+strings.Repeat(")", 5000)+"; }\n"))
}

// many writes so many files in ten folders, which include a header: `many FILES FOLDER`.
func many(ts *testscript.TestScript, _ bool, args []string) {
	files, err := strconv.Atoi(args[0])
	ts.Check(err)
	for i := range files {
		folder := filepath.Join(args[1], strconv.Itoa(i%10))
		put(ts, filepath.Join(folder, "common.cuh"), []byte("__device__ int f(int x) { return x; }\n"))
		put(ts, filepath.Join(folder, fmt.Sprintf("%d.cu", i)), []byte("#include \"common.cuh\"\n"+fine(fmt.Sprintf("k%d", i))))
	}
}
