package syntax

// This file decides what the grammar gets to see of a piece. Some of CUDA C++ the grammar
// takes for something else or for an error; it gets to see text of the same length that it
// understands, and the nodes still slice the unit's own text. In the tree,
//
//   - typeid(…) is a typeid_expression, built like a sizeof_expression;
//   - the type of "new const T *[n]" reaches over the stars, and const is no node;
//   - an execution space on a lambda, the third argument of __launch_bounds__, the extern of
//     an extern template, and words that can only be macros out of a header that was not
//     found (three names in a row, or a name before "int") have no nodes.

import "strings"

// maxNames is how many names in a row may be macros; more are prose.
const maxNames = 8

// disguise returns what the grammar is to see instead of a piece's text.
func disguise(text string) string {
	d := disguiser{text: text}
	s := newScanner(text)
	for {
		switch k := s.scan(); k {
		case endOfText:
			d.flushNames("")
			if d.shown == nil {
				return text
			}
			return string(d.shown)
		case space, newline, comment:
		default:
			d.token(k, s.start, s.pos)
		}
	}
}

type disguiser struct {
	text  string
	shown []byte // nil while nothing was changed

	last [3]string // the last tokens, the newest first
	// The names in a row that end with the last token.
	names  []piece
	before string // what stands before them

	lambda  []piece // execution spaces behind a closing bracket
	stars   []piece // behind new and a type
	inNew   bool
	bounds  int // parentheses open in __launch_bounds__(
	commas  int // at its top
	cutFrom int // where its third argument starts
}

func (d *disguiser) show(start, end int, as string) {
	if d.shown == nil {
		d.shown = []byte(d.text)
	}
	copy(d.shown[start:end], as+strings.Repeat(" ", end-start-len(as)))
}

func (d *disguiser) blank(places []piece) {
	for _, p := range places {
		d.show(p.start, p.end, "")
	}
}

func (d *disguiser) token(k kind, start, end int) {
	text := d.text[start:end]
	if k == identifier && !keywords[text] {
		if len(d.names) == 0 {
			d.before = d.last[0]
		}
		d.names = append(d.names, piece{start: start, end: end})
	} else {
		d.flushNames(text)
	}
	switch {
	case text == "typeid":
		d.show(start, end, "sizeof")
	case text == "template" && d.last[0] == "extern" && d.last[1] == "":
		d.show(0, len("extern"), "")
	}
	d.followLambda(text, start, end)
	d.followNew(k, text, start, end)
	d.followBounds(text, start)
	d.last[2], d.last[1], d.last[0] = d.last[1], d.last[0], text
}

// flushNames looks at the names in a row that the token next follows, and hides those that no
// declaration has room for. Of several types, the one that is not in capitals is real.
func (d *disguiser) flushNames(next string) {
	names := d.names
	d.names = d.names[:0]
	room := 2 // a type and what is declared
	switch {
	case typeWords[next] && len(names) > 0:
		room = 0
	case classKeywords[d.before] && next == "{":
		room = 1
	case typeWords[d.before] && !classKeywords[d.before]:
		room = 1
	}
	if len(names) <= room || len(names) > maxNames || contextual(d.text, names) {
		return
	}
	last := len(names)
	if room > 0 {
		last--
	}
	for len(names) > room {
		hide := 0
		for i := 0; i < last; i++ {
			if inCapitals(d.text[names[i].start:names[i].end]) {
				hide = i
				break
			}
		}
		d.show(names[hide].start, names[hide].end, "")
		names = append(names[:hide:hide], names[hide+1:]...)
		last--
	}
}

// contextual reports whether a name is a word that is a keyword only in its place.
func contextual(text string, names []piece) bool {
	for _, n := range names {
		switch text[n.start:n.end] {
		case "final", "override", "import", "module", "asm", "__asm__", "__asm":
			return true
		}
	}
	return false
}

func inCapitals(name string) bool {
	return len(name) > 1 && strings.ToUpper(name) == name
}

// followLambda hides the execution spaces of "[…] __device__ (…) {".
func (d *disguiser) followLambda(text string, start, end int) {
	switch text {
	case "__device__", "__host__", "__forceinline__", "__noinline__":
		if d.last[0] == "]" || len(d.lambda) > 0 {
			d.lambda = append(d.lambda, piece{start: start, end: end})
		}
		return
	case "(", "{", "mutable", "->", "noexcept":
		d.blank(d.lambda)
	}
	d.lambda = d.lambda[:0]
}

// followNew hides the stars of "new T *[".
func (d *disguiser) followNew(k kind, text string, start, end int) {
	switch {
	case text == "new":
		d.inNew = true
	case d.inNew && (text == "const" || text == "volatile"):
		d.show(start, end, "")
	case d.inNew && text == "*":
		d.stars = append(d.stars, piece{start: start, end: end})
	case d.inNew && len(d.stars) == 0 && (k == identifier || text == "::" || text == "<" || text == ">"):
		return
	default:
		if text == "[" {
			d.blank(d.stars)
		}
		d.inNew, d.stars = false, d.stars[:0]
	}
}

// followBounds hides the third argument of __launch_bounds__(…).
func (d *disguiser) followBounds(text string, start int) {
	switch {
	case text == "(" && (d.bounds > 0 || d.last[0] == "__launch_bounds__"):
		if d.bounds == 0 {
			d.commas = 0
		}
		d.bounds++
	case d.bounds == 0:
	case text == "," && d.bounds == 1:
		if d.commas++; d.commas == 2 {
			d.cutFrom = start
		}
	case text == ")":
		if d.bounds--; d.bounds == 0 && d.commas >= 2 {
			d.show(d.cutFrom, start, "")
		}
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
	classKeywords = wordSet("class struct union enum")
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
