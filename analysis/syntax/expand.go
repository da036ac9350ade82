package syntax

// This file expands macros the way C and C++ define it: arguments are expanded first, on
// their own; the result is scanned again together with what follows; a macro is not expanded
// within its own expansion (ISO C++17, [cpp.replace]).

import "strings"

const (
	// maxExpansion bounds the tokens that all macros of a unit make together.
	maxExpansion = 1 << 20
	// maxNesting bounds macro uses inside arguments of macro uses, and brackets in #if.
	maxNesting = 500
)

// expander makes tokens out of a stack of token lists and, below the stack, a file.
type expander struct {
	p     *preprocessor
	r     *reader // nil: the stack is all there is
	stack []pending
}

// pending is a list of tokens still to be scanned, and the macro that they came out of.
type pending struct {
	tokens []token
	macro  *macro
}

func (e *expander) push(tokens []token, m *macro) {
	if m != nil {
		e.p.hidden[m]++
	}
	e.stack = append(e.stack, pending{tokens, m})
}

// settle drops lists that are used up and reports whether tokens are left.
func (e *expander) settle() bool {
	for n := len(e.stack); n > 0; n = len(e.stack) {
		top := &e.stack[n-1]
		if len(top.tokens) > 0 {
			return true
		}
		if top.macro != nil {
			e.p.hidden[top.macro]--
		}
		e.stack = e.stack[:n-1]
	}
	return false
}

func (e *expander) pop() token {
	top := &e.stack[len(e.stack)-1]
	t := top.tokens[0]
	top.tokens = top.tokens[1:]
	return t
}

// run expands until the stack is empty. It reads on in the file only for arguments.
func (e *expander) run(emit func(*token)) {
	for e.settle() {
		t := e.pop()
		if t.kind != identifier || t.blue {
			emit(&t)
			continue
		}
		if e.p.inCondition && e.operator(&t) {
			emit(&t)
			continue
		}
		m := e.p.macros[t.text]
		if m == nil {
			emit(&t)
			continue
		}
		if e.p.hidden[m] > 0 {
			t.blue = true
			emit(&t)
			continue
		}
		if !e.enter(m, t) {
			emit(&t)
		}
	}
}

// enter pushes the expansion of the macro named by t, with the arguments that follow. It
// returns false, and takes nothing, where that is no use of the macro.
func (e *expander) enter(m *macro, t token) bool {
	p := e.p
	if m.builtin != nil {
		place := t.usedBy(m, &t)
		s := scanner{text: m.builtin(p, t)}
		place.kind, place.text, place.param, place.space = s.scan(), s.text, notParam, t.space
		e.push([]token{place}, m)
		return p.spend(1)
	}
	if !m.function {
		if !p.spend(1 + len(m.body())) {
			return false
		}
		e.push(m.substitute(p, m.body(), nil, t.usedBy(m, &t), t.space), m)
		return true
	}
	if !e.parenFollows() || p.nesting >= maxNesting {
		return false
	}
	args, closing, ok := e.arguments(m)
	if !ok {
		return false
	}
	p.nesting++
	a := &arguments{p: p, raw: args, expanded: make([][]token, len(args))}
	tokens := m.substitute(p, m.body(), a, t.usedBy(m, &closing), t.space)
	p.nesting--
	e.push(tokens, m)
	return true
}

// usedBy returns a token at the place of the macro's use that t begins and closing ends.
// Inside the text of another macro, that is the other macro's use.
func (t *token) usedBy(m *macro, closing *token) token {
	use := token{start: t.start, end: t.end, from: t.from, macro: t.macro}
	if t.macro == nil {
		use.macro = m
		if closing.macro == nil && closing.from == t.from && closing.end > t.end {
			use.end = closing.end
		}
	}
	return use
}

func (e *expander) parenFollows() bool {
	if e.settle() {
		return e.stack[len(e.stack)-1].tokens[0].is("(")
	}
	return e.r != nil && e.r.parenFollows()
}

// arguments reads "(", the arguments and ")". Where they do not end, or run out of the
// brackets around them, it reads nothing and returns false: a call that is still being typed
// must not swallow the functions that follow.
func (e *expander) arguments(m *macro) (args [][]token, closing token, ok bool) {
	var taken []token
	var back *reader
	next := func() (t token, ok bool) {
		if !e.p.spend(1) {
			return t, false
		}
		if e.settle() {
			t = e.pop()
			taken = append(taken, t)
			return t, true
		}
		if e.r == nil {
			return t, false
		}
		if back == nil {
			back = e.r.mark()
		}
		return e.r.argumentToken()
	}
	e.p.inArguments++
	args, closing, ok = readArguments(m, next)
	e.p.inArguments--
	if ok {
		return args, closing, true
	}
	if back != nil {
		e.r.reset(back)
	}
	if len(taken) > 0 {
		e.push(taken, nil)
	}
	return nil, closing, false
}

