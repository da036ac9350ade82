package causality_test

import (
	"fmt"
	"testing"
)

// Two warps of a block write the same words, a lane's own each, with no barrier between: that is one value or not.
// What the first one has written is looked at when the second one comes.
func TestSameValue(t *testing.T) {
	const kernel = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b64 %%p, %%at, %%big; .reg .b32 %%t, %%lane, %%warp, %%v, %%s; .reg .pred %%q;
.shared .align 8 .b8 m[8192];
ld.param.u64 %%p, [p]; mov.u32 %%t, %%tid.x; and.b32 %%lane, %%t, 31; shr.u32 %%warp, %%t, 5;
mul.lo.u32 %%s, %%lane, %[1]d; cvt.u64.u32 %%at, %%s; add.u64 %%p, %%p, %%at; mov.u32 %%v, m; add.u32 %%s, %%s, %%v;
add.u32 %%v, %%lane, 3; mad.lo.u32 %%v, %%warp, %[2]d, %%v; cvt.u64.u32 %%big, %%v;
setp.ne.u32 %%q, %%warp, 0;
@%%q bra SECOND;
%[3]s
SECOND:
@!%%q bra END;
%[4]s
%[3]s
END:
ret;
}`
	for _, s := range []struct{ name, store, between string }{
		{"global", "st.global.u32 [%p], %v;", ""},
		{"shared", "st.shared.u32 [%s], %v;", ""},
		{"volatile", "st.volatile.global.u32 [%p], %v;", ""},
		{"wide", "st.global.u64 [%p], %big;", ""},
		{"two", "st.global.v2.u32 [%p], {%v, %lane};", ""},
		{"half", "st.global.u16 [%p], %v;", ""},
		{"halves", "st.global.u16 [%p], %v; st.global.u16 [%p+2], %v;", ""},
		{"halves and words", "st.global.u16 [%p], %v; st.global.u32 [%p+4], %v;", ""},
		{"atomic", "st.global.u32 [%p], %v;", "atom.global.exch.b32 %lane, [%p], 99;"},
	} {
		for _, distance := range []int{8, 72, 136} {
			for _, same := range []bool{true, false} {
				differs := 1
				if same {
					differs = 0
				}
				t.Run(fmt.Sprintf("%s/%d/%v", s.name, distance, same), func(t *testing.T) {
					found := false
					for seed := range uint64(8) { // either warp may be the first
						for _, r := range races(t, fmt.Sprintf(kernel, distance, differs, s.store, s.between), "k", 1, 64, seed) {
							if r.First.Access != r.Second.Access {
								continue
							}
							if found = true; r.SameValue != same {
								t.Errorf("same value: %v, want %v", r.SameValue, same)
							}
						}
					}
					if !found {
						t.Error("no race")
					}
				})
			}
		}
	}
}

// Lanes of one instruction write the same words, eight words by four lanes each: that is one value or not, whatever the
// words held before.
func TestSameValueOfLanes(t *testing.T) {
	const kernel = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b64 %%p, %%at; .reg .b32 %%t, %%word, %%v, %%s;
.shared .align 16 .b8 m[8192];
ld.param.u64 %%p, [p]; mov.u32 %%t, %%tid.x; and.b32 %%word, %%t, 7; shr.u32 %%v, %%t, 3;
mad.lo.u32 %%v, %%v, %[2]d, %%word; add.u32 %%v, %%v, 5;
mul.lo.u32 %%word, %%word, 5; and.b32 %%word, %%word, 7; mul.lo.u32 %%s, %%word, %[1]d;
cvt.u64.u32 %%at, %%s; add.u64 %%p, %%p, %%at; mov.u32 %%t, m; add.u32 %%s, %%s, %%t;
%[3]s
ret;
}`
	for _, s := range []struct{ name, store string }{
		{"global", "st.global.u32 [%p], %v;"},
		{"shared", "st.shared.u32 [%s], %v;"},
		{"volatile", "st.volatile.global.u32 [%p], %v;"},
		{"wide", "st.global.v4.u32 [%p], {%v, %word, %word, %v};"},
		{"half", "st.global.u16 [%p], %v;"},
	} {
		for _, distance := range []int{16, 64, 144} {
			for differs := range 2 {
				t.Run(fmt.Sprintf("%s/%d/%v", s.name, distance, differs == 0), func(t *testing.T) {
					all := races(t, fmt.Sprintf(kernel, distance, differs, s.store), "k", 1, 32, 1)
					if len(all) == 0 {
						t.Error("no race")
					}
					for _, r := range all {
						if r.SameValue != (differs == 0) {
							t.Errorf("same value: %v", r.SameValue)
						}
					}
				})
			}
		}
	}
}
