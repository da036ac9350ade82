package syntax

// This file decides what the grammar gets to see of a piece. Some of CUDA C++ the grammar
// takes for something else or for an error. It gets to see text of the same length that it
// reads the right way; undisguise then gives the nodes their true kinds, and they slice the
// unit's own text. In the tree,
//
//   - typeid(…) is a typeid_expression, built like a sizeof_expression;
//   - "T *... p" is a pointer_declarator of a variadic_declarator;
//   - the type of "new const T *[n]" reaches over the stars, and const is no node;
//   - the parameter of "T * = 0" has the blank behind the star for its name;
//   - "sizeof(T)-4" is a difference, where the grammar sees the size of a cast;
//   - "(t = a, b)" holds an assignment, where the grammar sees an operation;
//   - "__device__ friend" is "friend __device__";
//   - an execution space on a lambda, the typename of "f(typename A<T>::type{})", the third argument of __launch_bounds__, the extern of
//     an extern template, the star of "template <class T, E<T> * = nullptr>", and words that can only be macros out of a header that was not
//     found (three names in a row, a name before "int", one about unrolling before a loop) have no nodes.
//
// What stays wrong: "(a::b) - 1" is a cast, and "a * b;" and "a[i](x);" are declarations; a
// pointer to member ("->*"), GNU's "case 1 ... 3", "goto *p" and modules are errors.
//
// Where only a symbol table could tell two readings apart, the piece itself is searched for
// how its names are used. So "i < n >> 1", "i < n && j > (m)", "a < (n) && b" and
// "(T)-1" are what they mean, and "dim3 grid(n, m)" is a variable if n or m is one.

import "strings"

const (
	// maxNames is how many names in a row may be macros; more are prose.
	maxNames = 8
	// maxArguments bounds the tokens between the angle brackets of a template's arguments.
	maxArguments = 300
	// maxSequence bounds the tokens of an assignment in front of a comma, and of the head of a statement.
	maxSequence = 100
)

// lexeme is one token of a piece.
type lexeme struct {
	kind       kind
	start, end int
	text       string
}

// plain reports whether the token is a name and no keyword.
func (l *lexeme) plain() bool { return l.kind == identifier && !keywords[l.text] }

// disguise returns what the grammar is to see instead of a piece's text.
func disguise(text string) string {
	d := disguiser{text: text, values: map[string]bool{}, types: map[string]bool{}, classes: map[string]bool{}}
	for s := newScanner(text); ; {
		k := s.scan()
		if k == endOfText {
			break
		}
		if k >= identifier {
			d.tokens = append(d.tokens, lexeme{k, s.start, s.pos, s.last()})
		}
	}
	for i := range d.tokens {
		d.learn(i)
	}
	for i := range d.tokens {
		d.look(i)
	}
	if d.shown == nil {
		return text
	}
	return string(d.shown)
}

type disguiser struct {
	text   string
	shown  []byte // nil while nothing was changed
	tokens []lexeme

	values  map[string]bool // names that are used like variables
	types   map[string]bool // names that are used like types
	classes map[string]bool // names of classes that are defined here
	typedef bool            // the token learned from stands in a typedef
	angles  int             // up to this token, all is template parameters or arguments
}

// at returns the text of a token, or "".
func (d *disguiser) at(i int) string {
	if i < 0 || i >= len(d.tokens) {
		return ""
	}
	return d.tokens[i].text
}

// name reports whether a token is a name and no keyword.
func (d *disguiser) name(i int) bool { return i >= 0 && i < len(d.tokens) && d.tokens[i].plain() }

// show puts other text in the place of tokens i to j, with blanks behind it.
func (d *disguiser) show(i, j int, as string) {
	if d.shown == nil {
		d.shown = []byte(d.text)
	}
	start, end := d.tokens[i].start, d.tokens[j].end
	copy(d.shown[start:end], as+strings.Repeat(" ", end-start-len(as)))
}

// showNumber shows a name as a number, which no grammar takes for a type or a template.
func (d *disguiser) showNumber(i int) {
	d.show(i, i, strings.Repeat("1", d.tokens[i].end-d.tokens[i].start))
}