func readArguments(m *macro, next func() (token, bool)) (args [][]token, closing token, ok bool) {
	next() // the opening parenthesis
	var arg []token
	parens, braces := 0, 0
	for {
		t, ok := next()
		if !ok {
			return nil, t, false
		}
		if t.kind == punctuation {
			switch t.text {
			case "(":
				parens++
			case ")":
				if parens == 0 {
					return append(args, arg), t, true
				}
				parens--
			case "{":
				braces++
			case "}":
				if braces--; braces < 0 {
					return nil, t, false
				}
			case ",":
				if parens == 0 && len(args) < len(m.params)-1 {
					args, arg = append(args, arg), nil
					continue
				}
			}
		}
		arg = append(arg, t)
	}
}

// arguments are those of one use of a macro, each expanded when that is first needed.
type arguments struct {
	p        *preprocessor
	raw      [][]token
	expanded [][]token
	done     []bool
}

func (a *arguments) unexpanded(i int) []token {
	if a == nil || i >= len(a.raw) {
		return nil
	}
	return a.raw[i]
}

func (a *arguments) get(i int) []token {
	if a == nil || i >= len(a.raw) {
		return nil
	}
	if a.done == nil {
		a.done = make([]bool, len(a.raw))
	}
	if !a.done[i] {
		a.done[i] = true
		a.expanded[i] = a.p.expandList(a.raw[i])
	}
	return a.expanded[i]
}

// expandList expands a list of tokens on its own.
func (p *preprocessor) expandList(tokens []token) []token {
	if !p.mayExpand(tokens) {
		return tokens
	}
	e := expander{p: p}
	e.push(tokens, nil)
	var out []token
	e.run(func(t *token) { out = append(out, *t) })
	return out
}

func (p *preprocessor) mayExpand(tokens []token) bool {
	for i := range tokens {
		if tokens[i].kind == identifier && (p.inCondition || p.macros[tokens[i].text] != nil) {
			return true
		}
	}
	return false
}

// substitute returns the body with arguments in the place of parameters. Tokens of the body
// get the place of use. The first token has a space before it if blank is set.
func (m *macro) substitute(p *preprocessor, body []token, args *arguments, use token, blank bool) []token {
	out := make([]token, 0, len(body))
	left := 0 // where the operand that a ## would join begins in out
	for i := 0; i < len(body); i++ {
		joins := i > 0 && i < len(body)-1 && body[i].is("##")
		if joins {
			i++
		}
		t := body[i]
		joined := joins || i+2 < len(body) && body[i+1].is("##")
		var operand []token
		switch {
		case t.is("#") && m.function && i+1 < len(body) && body[i+1].param != notParam:
			i++
			operand = []token{stringify(args.unexpanded(int(body[i].param)), use)}
			operand[0].space = t.space
		case t.text == "__VA_OPT__" && m.variadic && i+1 < len(body) && body[i+1].is("("):
			inside := bracketed(body[i+1:])
			i += 1 + len(inside) + 1
			if len(args.get(len(m.params)-1)) > 0 {
				operand = m.substitute(p, inside, args, use, t.space)
			}
		case t.param != notParam:
			operand = args.get(int(t.param))
			comma := joins && m.variadic && int(t.param) == len(m.params)-1 && i >= 2 && body[i-2].is(",")
			if comma {
				// GNU: ", ## __VA_ARGS__" drops the comma where there are no arguments.
				joins = false
				if len(operand) == 0 && len(out) > left {
					out = out[:len(out)-1]
				}
			} else if joined {
				operand = args.unexpanded(int(t.param))
			}
			if !p.spend(len(operand)) {
				return out
			}
		default:
			t.start, t.end, t.from, t.macro = use.start, use.end, use.from, use.macro
			operand = []token{t}
		}
		if joins && len(out) > left && len(operand) > 0 {
			out = append(paste(out, operand[0], use), operand[1:]...)
			continue
		}
		if !joins {
			left = len(out)
		}
		first := len(out)
		out = append(out, operand...)
		if len(out) > first {
			out[first].space = t.space
		}
	}
	if len(out) > 0 {
		out[0].space = blank
	}
	return out
}

// bracketed returns what stands between the bracket that tokens begin with and its partner.
func bracketed(tokens []token) []token {
	depth := 0
	for i := range tokens {
		switch {
		case tokens[i].is("("):
			depth++
		case tokens[i].is(")"):
			if depth--; depth == 0 {
				return tokens[1:i]
			}
		}
	}
	return tokens[1:]
}

// paste joins the last token of out with t. What makes no token stays two, side by side.
func paste(out []token, t token, use token) []token {
	last := &out[len(out)-1]
	s := newScanner(last.text + t.text)
	k := s.scan()
	if s.pos != len(s.text) || k == comment {
		t.space = false
		return append(out, t)
	}
	use.kind, use.text, use.space, use.param = k, s.text, last.space, notParam
	*last = use
	return out
}

// stringify makes the string literal that spells the tokens.
func stringify(tokens []token, use token) token {
	var b strings.Builder
	b.WriteByte('"')
	for i := range tokens {
		t := &tokens[i]
		if t.space && i > 0 {
			b.WriteByte(' ')
		}
		for j := 0; j < len(t.text); j++ {
			if c := t.text[j]; t.kind == literal && (c == '"' || c == '\\') {
				b.WriteByte('\\')
			}
			b.WriteByte(t.text[j])
		}
	}
	b.WriteByte('"')
	use.kind, use.text, use.param = literal, b.String(), notParam
	return use
}
