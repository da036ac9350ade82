package rule

import (
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
)

// This file gives operations a wider scope.

// Widen gives device scope to what has block scope, at each statement: a call whose name says so
// (`atomicAdd_block`), a scope that is an argument (`__NV_THREAD_SCOPE_BLOCK`), and an object of
// libcu++ whose type says so (`cuda::atomic_ref<int, cuda::thread_scope_block>`). It returns nil if
// one of them is not there to be replaced, as in a macro.
func (c *Case) Widen(stmts []ir.Stmt) []race.Edit {
	var edits []race.Edit
	for _, s := range stmts {
		site, ok := ir.SiteOf(s)
		if !ok {
			continue
		}
		wider := c.widened(c.Func.Sites[site])
		if len(wider) == 0 {
			return nil
		}
		for _, edit := range wider {
			if !slices.Contains(edits, edit) {
				edits = append(edits, edit)
			}
		}
	}
	return edits
}

// widened are the edits that give one operation device scope.
func (c *Case) widened(site ir.Site) []race.Edit {
	f, ok := c.Files.File(site.Span.File)
	if !ok || !site.Macro.IsZero() {
		return nil
	}
	name := ""
	if site.Name.File == f.Path {
		name = f.Slice(site.Name)
	}
	if wide := strings.TrimSuffix(name, "_block"); wide != name && (strings.HasPrefix(name, "atomic") || name == "__threadfence_block") {
		return []race.Edit{{Span: site.Name, Text: wide}}
	}
	s := scopes{f, syntax.WrittenIn(f)}
	nodes := s.text.Around(site.Span)
	var edits []race.Edit
	var object *syntax.Node
	for _, n := range nodes {
		switch n.Kind {
		case "call_expression":
			for _, arg := range expressions(n.Child("arguments")) {
				if !slices.ContainsFunc(slices.Collect(arg.All()), func(n *syntax.Node) bool { return n.Kind == "call_expression" }) {
					edits = append(edits, s.in(arg)...)
				}
			}
			object = n.Child("function").Child("argument")
		case "update_expression":
			object = n.Child("argument")
		case "assignment_expression":
			object = n.Child("left")
		default:
			continue
		}
		break
	}
	if edits = append(edits, s.in(object)...); len(edits) > 0 {
		return edits
	}
	return s.ofType(s.declaration(nodes, s.named(unwrapped(object)), site.Span.Start))
}

// scopes finds the names of the scope of a block in a file.
type scopes struct {
	f    *source.File
	text *syntax.Written
}

func (s scopes) slice(n *syntax.Node) string { return s.f.Text[n.Start:n.End] }

// in are the edits that widen the scopes which a node names.
func (s scopes) in(node *syntax.Node) (edits []race.Edit) {
	for n := range node.All() {
		if len(n.Children) > 0 {
			continue
		}
		wide := map[string]string{"thread_scope_block": "thread_scope_device", "__NV_THREAD_SCOPE_BLOCK": "__NV_THREAD_SCOPE_DEVICE"}[s.slice(n)]
		if wide != "" {
			edits = append(edits, race.Edit{Span: source.Span{File: s.f.Path, Start: n.Start, End: n.End}, Text: wide})
		}
	}
	return edits
}

// named is the name of the variable or the member that an object is, an element of, or what it points to.
func (s scopes) named(object *syntax.Node) string {
	for object != nil {
		switch object.Kind {
		case "identifier":
			return s.slice(object)
		case "field_expression":
			object = object.Child("field")
			if object != nil {
				return s.slice(object)
			}
		default:
			object = unwrapped(object.Child("argument"))
		}
	}
	return ""
}

// declaration is that of a name which stands last before a place, in what is around it or else in the file.
func (s scopes) declaration(around []*syntax.Node, name string, before int) (last *syntax.Node) {
	if name == "" {
		return nil
	}
	look := func(in *syntax.Node) {
		for n := range in.All() {
			if strings.HasSuffix(n.Kind, "declaration") && n.Start < before && s.declares(n, name) {
				last = n
			}
		}
	}
	for _, n := range around {
		if look(n); last != nil {
			return last
		}
	}
	for n := range s.text.All() {
		look(n)
	}
	return last
}

// declares reports whether a declaration declares a name, rather than holds one that does.
func (s scopes) declares(n *syntax.Node, name string) bool {
	if n.Child("type") == nil {
		return false
	}
	for _, d := range n.Children {
		for d.Field == "declarator" {
			if len(d.Children) == 0 {
				if s.slice(d) == name {
					return true
				}
				break
			}
			i := slices.IndexFunc(d.Children, func(n *syntax.Node) bool { return n.Named })
			if inner := d.Child("declarator"); inner != nil {
				d = inner
			} else if i >= 0 && strings.HasSuffix(d.Kind, "reference_declarator") {
				d = &syntax.Node{Kind: d.Children[i].Kind, Field: "declarator", Start: d.Children[i].Start, End: d.Children[i].End}
			} else {
				break
			}
		}
	}
	return false
}

// ofType are the edits that widen the scope in the type of a declaration: where an alias names it, or wherever a type that is pointed to is named.
func (s scopes) ofType(declared *syntax.Node) (edits []race.Edit) {
	if declared == nil {
		return nil
	}
	t := declared.Child("type")
	if edits = s.in(t); t.Kind == "placeholder_type_specifier" || s.slice(t) == "auto" {
		return s.in(declared)
	}
	if t.Kind == "template_type" && len(edits) == 0 {
		t = t.Child("name") // of an alias
	}
	pointer := slices.ContainsFunc(declared.Children, func(n *syntax.Node) bool {
		return strings.HasPrefix(n.Kind, "pointer_") || strings.HasPrefix(n.Kind, "reference_")
	})
	if len(edits) > 0 && !pointer {
		return edits
	}
	for top := range s.text.All() {
		for n := range top.All() {
			alias := (n.Kind == "alias_declaration" || n.Kind == "type_definition") && (s.isName(n.Child("name"), t) || s.isName(n.Child("declarator"), t))
			if alias || len(edits) > 0 && n.Kind == t.Kind && squeezed(s.slice(n)) == squeezed(s.slice(t)) {
				for _, e := range s.in(n) {
					if !slices.Contains(edits, e) {
						edits = append(edits, e)
					}
				}
			}
		}
	}
	return edits
}

func (s scopes) isName(name, t *syntax.Node) bool { return name != nil && s.slice(name) == s.slice(t) }