// learn notes what the use of a name at token i says about it.
func (d *disguiser) learn(i int) {
	t := &d.tokens[i]
	before := d.at(i - 1)
	switch t.text {
	case "typedef":
		d.typedef = true
	case ";":
		if d.typedef && d.name(i-1) {
			d.types[before] = true
		}
		d.typedef = false
	}
	if !t.plain() || before == "::" || before == "." || before == "->" {
		return
	}
	if before == "typename" || before == "using" || classKeywords[before] {
		d.types[t.text] = true
		d.classes[t.text] = d.classes[t.text] || classKeywords[before]
		return
	}
	switch d.at(i + 1) {
	case "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", "+", "-", "/", "%", "|", "^",
		"[", "]", ".", "->", ";", "==", "!=", "<=", ">=", "?", "||":
		d.values[t.text] = true
	case ",", ")":
		if typeWords[before] || before == "*" || before == "&" || before == "const" || d.name(i-1) {
			d.values[t.text] = true
		}
	}
}

// isValue reports whether a name is known to be a variable.
func (d *disguiser) isValue(name string) bool { return d.values[name] && !d.types[name] }

// isType reports whether a name is known to be a type.
func (d *disguiser) isType(name string) bool {
	return d.types[name] || strings.HasSuffix(name, "_t") && !d.values[name]
}

// look hides what the grammar would get wrong about the token i and those behind it.
func (d *disguiser) look(i int) {
	switch d.tokens[i].text {
	case "typeid":
		d.show(i, i, "sizeof")
	case "sizeof":
		d.sizeAndNumber(i)
	case "typename":
		d.temporary(i)
	case "extern":
		if i == 0 && d.at(1) == "template" {
			d.show(0, 0, "")
		}
	case "friend":
		d.friend(i)
	case "operator":
		d.conversionFunction(i)
	case "]":
		d.lambda(i)
	case "new":
		d.newArray(i)
	case "__launch_bounds__":
		d.launchBounds(i)
	case "<":
		d.less(i)
	case "*":
		// The grammar has no room for the star of a parameter without a name.
		if d.at(i+1) == "=" {
			if i < d.angles {
				d.show(i, i, "")
			} else if typeBefore := d.at(i - 1); (d.name(i-1) || typeBefore == ">" || typeWords[typeBefore]) && d.tokens[i].end < d.tokens[i+1].start && d.text[d.tokens[i].end] == ' ' {
				d.nameless(i)
			}
		}
		// Nor for a pack of pointers, "T *... p", where it has for one of references.
		if d.at(i+1) == "..." && d.name(i+2) {
			d.show(i, i, "&")
		}
	case "&&":
		// "(n) && b" is no cast of "&&b".
		if d.at(i-1) == ")" && d.name(i-2) && d.at(i-3) == "(" && !d.name(i-4) && d.at(i-4) != ")" && d.at(i-4) != "]" {
			d.showNumber(i - 2)
		}
	case "unsigned", "signed", "long", "short":
		d.conversion(i)
	case "(":
		d.initializer(i)
		d.cast(i)
		d.called(i)
		d.sequence(i)
	default:
		if d.name(i) && !d.name(i-1) {
			d.names(i)
		}
	}
}

// names looks at the names in a row that begin with token i, and hides those that no
// declaration has room for. Of several types, the one that is not in capitals is real.
func (d *disguiser) names(i int) {
	var row []int
	for j := i; d.name(j); j++ {
		switch d.at(j) {
		case "final", "override", "import", "module":
			return // keywords in some places
		}
		row = append(row, j)
	}
	before, after := d.at(i-1), d.at(i+len(row))
	room := 2 // a type and what is declared
	switch {
	case typeWords[after]:
		room = 0
	case (after == "for" || after == "while" || after == "do") && strings.Contains(strings.ToUpper(d.at(i+len(row)-1)), "UNROLL"):
		room = 0 // a macro that is a pragma
	case classKeywords[before] && after == "{", typeWords[before] && !classKeywords[before]:
		room = 1
	case len(row) == 1 && inCapitals(d.at(i)) && (specifiers[after] || after == "~" && before != "=" && before != "(" && before != ","):
		room = 0 // what declares comes behind it
	case len(row) == 2 && after == "(" && inCapitals(d.at(i)) && d.classes[d.at(i+1)]:
		room = 1 // a constructor
	}
	types := len(row) - min(room, 1) // the last is what is declared
	for len(row) > room && len(row) <= maxNames {
		hide := 0
		for j := range types {
			if inCapitals(d.at(row[j])) {
				hide = j
				break
			}
		}
		d.show(row[hide], row[hide], "")
		row = append(row[:hide:hide], row[hide+1:]...)
		types--
	}
}

// inCapitals reports whether a name looks like that of a macro.
func inCapitals(name string) bool { return len(name) > 1 && strings.ToUpper(name) == name }

// specifiers are words that declarations begin with, and that no declaration has behind the name of its type.
var specifiers = map[string]bool{"explicit": true, "virtual": true, "static": true, "inline": true, "constexpr": true, "friend": true}

