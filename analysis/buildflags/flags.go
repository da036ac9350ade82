package buildflags

// This file understands command line arguments of nvcc and clang.

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/warplint/warplint/analysis/syntax"
)

// meaning is what an option says to us.
type meaning uint8

const (
	includeDir meaning = iota + 1
	systemDir
	lastDir
	define
	undefine
	includeFile
	standard
	arch
	generate
	responseFile
	hostArguments
	skipped // takes a value of no concern
)

// options have values: as the next argument, behind "=", and where joined says so, right behind
// the name.
var options = []struct {
	name    string
	meaning meaning
	joined  bool
}{
	{"-isystem", systemDir, true},
	{"--system-include", systemDir, false},
	{"-iquote", includeDir, true},
	{"-idirafter", lastDir, true},
	{"--include-path", includeDir, false},
	{"-include", includeFile, false},
	{"--include", includeFile, false},
	{"-imacros", includeFile, false},
	{"--pre-include", includeFile, false},
	{"-I", includeDir, true},
	{"-D", define, true},
	{"--define-macro", define, false},
	{"-U", undefine, true},
	{"--undefine-macro", undefine, false},
	{"-std", standard, false},
	{"--std", standard, false},
	{"-arch", arch, false},
	{"--gpu-architecture", arch, false},
	{"--cuda-gpu-arch", arch, false},
	{"--offload-arch", arch, false},
	{"-gencode", generate, false},
	{"--generate-code", generate, false},
	{"-optf", responseFile, false},
	{"--options-file", responseFile, false},
	{"-Xcompiler", hostArguments, false},
	{"--compiler-options", hostArguments, false},
	{"-o", skipped, false},
	{"-MF", skipped, false},
	{"-MT", skipped, false},
	{"-MQ", skipped, false},
	{"-x", skipped, false},
	{"-ccbin", skipped, false},
	{"--compiler-bindir", skipped, false},
	{"-code", skipped, false},
	{"--gpu-code", skipped, false},
	{"-Xptxas", skipped, false},
	{"-Xlinker", skipped, false},
	{"-Xnvlink", skipped, false},
	{"-Xfatbin", skipped, false},
	{"-Xcudafe", skipped, false},
	{"-L", skipped, true},
	{"-l", skipped, true},
}

// implied are the macros that a flag without a value defines.
var implied = map[string]string{
	"-fopenmp":                       "_OPENMP=201511",
	"-rdc=true":                      "__CUDACC_RDC__",
	"--relocatable-device-code":      "__CUDACC_RDC__",
	"-dc":                            "__CUDACC_RDC__",
	"--device-c":                     "__CUDACC_RDC__",
	"-fgpu-rdc":                      "__CUDACC_RDC__",
	"-extended-lambda":               "__CUDACC_EXTENDED_LAMBDA__",
	"--extended-lambda":              "__CUDACC_EXTENDED_LAMBDA__",
	"-expt-extended-lambda":          "__CUDACC_EXTENDED_LAMBDA__",
	"--expt-extended-lambda":         "__CUDACC_EXTENDED_LAMBDA__",
	"-expt-relaxed-constexpr":        "__CUDACC_RELAXED_CONSTEXPR__",
	"--expt-relaxed-constexpr":       "__CUDACC_RELAXED_CONSTEXPR__",
	"-G":                             "__CUDACC_DEBUG__",
	"--device-debug":                 "__CUDACC_DEBUG__",
	"-use_fast_math":                 "__USE_FAST_MATH__",
	"--use_fast_math":                "__USE_FAST_MATH__",
	"-ffast-math":                    "__FAST_MATH__",
	"--default-stream=per-thread":    "CUDA_API_PER_THREAD_DEFAULT_STREAM",
	"-default-stream=per-thread":     "CUDA_API_PER_THREAD_DEFAULT_STREAM",
	"--relocatable-device-code=true": "__CUDACC_RDC__",
}

// option is one argument that was recognized.
type option struct {
	name    string
	meaning meaning
	value   string
	length  int // arguments taken
}

// next recognizes the option that args begin with. An argument that is none has length 1 and
// no meaning.
func next(args []string) option {
	a := args[0]
	for _, o := range options {
		if !strings.HasPrefix(a, o.name) {
			continue
		}
		rest := a[len(o.name):]
		switch {
		case rest == "" && len(args) > 1:
			return option{o.name, o.meaning, args[1], 2}
		case strings.HasPrefix(rest, "=") && !(o.joined && len(o.name) == 2):
			return option{o.name, o.meaning, rest[1:], 1}
		case rest != "" && o.joined:
			return option{o.name, o.meaning, rest, 1}
		}
	}
	if strings.HasPrefix(a, "@") && len(a) > 1 {
		return option{"@", responseFile, a[1:], 1}
	}
	return option{name: a, length: 1}
}

// config collects what arguments say. Paths are relative to dir.
func config(args []string, dir string) syntax.Config {
	c := collector{dir: dir}
	c.collect(args)
	c.IncludeDirs = append(append(c.IncludeDirs, c.system...), c.last...)
	return c.Config
}

// With returns a configuration with further macros and include folders, which win over those
// that it has.
func With(c syntax.Config, defines, includeDirs []string) syntax.Config {
	c.Defines = slices.Concat(c.Defines, defines)
	for _, d := range defines {
		c.Undefines = without(c.Undefines, macroName(d))
	}
	c.IncludeDirs = slices.Concat(includeDirs, c.IncludeDirs)
	return c
}

