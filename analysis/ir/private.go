package ir

// This file knows which memory only its own thread can touch.

// Escaped are the objects whose address is not used at once, by a load or a store.
func Escaped(list []Stmt) map[*Object]bool {
	out := map[*Object]bool{}
	WalkStmts(list, func(s Stmt) bool {
		at, _ := Root(Address(s))
		WalkExprs(s, func(e Expr) {
			if o, ok := e.(*ObjAddr); ok && o != at {
				out[o.Obj] = true
			}
		})
		return true
	})
	return out
}

// Private is the object of a thread's own that a load or a store is to, given which escape; nil if there is none, or nobody
// knows.
func Private(s Stmt, escaped map[*Object]bool) *Object {
	if o, ok := Root(Address(s)); ok && o.Obj.Space == Local && !escaped[o.Obj] {
		return o.Obj
	}
	return nil
}

// Address is where a load or a store accesses memory, nil for other statements.
func Address(s Stmt) Expr {
	switch s := s.(type) {
	case *Load:
		return s.Ptr
	case *Store:
		return s.Ptr
	}
	return nil
}
