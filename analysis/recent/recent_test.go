package recent

import "testing"

func TestMap(t *testing.T) {
	m := New[int, string](8)
	for i := range 100 {
		m.Put(i, "new")
		if v, ok := m.Get(0); !ok || v != "new" {
			t.Fatalf("what is used all the time is gone after %d others", i)
		}
		if _, ok := m.Get(max(i-2, 0)); !ok {
			t.Fatalf("what was used three entries ago is gone after %d others", i)
		}
		if m.Len() > 8 {
			t.Fatalf("%d entries, want 8 at most", m.Len())
		}
	}
	if _, ok := m.Get(50); ok {
		t.Error("what is not used stays")
	}
	m.Put(0, "newer")
	if v, _ := m.Get(0); v != "newer" {
		t.Errorf("an entry that was set again is %q", v)
	}
}
