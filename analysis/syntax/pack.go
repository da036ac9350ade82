package syntax

import (
	"fmt"
	"strconv"
	"strings"
)

// This file keeps what #pragma pack says. The expanded text says it of each class, so that the text alone tells how that lies in memory.

// PragmaPack is the attribute that says of a class what #pragma pack says.
const PragmaPack = "__pragma_pack"

// packing is the greatest alignment that members of classes have.
type packing struct {
	most  int // 0 if there is no limit
	stack []packed
}

// packed is a limit that was pushed, with its name.
type packed struct {
	most int
	name string
}

func (p *packing) attribute() string {
	return fmt.Sprintf("__attribute__((%s(%d)))", PragmaPack, p.most)
}

// pragma reads the arguments of a #pragma pack, and returns false if it does not understand them.
func (p *packing) pragma(text string) bool {
	text, opened := strings.CutPrefix(strings.TrimSpace(text), "(")
	text, _, closed := strings.Cut(text, ")")
	if !opened || !closed {
		return false
	}
	var does, name string
	most := 0
	args := strings.Split(text, ",")
	for i, arg := range args {
		arg = strings.TrimSpace(arg)
		n, err := strconv.Atoi(arg)
		switch {
		case err == nil && (n == 1 || n == 2 || n == 4 || n == 8 || n == 16):
			most = n
		case i == 0 && (arg == "push" || arg == "pop" || arg == "" || arg == "show"):
			does = arg
		case i == 1 && does != "" && len(arg) > 0 && class[arg[0]] == letter:
			name = arg
		default:
			return false
		}
	}
	switch {
	case does == "show":
		return true
	case does == "push":
		p.stack = append(p.stack, packed{p.most, name})
	case does == "pop" && len(p.stack) > 0:
		i := len(p.stack) - 1
		for name != "" && i >= 0 && p.stack[i].name != name {
			i--
		}
		if i >= 0 {
			p.most, p.stack = p.stack[i].most, p.stack[:i]
		}
	case does == "" && most == 0:
		p.most = 0
	}
	if most > 0 {
		p.most = most
	}
	return true
}

// definesClass reports whether the class, struct or union that was just read begins a definition, and no declaration or parameter.
func (r *reader) definesClass() bool {
	if r.last() == "enum" || strings.HasSuffix(strings.TrimRight(r.scanner.text[:r.start], " \t\n"), "enum") {
		return false
	}
	s := r.scanner
	attribute, parens, angles := false, 0, 0
	for range maxArguments {
		k := s.scan()
		text := s.last()
		switch {
		case k == endOfText:
			return false
		case k == space || k == newline || k == comment:
		case parens > 0 || angles > 0:
			switch text {
			case "(":
				parens++
			case ")":
				parens--
			case "<":
				angles++
			case ">":
				angles--
			}
		case text == "(" && attribute:
			parens++
		case text == "<" && !attribute:
			angles++
		case k == identifier:
			attribute = text == "alignas" || strings.HasPrefix(text, "__")
		case text == "::" || text == "[" || text == "]" || text == "[[" || text == "]]":
		default:
			return text == "{" || text == ":"
		}
	}
	return false
}