// friend puts the word in front of the execution spaces that the grammar wants behind it.
func (d *disguiser) friend(i int) {
	first, words := i, "friend"
	for executionSpaces[d.at(first-1)] || d.at(first-1) == "inline" {
		first--
	}
	for j := first; j < i; j++ {
		words += " " + d.at(j)
	}
	if first < i {
		d.show(first, i, words)
	}
}

// conversionFunction hides all but one of the words in front of "inline __device__ operator T() {": of several, the grammar
// takes the last for a type.
func (d *disguiser) conversionFunction(i int) {
	if !d.name(i+1) && d.at(i+1) != "const" {
		return
	}
	first, kept := i, i-1
	for j := i - 1; executionSpaces[d.at(j)] || d.at(j) == "inline" || d.at(j) == "constexpr"; j-- {
		if first = j; d.at(j) == "__device__" {
			kept = j
		}
	}
	for j := first; j < i; j++ {
		if j != kept {
			d.show(j, j, "")
		}
	}
}

// temporary hides the typename of "typename A<T>::type{…}" and "typename A<T>::type(…)" among arguments.
func (d *disguiser) temporary(i int) {
	switch d.at(i - 1) {
	case "(", ",", "return", "=", "{":
	default:
		return
	}
	j := i + 1
	for j < len(d.tokens) {
		switch {
		case d.tokens[j].kind == identifier || d.at(j) == "::":
			j++
			continue
		case d.at(j) == "<":
			end, _, _ := d.closing(j)
			if end < 0 {
				return
			}
			j = end + 1
			continue
		}
		break
	}
	if after := d.at(j); after == "{" || after == "(" && d.at(j+1) != "*" && d.at(j+1) != "&" && j+1 < len(d.tokens) {
		d.show(i, i, "")
	}
}

// nameless gives the parameter "T * = 0" a name, in the blank behind its star.
func (d *disguiser) nameless(i int) {
	d.show(i, i, "*")
	d.shown[d.tokens[i].end] = '_'
}

// lambda hides the execution spaces of "[…] __device__ (…) {".
func (d *disguiser) lambda(i int) {
	j := i + 1
	for executionSpaces[d.at(j)] {
		j++
	}
	switch d.at(j) {
	case "(", "{", "mutable", "->", "noexcept":
		if j > i+1 {
			d.show(i+1, j-1, "")
		}
	}
}

// newArray hides const and the stars of "new const T *[".
func (d *disguiser) newArray(i int) {
	for i++; d.at(i) == "const" || d.at(i) == "volatile"; i++ {
		d.show(i, i, "")
	}
	for i < len(d.tokens) && (d.tokens[i].kind == identifier || d.at(i) == "::") {
		i++
	}
	stars := i
	for d.at(i) == "*" {
		i++
	}
	if i > stars && d.at(i) == "[" {
		d.show(stars, i-1, "")
	}
}

// launchBounds hides the third argument of __launch_bounds__(…).
func (d *disguiser) launchBounds(i int) {
	depth, commas, cut := 0, 0, 0
	for i++; i < len(d.tokens); i++ {
		switch d.at(i) {
		case "(":
			depth++
		case ")":
			if depth--; depth <= 0 {
				if commas > 1 {
					d.show(cut, i-1, "")
				}
				return
			}
		case ",":
			if commas++; depth == 1 && commas == 2 {
				cut = i
			}
		}
	}
}

// less decides whether the "<" at token i opens template arguments. Where it does not, but
// could, the grammar gets to see ">", which binds the same and opens nothing.
func (d *disguiser) less(i int) {
	if i < d.angles || i == 0 || d.tokens[i-1].kind != identifier {
		return
	}
	before := d.at(i - 2)
	member, qualified := before == "." || before == "->", before == "::"
	if d.name(i-1) && !member && !qualified && d.isValue(d.at(i-1)) {
		d.show(i, i, ">")
		return
	}
	end, shift, logical := d.closing(i)
	after := d.at(end + 1)
	switch {
	case shift:
		d.show(i, i, ">")
	case end < 0:
	case !d.name(i - 1): // "template <", "static_cast <"
		d.angles = end
	case member && after != "(", logical && !qualified && (after == "(" || after == "-" || after == "*" || after == "&" || after == "+"):
		d.show(i, i, ">")
	default:
		d.angles = end
	}
}