type collector struct {
	syntax.Config
	dir          string
	system, last []string
}

func (c *collector) collect(args []string) {
	for len(args) > 0 {
		o := next(args)
		args = args[o.length:]
		switch o.meaning {
		case includeDir:
			c.IncludeDirs = append(c.IncludeDirs, c.paths(o.value)...)
		case systemDir:
			c.system = append(c.system, c.paths(o.value)...)
		case lastDir:
			c.last = append(c.last, c.paths(o.value)...)
		case includeFile:
			c.Includes = append(c.Includes, c.paths(o.value)...)
		case define:
			for _, d := range definitions(o.value) {
				c.Defines = append(c.Defines, d)
				c.Undefines = without(c.Undefines, macroName(d))
			}
		case undefine:
			c.Undefines = append(c.Undefines, o.value)
		case standard:
			if v := cplusplus(o.value); v != "" {
				c.Defines = append(c.Defines, "__cplusplus="+v)
			}
		case arch:
			for _, a := range strings.Split(o.value, ",") {
				c.Arch = max(c.Arch, archNumber(a))
			}
		case generate:
			for _, part := range strings.Split(strings.Trim(o.value, `"`), ",") {
				if name, value, _ := strings.Cut(part, "="); strings.TrimSpace(name) == "arch" {
					c.Arch = max(c.Arch, archNumber(value))
				}
			}
		case hostArguments:
			c.collect(strings.FieldsFunc(o.value, func(r rune) bool { return r == ',' || r == ' ' }))
		case 0:
			if m, ok := implied[o.name]; ok {
				c.Defines = append(c.Defines, m)
			}
		}
	}
}

// paths are those of an option's value; nvcc separates several by commas.
func (c *collector) paths(value string) (list []string) {
	for _, p := range strings.Split(value, ",") {
		if p = strings.Trim(p, `"`); p != "" {
			list = append(list, absolute(filepath.FromSlash(p), c.dir))
		}
	}
	return list
}

// definitions are those of an option's value. nvcc separates several by commas, which are
// told from a comma in a macro's parameters or value.
func definitions(value string) []string {
	name, _, _ := strings.Cut(value, "=")
	if strings.ContainsRune(name, ',') && !strings.ContainsRune(name, '(') {
		return strings.Split(value, ",")
	}
	return []string{value}
}

func macroName(definition string) string {
	if i := strings.IndexAny(definition, "=("); i >= 0 {
		return definition[:i]
	}
	return definition
}

func without(list []string, name string) []string {
	var kept []string
	for _, s := range list {
		if s != name {
			kept = append(kept, s)
		}
	}
	return kept
}

// cplusplus returns the value of __cplusplus for a language standard.
func cplusplus(standard string) string {
	_, year, ok := strings.Cut(standard, "++")
	if !ok {
		return ""
	}
	return map[string]string{
		"98": "199711L", "03": "199711L", "11": "201103L", "0x": "201103L", "14": "201402L", "1y": "201402L",
		"17": "201703L", "1z": "201703L", "20": "202002L", "2a": "202002L", "23": "202302L", "2b": "202302L",
	}[year]
}

// archNumber returns the value of __CUDA_ARCH__ for an architecture such as sm_80, compute_90a
// or lto_75, or 0.
func archNumber(arch string) int {
	_, digits, ok := strings.Cut(strings.Trim(arch, ` "`), "_")
	n, err := strconv.Atoi(strings.TrimRight(digits, "af"))
	if !ok || err != nil || n < 10 || n > 999 {
		return 0
	}
	return n * 10
}

// maxResponses bounds the response files of one command.
const maxResponses = 100

// expand puts the contents of response files in the place of their names.
func (f *Finder) expand(args []string, dir string, r *Result) []string {
	left := maxResponses
	return f.expandSome(args, dir, nil, &left, r)
}

// expandSome does the same inside the response files that are open, with as many as left.
func (f *Finder) expandSome(args []string, dir string, open []string, left *int, r *Result) []string {
	var out []string
	for len(args) > 0 {
		o := next(args)
		if o.meaning != responseFile {
			out = append(out, args[:o.length]...)
			args = args[o.length:]
			continue
		}
		args = args[o.length:]
		for _, name := range strings.Split(o.value, ",") {
			path := absolute(filepath.FromSlash(strings.Trim(name, `"`)), dir)
			file, ok := f.files.File(path)
			*left--
			switch {
			case *left < 0:
			case !ok:
				r.problem(path, "the response file can't be read")
			case slices.Contains(open, path):
				r.problem(path, "the response file names itself")
			default:
				out = append(out, f.expandSome(splitWords(file.Text, isWindows(dir)), dir, append(open, path), left, r)...)
			}
		}
	}
	return out
}

// splitWords splits a command line: blanks separate words, quotes keep them together, and a
// backslash takes the next character as it is. On Windows a backslash does so only before a
// quote, and single quotes are ordinary.
func splitWords(line string, windows bool) []string {
	var words []string
	var word strings.Builder
	inWord := false
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line) && (!windows || line[i+1] == '"'):
			i++
			if line[i] != '\n' {
				word.WriteByte(line[i])
				inWord = true
			}
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"', c == '\'' && !windows:
			quote, inWord = c, true
		case c == ' ', c == '\t', c == '\n', c == '\r':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}
