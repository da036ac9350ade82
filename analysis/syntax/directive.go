package syntax

// This file follows directives.

import (
	"path/filepath"
	"strings"

	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax/headers"
)

// directive follows the directive whose # was just read, up to its line's end. For an #if
// that does not hold, it goes on to the branch that does. It returns false for a directive
// that can't stand inside a macro's arguments, when it does.
func (r *reader) directive() bool {
	hash := r.start
	name, start, end := r.directiveLine()
	switch name {
	case "if", "ifdef", "ifndef":
		r.groups = append(r.groups, group{start: hash})
		if !r.holds(name, start, end) {
			r.skip(false)
		}
	case "elif", "elifdef", "elifndef", "else", "endif":
		r.leaveBranch(name, hash)
	case "define":
		r.define(start, end)
	case "undef":
		if s := r.firstWord(start, end); !reserved[s] {
			delete(r.p.macros, s)
		}
	case "include", "include_next", "import":
		if r.p.inArguments > 0 {
			return false
		}
		r.include(name, start, end)
	case "pragma":
		said := strings.TrimSpace(r.scanner.text[start:end])
		if said == "once" {
			r.p.once[r.text] = true
		}
		if args, ok := strings.CutPrefix(said, "pack"); ok && !r.p.pack.pragma(args) {
			r.p.problem(r.text.span(hash, end), "#pragma pack is not understood")
		}
	case "error":
		r.p.problem(r.text.span(hash, end), "#error%s", strings.TrimRight(r.scanner.text[start:end], " \t\r"))
	case "", "warning", "ident", "line":
	default:
		if name[0] < '0' || name[0] > '9' {
			r.p.problem(r.text.span(hash, end), "#%s is no directive", name)
		}
	}
	return true
}

// directiveLine reads the rest of a directive's line: its name, and the range that follows it.
func (r *reader) directiveLine() (name string, start, end int) {
	k := r.scan()
	for k == space || k == comment {
		k = r.scan()
	}
	if k == newline || k == endOfText {
		r.pos = r.start // the line's end is not part of it
		return "", r.pos, r.pos
	}
	name, start = r.last(), r.pos
	if name == "error" || name == "warning" || name == "pragma" || name == "ident" {
		r.pos = r.lineEnd() // no tokens
		return name, start, r.pos
	}
	for {
		switch r.scan() {
		case newline, endOfText:
			r.pos = r.start
			return name, start, r.pos
		}
	}
}

// leaveBranch handles the directive that ends the branch in which the reader is.
func (r *reader) leaveBranch(name string, hash int) {
	if len(r.groups) == 0 {
		r.p.problem(r.text.span(hash, r.pos), "#%s without #if", name)
		return
	}
	if name == "endif" {
		r.groups = r.groups[:len(r.groups)-1]
		return
	}
	r.skip(true)
}

// skip goes to the first branch of the innermost #if that holds, or behind its #endif. taken
// says that a branch was taken already, so that no other holds.
func (r *reader) skip(taken bool) {
	g := &r.groups[len(r.groups)-1]
	depth := 0
	for {
		bol := r.bol
		switch k := r.scan(); {
		case k == endOfText:
			return
		case k != punctuation || !bol || r.last() != "#":
			continue
		}
		hash := r.start
		name, start, end := r.directiveLine()
		switch name {
		case "if", "ifdef", "ifndef":
			depth++
			continue
		case "endif":
			if depth--; depth < 0 {
				r.groups = r.groups[:len(r.groups)-1]
				return
			}
			continue
		}
		if depth > 0 {
			continue
		}
		switch name {
		case "else":
			if g.hasElse {
				r.p.problem(r.text.span(hash, end), "#else after #else")
			}
			g.hasElse = true
			if !taken {
				return
			}
		case "elif":
			if !taken && r.holds("if", start, end) {
				return
			}
		case "elifdef", "elifndef":
			if !taken && r.holds(name[2:], start, end) {
				return
			}
		}
	}
}

// holds evaluates the condition of an #if, #ifdef or #ifndef.
func (r *reader) holds(name string, start, end int) bool {
	switch name {
	case "ifdef":
		return r.p.defined(r.firstWord(start, end))
	case "ifndef":
		return !r.p.defined(r.firstWord(start, end))
	}
	v, ok := r.condition(start, end)
	if !ok {
		r.p.problem(r.text.span(start, end), "the condition can't be evaluated; it counts as false")
	}
	return ok && v
}

func (p *preprocessor) defined(name string) bool {
	return p.macros[name] != nil || strings.HasPrefix(name, "__has_")
}

func (r *reader) firstWord(start, end int) string {
	s := scanner{text: r.scanner.text[:end], pos: start}
	for {
		switch s.scan() {
		case identifier:
			return s.last()
		case space, comment:
		default:
			return ""
		}
	}
}

func (r *reader) define(start, end int) {
	m := define(r.text, start, end)
	if m == nil {
		r.p.problem(r.text.span(start, end), "the macro definition is not understood")
		return
	}
	if !reserved[m.name] {
		r.p.set(m)
	}
}