// closing finds the bracket that closes the "<" at token i, or returns -1. shift says that
// there is a ">>" instead, of which only half could be that bracket; logical, that "&&" or
// "||" stands between.
func (d *disguiser) closing(i int) (end int, shift, logical bool) {
	depth, angles := 0, 0
	for j := i; j < len(d.tokens) && j < i+maxArguments; j++ {
		text := d.at(j)
		switch text {
		case "(", "[":
			depth++
		case ")", "]":
			if depth--; depth < 0 {
				return -1, false, false
			}
		case ";", "{", "}":
			return -1, false, false
		}
		if depth > 0 {
			continue
		}
		switch text {
		case "&&", "||":
			logical = true
		case "<":
			if j == i || d.tokens[j-1].kind == identifier && !d.isValue(d.at(j-1)) {
				angles++
			}
		case ">", ">>", ">>>":
			if angles < len(text) {
				return -1, angles == 1 && text == ">>", false
			}
			if angles -= len(text); angles == 0 {
				return j, false, logical
			}
		}
	}
	return -1, false, false
}

// initializer shows variables in "T x(a, b)" as numbers, so that they are no parameters.
func (d *disguiser) initializer(i int) {
	if !d.name(i-1) || !(d.name(i-2) || d.at(i-2) == ">" || typeWords[d.at(i-2)]) {
		return
	}
	for j := i + 1; d.name(j) && (d.at(j+1) == "," || d.at(j+1) == ")"); j += 2 {
		if d.isValue(d.at(j)) {
			d.showNumber(j)
		}
	}
}

// cast shows the sign of "(T)-x" as one that can't stand between two operands.
func (d *disguiser) cast(i int) {
	if !d.name(i+1) || d.at(i+2) != ")" || !d.isType(d.at(i+1)) || d.name(i-1) || d.at(i-1) == ")" || d.at(i-1) == "]" {
		return
	}
	switch d.at(i - 1) {
	case "sizeof", "alignof", "decltype", "typeid", "operator":
		return
	}
	switch d.at(i + 3) {
	case "-", "+", "*", "&":
		d.show(i+3, i+3, "~")
	}
}

