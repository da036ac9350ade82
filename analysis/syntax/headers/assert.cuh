// What assert means from here on: the analysis knows it as a function, which says nothing if NDEBUG is defined.
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#endif
