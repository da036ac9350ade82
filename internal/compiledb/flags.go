// This file defines how a compiler's command line is read.

package compiledb

import (
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

const (
	maxResponseFiles = 16      // how deep response files may name each other
	maxResponseSize  = 1 << 20 // bytes; a greater one is no list of flags
)

// meaning is what the value of a flag is for.
type meaning int

const (
	ignored meaning = iota // not for the CUDA compiler itself, or of no use here
	define
	undefine
	includeDir
	architecture
	responseFile
)

// valueFlags take a value, joined or as the next argument.
var valueFlags = []struct {
	meaning meaning
	names   []string
}{
	{define, []string{"-D", "--define-macro"}},
	{undefine, []string{"-U", "--undefine-macro"}},
	{includeDir, []string{"-isystem", "--system-include", "-iquote", "-I", "--include-path"}},
	{architecture, []string{"-arch", "--gpu-architecture", "-gencode", "--generate-code", "--cuda-gpu-arch"}},
	{responseFile, []string{"-optf", "--options-file"}},
	{ignored, []string{"-Xcompiler", "--compiler-options", "-Xptxas", "--ptxas-options", "-Xlinker", "--linker-options",
		"-Xcudafe", "-Xclang", "-include", "--pre-include", "-o", "--output-file", "-x", "--x", "-ccbin",
		"--compiler-bindir", "-MF", "-MT", "-MQ"}},
}

type parser struct {
	dir    string // that relative paths start from
	config syntax.Config
	depth  int
}

func parse(dir string, args []string) syntax.Config {
	p := parser{dir: dir}
	p.args(args)
	return p.config
}

func (p *parser) args(args []string) {
	for len(args) > 0 {
		if file, ok := strings.CutPrefix(args[0], "@"); ok {
			p.responseFile(file)
		}
		args = args[p.one(args):]
	}
}

// one reads the flag at the front and returns how many arguments it takes.
func (p *parser) one(args []string) int {
	for _, f := range valueFlags {
		for _, name := range f.names {
			switch rest, ok := strings.CutPrefix(args[0], name); {
			case !ok:
			case rest == "" && len(args) > 1:
				p.apply(f.meaning, args[1])
				return 2
			case strings.HasPrefix(rest, "="):
				p.apply(f.meaning, rest[1:])
				return 1
			case rest != "" && len(name) == 2:
				p.apply(f.meaning, rest)
				return 1
			}
		}
	}
	return 1
}

func (p *parser) apply(m meaning, value string) {
	switch m {
	case define:
		p.config.Defines = append(p.config.Defines, value)
	case undefine:
		p.config.Undefines = append(p.config.Undefines, value)
	case includeDir:
		p.config.IncludeDirs = append(p.config.IncludeDirs, resolve(p.dir, value))
	case architecture:
		p.architecture(value)
	case responseFile:
		p.responseFile(value)
	}
}

var architecturePattern = regexp.MustCompile(`(?:sm|compute)_(\d+)`)

// architecture keeps the highest compute capability that is named, as __CUDA_ARCH__ has it.
func (p *parser) architecture(value string) {
	for _, m := range architecturePattern.FindAllStringSubmatch(value, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			p.config.Arch = max(p.config.Arch, n*10)
		}
	}
}

// responseFile reads further flags from files, several being joined with commas.
func (p *parser) responseFile(names string) {
	for name := range strings.SplitSeq(names, ",") {
		path := resolve(p.dir, name)
		info, err := os.Stat(path)
		if err != nil || info.Size() > maxResponseSize || p.depth >= maxResponseFiles {
			continue
		}
		if text, err := os.ReadFile(path); err == nil {
			p.depth++
			p.args(split(string(text)))
			p.depth--
		}
	}
}

// split cuts a command line as a POSIX shell does: blanks, both quotes and backslashes.
func split(line string) []string {
	var out []string
	var word strings.Builder
	inWord, quote, escaped := false, rune(0), false
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' && r != '$' && r != '`' {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case strings.ContainsRune(" \t\r\n", r):
			if inWord {
				out = append(out, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		out = append(out, word.String())
	}
	return out
}
