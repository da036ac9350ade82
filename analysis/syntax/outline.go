package syntax

// This file defines the outline of a text: which functions it defines and which names these
// use, and what it includes. It is read from the tokens, with no macro expanded and all
// branches of conditionals taken, so it costs little and is not exact: enough to know which
// files to look at together.

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/source"
)

// Outline is what one file alone says to others.
type Outline struct {
	Includes  []Include
	Functions []Function
}

// Include is an #include directive.
type Include struct {
	Name   string // as written
	Angled bool   // in angle brackets
}

// Function is a function with a body. A class stands for all its member functions.
type Function struct {
	Name     string // without namespaces and classes
	Kernel   bool   // __global__
	Device   bool   // __device__
	Local    bool   // static, or in an unnamed namespace: other files can't mean it
	Launches bool   // its body holds a kernel launch
	Uses     []string
	// Uses are the names that its body calls or launches, sorted, each once.
}

// OutlineOf reads a file. A file that is binary or larger than what can be parsed has an empty one.
func OutlineOf(file *source.File) Outline {
	if file.IsBinary() || len(file.Text) > maxText {
		return Outline{}
	}
	var o Outline
	text := withoutDirectives(newText(file).text, o.directive)
	unnamed := []bool{} // of the blocks that are open
	for _, p := range split(text) {
		switch p.kind {
		case open:
			unnamed = append(unnamed, strings.Join(strings.Fields(text[p.start:p.end]), "") == "namespace{")
		case close:
			unnamed = unnamed[:max(len(unnamed)-1, 0)]
		case item:
			if f, ok := function(text[p.start:p.end]); ok {
				f.Local = f.Local || slices.Contains(unnamed, true)
				o.Functions = append(o.Functions, f)
			}
		}
	}
	return o
}

// directive notes an include.
func (o *Outline) directive(text string) {
	if name, ok := strings.CutPrefix(strings.TrimLeft(text, " \t"), "include"); ok {
		o.include(strings.TrimSpace(name))
	}
}

func (o *Outline) include(name string) {
	if len(name) < 2 || name[0] != '"' && name[0] != '<' {
		return
	}
	closing := byte('"')
	if name[0] == '<' {
		closing = '>'
	}
	if end := strings.IndexByte(name[1:], closing); end > 0 {
		o.Includes = append(o.Includes, Include{Name: strings.Clone(name[1 : 1+end]), Angled: closing == '>'})
	}
}

// head is what stands before the body of a declaration.
type head struct {
	Function
	class    bool   // it begins with a class keyword
	last     string // the last identifier outside of brackets
	assigned bool
	colon    bool // of member initializers, or of a base class
}

// function reads the text of one declaration; ok is false if it is no definition.
func function(text string) (f Function, ok bool) {
	s := newScanner(text)
	var h head
	for depth, angles := 0, 0; ; {
		k := s.scan()
		switch {
		case k == endOfText:
			return f, false
		case k == identifier && depth == 0 && angles == 0:
			h.word(s.last())
		case k != punctuation:
		case s.last() == "<" && depth == 0:
			angles++
		case strings.HasPrefix(s.last(), ">") && depth == 0:
			angles = max(angles-len(s.last()), 0)
		case s.last() == "(":
			if depth == 0 && angles == 0 && h.last != "" && !h.colon && !h.assigned {
				h.Name = h.last
			}
			depth++
		case s.last() == ")":
			depth--
		case s.last() == "=":
			h.assigned = h.assigned || depth == 0 && angles == 0
		case s.last() == ":":
			h.colon = h.colon || depth == 0 && angles == 0
		case s.last() == "{" && depth == 0:
			if h.assigned || h.Name == "" && !h.class {
				return f, false
			}
			h.body(s)
			h.Name = strings.Clone(h.Name) // the outline must not keep the text
			return h.Function, h.Name != ""
		}
	}
}

func (h *head) word(w string) {
	h.last = ""
	switch words[w] {
	case attribute, operatorWord, requiresWord:
		return
	case classWord:
		h.class = h.class || h.Name == ""
		return
	}
	switch w {
	case "__global__":
		h.Kernel = true
	case "__device__":
		h.Device = true
	case "static":
		h.Local = true
	case "final":
	default:
		if h.class && h.Name == "" {
			h.Name = w
		}
		h.last = w
	}
}

// notCalled are words that stand before a parenthesis or an angle bracket without being called.
var notCalled = map[string]bool{
	"if": true, "for": true, "while": true, "switch": true, "return": true, "sizeof": true, "catch": true, "alignof": true,
	"static_cast": true, "reinterpret_cast": true, "const_cast": true, "dynamic_cast": true, "template": true, "decltype": true,
	"dim3": true, "int": true, "float": true, "double": true, "unsigned": true, "void": true, "printf": true, "operator": true,
}

// body reads the names that are used from there on.
func (h *head) body(s scanner) {
	seen := map[string]bool{}
	name := ""   // the last token, if it is a name
	passing := 0 // depth of brackets in a call that may be given a kernel
	for {
		k := s.scan()
		switch k {
		case endOfText:
			for used := range seen {
				h.Uses = append(h.Uses, used)
			}
			slices.Sort(h.Uses)
			return
		case space, newline, comment:
			continue
		case identifier:
			name = s.last()
			if passing > 0 && !notCalled[name] {
				seen[strings.Clone(name)] = true
			}
			continue
		case punctuation:
			h.punctuation(s.last(), name, seen, &passing)
		}
		name = ""
	}
}

func (h *head) punctuation(p, name string, seen map[string]bool, passing *int) {
	switch {
	case p == "<<<":
		h.Launches = true
		fallthrough
	case p == "(" || p == "<":
		if name != "" && !notCalled[name] {
			seen[strings.Clone(name)] = true
		}
	}
	switch {
	case p == "(" && (*passing > 0 || launchesByCall(name)):
		h.Launches = h.Launches || *passing == 0 && strings.HasPrefix(name, "cudaLaunch")
		*passing++
	case p == ")" && *passing > 0:
		*passing--
	}
}

// launchesByCall reports whether a call may launch one of its arguments: one of the runtime, or
// what its name says is a macro.
func launchesByCall(name string) bool {
	return strings.HasPrefix(name, "cudaLaunch") || strings.Contains(name, "LAUNCH")
}