// include reads the named file in place.
func (r *reader) include(directive string, start, end int) {
	p := r.p
	name, angled, ok := r.includeName(start, end)
	if !ok {
		p.problem(r.text.span(start, end), "the name of the file to include is not understood")
		return
	}
	t := p.find(name, angled, r.text, directive == "include_next")
	switch {
	case t == nil && angled && isSystem(name):
		// What matters of it is known.
	case t == nil:
		p.absent(r.text.span(start, end), name, angled)
	case p.once[t]:
	case p.reading[t] >= maxItself:
		p.limit(r.text.span(start, end), "%q includes itself again and again", filepath.Base(t.file.Path))
	case r.depth >= maxDepth:
		p.limit(r.text.span(start, end), "files include each other more than %d levels deep", maxDepth)
	case p.included >= maxFiles:
		p.limit(source.Span{File: p.path}, "more than %d files are included", maxFiles)
	default:
		p.included++
		if directive == "import" {
			p.once[t] = true
		}
		p.file(t, r.depth+1)
	}
}

// isSystem reports whether a header in angle brackets is by its name one that comes with a compiler, with the system or with CUDA.
func isSystem(name string) bool {
	folder, _, inFolder := strings.Cut(name, "/")
	return !inFolder || systemFolders[folder]
}

// systemFolders are those that such headers stand in.
var systemFolders = map[string]bool{
	"arpa": true, "asm": true, "bits": true, "experimental": true, "linux": true, "net": true, "netinet": true, "sys": true,
	"cooperative_groups": true, "cub": true, "cuda": true, "nv": true, "nvtx3": true, "thrust": true, "GL": true, "mach": true,
}

// isStandard reports whether a name is that of a header of the C or C++ library, or of the like.
func isStandard(name string) bool {
	return !strings.ContainsAny(name, "./") || standardHeaders[name]
}

var standardHeaders = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`assert complex ctype errno fenv float inttypes iso646 limits locale malloc math memory omp
		pthread setjmp signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib string strings tgmath threads time
		uchar unistd wchar wctype`) {
		set[name+".h"] = true
	}
	return set
}()

// includeName reads "name" or <name>, or a macro that makes one.
func (r *reader) includeName(start, end int) (name string, angled, ok bool) {
	line := strings.TrimSpace(r.scanner.text[start:end])
	if name, angled, ok = quotedName(line); ok {
		return name, angled, true
	}
	var b strings.Builder
	for _, t := range r.p.expandList(r.tokens(start, end)) {
		if t.space {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return quotedName(strings.TrimSpace(b.String()))
}

func quotedName(line string) (name string, angled, ok bool) {
	for _, quotes := range []string{`""`, "<>"} {
		if len(line) > 0 && line[0] == quotes[0] {
			if i := strings.IndexByte(line[1:], quotes[1]); i > 0 {
				return line[1 : 1+i], quotes == "<>", true
			}
		}
	}
	return "", false, false
}

// tokens reads a range of the file, without line ends.
func (r *reader) tokens(start, end int) []token {
	var list []token
	line := reader{scanner: scanner{text: r.scanner.text[:end], pos: start}, p: r.p, text: r.text}
	for {
		blank := false
		k := line.scan()
		for k == space || k == comment || k == newline {
			blank = true
			k = line.scan()
		}
		if k == endOfText {
			return list
		}
		t := line.token(k)
		t.space = blank
		list = append(list, t)
	}
}

// find looks for a file to include: next to the including file if it is quoted, then in the
// include folders. It returns nil for one that is not there, and for CUDA's own headers: what
// they declare is known to the analysis, and their definitions would hide that. Package headers has
// what stands for those of other libraries.
func (p *preprocessor) find(name string, angled bool, from *text, next bool) *text {
	if path, known, ok := headers.Find(name, angled); ok {
		return p.known(path, known)
	}
	name = filepath.FromSlash(strings.ReplaceAll(name, `\`, "/"))
	if filepath.IsAbs(name) {
		return p.open(name)
	}
	here := filepath.Dir(from.file.Path)
	if !angled && !next {
		if t := p.open(filepath.Join(here, name)); t != nil {
			return t
		}
	}
	for _, dir := range p.cfg.foldersOf(name, angled) {
		if p.isToolkit(dir) || next && filepath.Join(dir, name) == from.file.Path {
			continue
		}
		if t := p.open(filepath.Join(dir, name)); t != nil {
			return t
		}
	}
	if path, known, ok := headers.Absent(name); ok {
		return p.known(path, known)
	}
	return nil
}

// known is the text that stands for a header of a library.
func (p *preprocessor) known(name, of string) *text {
	path := "<" + name + ">"
	if p.texts[path] == nil {
		t := newText(source.New(path, of))
		t.known = true
		p.texts[path] = t
	}
	return p.texts[path]
}

// isToolkit reports whether a folder holds the headers of CUDA or of its C++ library.
func (p *preprocessor) isToolkit(dir string) bool {
	is, known := p.toolkit[dir]
	if !known {
		for _, sign := range []string{"cuda_runtime.h", "cuda/atomic", "cuda/std/atomic"} {
			_, ok := p.files.File(filepath.Join(dir, sign))
			is = is || ok
		}
		p.toolkit[dir] = is
	}
	return is
}

// open returns the text of a file, or nil. A file that is no text is empty.
func (p *preprocessor) open(path string) *text {
	if t, ok := p.texts[path]; ok {
		return t
	}
	var t *text
	if file, ok := p.files.File(path); ok {
		p.read = append(p.read, file)
		if file.IsBinary() {
			p.problem(source.Span{File: path}, "the file is no text")
			file = source.New(path, "")
		}
		t = newText(file)
	}
	p.texts[path] = t
	return t
}
