// libstdc++'s header spells an attribute __noinline__, which is a macro of CUDA's where clang does not
// know it as a word.
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
