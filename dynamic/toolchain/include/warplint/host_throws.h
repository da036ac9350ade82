// What the host's library calls where it throws: an optional's value that is not there, an index beyond an array. Device code
// cannot throw, so a thread that comes there ends the kernel, as one does at libcu++'s classes.
#pragma once
#define WARPLINT_THROWS(name, parameters, message)                                             \
  __attribute__((device, noreturn, nodebug)) inline void name parameters {                     \
    __assertfail(message, __FILE__, __LINE__, #name, 1);                                       \
  }
namespace std {
WARPLINT_THROWS(__throw_bad_optional_access, (), "an optional has the value that is asked for")
WARPLINT_THROWS(__throw_bad_variant_access, (const char *), "a variant holds what is asked for")
WARPLINT_THROWS(__throw_bad_variant_access, (bool), "a variant holds what is asked for")
WARPLINT_THROWS(__throw_out_of_range, (const char *), "an index is within its range")
WARPLINT_THROWS(__throw_length_error, (const char *), "a length is within its bounds")
WARPLINT_THROWS(__throw_logic_error, (const char *), "a function of the library is called as it may be")
WARPLINT_THROWS(__throw_invalid_argument, (const char *), "an argument is one that may be")
WARPLINT_THROWS(__throw_bad_function_call, (), "a function object has a function")
template <class... T>
WARPLINT_THROWS(__throw_out_of_range_fmt, (const char *, T...), "an index is within its range")
}  // namespace std
#undef WARPLINT_THROWS