// sizeAndNumber shows the number of "sizeof(T)-4" as a name: the grammar has signs in numbers, and would take the size of the cast "(T)-4".
func (d *disguiser) sizeAndNumber(i int) {
	if d.at(i+1) != "(" {
		return
	}
	depth := 0
	for j := i + 1; j < min(i+maxSequence, len(d.tokens)-2); j++ {
		switch d.at(j) {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth > 0 {
			continue
		}
		if sign := d.at(j + 1); (sign == "-" || sign == "+") && d.tokens[j+2].kind == number {
			d.show(j+2, j+2, strings.Repeat("a", d.tokens[j+2].end-d.tokens[j+2].start))
		}
		return
	}
}

// called shows the argument of "(f(a & b)) & c" as a number, since the grammar takes that for a cast to a function type, which
// no cast has.
func (d *disguiser) called(i int) {
	if !d.name(i+1) || d.name(i-1) || d.at(i-1) == ")" || d.at(i-1) == "]" || d.at(i-1) == ">" {
		return
	}
	open, argument := 0, i // the brackets, and the last name
	for j := i; ; j++ {
		if text := d.at(j); text == "(" {
			open++
			continue
		} else if text == "<" && d.name(j-1) {
			end, _, _ := d.closing(j)
			if end < 0 {
				return
			}
			j = end
		} else if d.name(j) {
			argument = j
		} else if text != "::" {
			break
		}
	}
	if open < 2 || d.at(argument-1) != "(" {
		return
	}
	end := argument + 1
	if next := d.at(end); next == "&" || next == "*" || next == "&&" {
		for end++; d.name(end) || d.at(end) == "::"; end++ {
		}
	}
	for ; open > 0; open, end = open-1, end+1 {
		if d.at(end) != ")" {
			return
		}
	}
	switch d.at(end) {
	case "&", "&&", "*", "+", "-":
		d.showNumber(argument)
	}
}

// sequence shows the assignment that begins "(t = a, b)" as an operation, since the grammar expects a fold expression
// there. What is assigned must bind more tightly than that.
func (d *disguiser) sequence(i int) {
	if before := d.at(i - 1); d.name(i-1) || before == ")" && !d.afterHead(i-1) || before == "]" || before == ">" || keywords[before] && before != "return" && before != "else" && before != "do" {
		return
	}
	depth, assigned := 0, 0
	for j := i + 1; j < min(i+maxSequence, len(d.tokens)); j++ {
		text := d.at(j)
		switch text {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case ";", "{", "}":
			return
		}
		switch as := sequenceOperators[text]; {
		case depth < 0:
			return
		case depth > 0:
		case text == "," && assigned > 0:
			d.show(assigned, assigned, sequenceOperators[d.at(assigned)])
			return
		case text == "," || as != "" && assigned > 0 || text == "?" || text == "|" || text == "||" || text == "&&":
			return
		case as != "":
			assigned = j
		}
	}
}

// afterHead reports whether a bracket ends the head of a statement, as of an if.
func (d *disguiser) afterHead(end int) bool {
	depth := 0
	for j := end; j > max(end-maxSequence, 0); j-- {
		switch d.at(j) {
		case ")":
			depth++
		case "(":
			if depth--; depth == 0 {
				switch d.at(j - 1) {
				case "if", "while", "for", "switch", "constexpr":
					return true
				}
				return false
			}
		}
	}
	return false
}

// sequenceOperators are what the assignments in front of a comma are shown as.
var sequenceOperators = map[string]string{"=": "|", "+=": "||", "-=": "||", "*=": "||", "/=": "||", "%=": "||", "&=": "||", "|=": "||", "^=": "||"}

// conversion shows the type of "(unsigned(x) * n)" as one that the grammar takes for a function there.
func (d *disguiser) conversion(i int) {
	if d.at(i+1) != "(" || d.at(i+2) == "*" || d.at(i+2) == "&" || d.at(i+2) == ")" {
		return
	}
	switch d.at(i - 1) {
	case "(", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "!", "~", "?", ":", "=", "return":
		d.show(i, i, oneWordTypes[len(d.at(i))])
	}
}

// oneWordTypes are types that the grammar knows by one word, by the length of that.
var oneWordTypes = map[int]string{4: "char", 5: "float", 6: "size_t", 8: "uint32_t"}

// undisguise gives a node back what disguise hid from the grammar, and takes from it what can be no name.
func (n *Node) undisguise(text string, base int) {
	if n.Start == n.End || n.End-base > len(text) {
		return // missing, or made up to parse the head of a block
	}
	switch n.Kind {
	case "identifier", "type_identifier":
		if statementWords[text[n.Start-base:n.End-base]] {
			n.Kind, n.HasError = "ERROR", true
		}
		if class[text[n.Start-base]] == digit {
			n.Kind = "number_literal"
		}
	case ">":
		if text[n.Start-base] == '<' && n.End == n.Start+1 {
			n.Kind = "<"
		}
	case "number_literal":
		if class[text[n.Start-base]] == letter {
			n.Kind = "identifier"
		}
	case "reference_declarator":
		if text[n.Start-base] == '*' && len(n.Children) == 2 {
			n.Kind, n.Children[0].Kind, n.Children[1].Field = "pointer_declarator", "*", "declarator"
		}
	case "unary_expression":
		n.undisguiseSign(text, base)
	case "binary_expression":
		if sign := n.Child("operator"); sign != nil && sequenceOperators[text[sign.Start-base:sign.End-base]] == sign.Kind {
			n.Kind, sign.Kind = "assignment_expression", text[sign.Start-base:sign.End-base]
		}
	case "sizeof_expression":
		if strings.HasPrefix(text[n.Start-base:], "typeid") {
			n.Kind, n.Children[0].Kind = "typeid_expression", "typeid"
		}
	case "new_expression":
		t, d := n.Child("type"), n.Child("declarator")
		if t != nil && d != nil {
			t.End = max(t.End, base+strings.LastIndexByte(text[:d.Start-base], '*')+1)
		}
	}
}

func (n *Node) undisguiseSign(text string, base int) {
	sign := n.Child("operator")
	if sign == nil || sign.Kind != "~" || sign.Start == sign.End || text[sign.Start-base] == '~' {
		return
	}
	sign.Kind = text[sign.Start-base : sign.End-base]
	if sign.Kind == "*" || sign.Kind == "&" {
		n.Kind = "pointer_expression"
	}
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

var (
	classKeywords   = wordSet("class struct union enum")
	executionSpaces = wordSet("__device__ __host__ __forceinline__ __noinline__")
	// statementWords begin statements. The grammar takes them for names where it expects one, so that "i return;", half typed, is a declaration.
	statementWords = wordSet("break case continue default do else for goto if return switch while")
	// typeWords begin or are a type, and never follow a type's name.
	typeWords = wordSet("void bool char short int long float double signed unsigned wchar_t class struct union enum")
	keywords  = wordSet(`alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
		char32_t class compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield
		decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if
		inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
		register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch
		template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile
		wchar_t while xor xor_eq __attribute__ __attribute __declspec __restrict__ __restrict restrict _Alignas _Atomic
		__global__ __device__ __host__ __shared__ __constant__ __managed__ __grid_constant__ __local__ __forceinline__ __noinline__
		__launch_bounds__ __asm__ __asm`)
)
