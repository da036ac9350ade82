// Choices among functions and specializations by what substitution gives, and by the forms of patterns.

template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0> static int byValue(T) { return 1; }
template <class T, std::enable_if_t<!std::is_integral<T>::value, int> = 0> static int byValue(T) { return 2; }
template <class T, typename = std::enable_if_t<(sizeof(T) == 4)>> static int byDefault(T) { return 1; }
template <class T, typename = std::enable_if_t<(sizeof(T) != 4)>, int = 0> static int byDefault(T) { return 2; }
template <class T> static auto trailing(T) -> std::enable_if_t<std::is_integral_v<T>, int> { return 1; }
template <class T> static auto trailing(T) -> std::enable_if_t<std::is_floating_point_v<T>, int> { return 2; }
template <class T> static int byParameter(T, typename std::enable_if<std::is_integral<T>::value>::type * = nullptr) { return 1; }
template <class T> static int byParameter(T, typename std::enable_if<!std::is_integral<T>::value>::type * = nullptr) { return 2; }
__global__ void conditions(const int *in, long long *out) { out[0] = byValue(1) * 10 + byValue(1.0f); out[1] = byDefault(1) * 10 + byDefault(1.0); out[2] = trailing('c') * 10 + trailing(2.0); out[3] = byParameter(3u) * 10 + byParameter(3.0f); }
template <class T, class = void> struct HasAdd : std::false_type {}; template <class T> struct HasAdd<T, std::void_t<decltype(std::declval<T>().add(1))>> : std::true_type {};
template <class T, class = void> struct HasType : std::false_type {}; template <class T> struct HasType<T, std::void_t<typename T::type>> : std::true_type {};
struct Adds { int v; int add(int k) { return v += k; } using type = int; }; struct Plain { int v; };
template <class T> static int ways(T t) { if constexpr (HasAdd<T>::value) return t.add(5); else return t.v - 5; }
template <class T> static auto nearer(T t, int) -> decltype(t.add(1)) { return t.add(1); } template <class T> static int nearer(T t, long) { return -t.v; }
__global__ void detected(const int *in, long long *out) { out[0] = ways(Adds{in[0] & 7}); out[1] = ways(Plain{in[0] & 7}); out[2] = HasAdd<Adds>::value * 100 + HasAdd<Plain>::value * 10 + HasAdd<int>::value; out[3] = HasType<Adds>::value * 10 + HasType<Plain>::value; out[4] = HasType<float>::value; out[5] = nearer(Adds{3}, 0); out[6] = nearer(Plain{3}, 0); }
template <class T, class E = void> struct Op { static constexpr int v = 1; }; template <class T> struct Op<T, typename std::enable_if<std::is_floating_point<T>::value>::type> { static constexpr int v = 2; };
template <class T> struct Op<T, std::enable_if_t<(sizeof(T) > 4) && std::is_integral_v<T>>> { static constexpr int v = 3; };
template <class T> struct Unwrap { static constexpr int v = 0; }; template <template <class...> class C, class T, class... R> struct Unwrap<C<T, R...>> { static constexpr int v = 100 + sizeof(T) * 10 + sizeof...(R); };
template <class... T> struct Pack {}; template <class T> struct Box { using type = T; };
template <class P> struct Head; template <class T, class... R> struct Head<Pack<T, R...>> { using type = T; using rest = Pack<R...>; static constexpr int n = 1 + sizeof...(R); };
template <class P> struct Sum; template <> struct Sum<Pack<>> { static constexpr int v = 0; }; template <class T, class... R> struct Sum<Pack<T, R...>> { static constexpr int v = sizeof(T) + Sum<Pack<R...>>::v; };
template <class P> struct Unbox; template <class... T> struct Unbox<Pack<Box<T>...>> { using type = Pack<T...>; };
template <class T> struct Form { static constexpr int v = 1; }; template <class T> struct Form<T *> { static constexpr int v = 2; }; template <class T> struct Form<const T *> { static constexpr int v = 3; }; template <class T> struct Form<volatile T *> { static constexpr int v = 4; }; template <class... T> struct Form<Pack<T...>> { static constexpr int v = 5; }; template <class T, class... R> struct Form<Pack<T, R...>> { static constexpr int v = 6; };
template <class T, class... R> static int others(Pack<T, R...>) { return sizeof(T) * 10 + sizeof...(R); }
__global__ void patterns(const int *in, long long *out) {
  out[0] = Op<int>::v * 100 + Op<float>::v * 10 + Op<long>::v; out[1] = Unwrap<Box<int>>::v + Unwrap<int>::v; out[2] = Unwrap<Pack<short, int, char>>::v; out[3] = sizeof(Head<Pack<short, int, char>>::type) * 10 + Head<Pack<short, int, char>>::n + sizeof(typename Head<typename Head<Pack<char, double>>::rest>::type) * 1000;
  out[4] = Sum<Pack<int, char, double>>::v; out[5] = Sum<typename Unbox<Pack<Box<int>, Box<short>>>::type>::v; out[6] = Form<int>::v + Form<int *>::v * 10 + Form<const int *>::v * 100 + Form<volatile int *>::v * 1000 + Form<Pack<>>::v * 10000 + Form<Pack<int>>::v * 100000; out[7] = others(Pack<int, char, char>{});
}
static int tagged(std::false_type) { return 1; } static int tagged(std::true_type) { return 2; } template <class T> struct IsReal : std::is_floating_point<T> {}; template <class T> struct Kind { using tag = std::false_type; }; template <> struct Kind<int> { using tag = std::true_type; };
template <class...> struct All; template <> struct All<> : std::true_type {}; template <class T, class... R> struct All<T, R...> : std::integral_constant<bool, std::is_integral<T>::value && All<R...>::value> {}; template <class T> static int kindOf(T) { return tagged(typename Kind<T>::tag{}); }
__global__ void tags(const int *in, long long *out) { out[0] = tagged(std::is_integral<int>{}) * 10 + tagged(std::is_integral<float>()); out[1] = tagged(typename std::is_same<int, int>::type()) * 10 + tagged(typename std::is_same<int, char>::type{}); out[2] = tagged(std::integral_constant<bool, true>{}) * 10 + tagged(std::bool_constant<sizeof(int) == 8>{}); out[3] = tagged(IsReal<int>{}) * 10 + tagged(IsReal<double>{}); out[4] = kindOf(1) * 10 + kindOf(1.0f); out[5] = All<int, char>::value * 10 + All<int, float>::value; }
template <class T> constexpr int rankOf = 0; template <> constexpr int rankOf<int> = 4; template <class T> constexpr int rankOf<T *> = 10 + rankOf<T>; struct B0 { int v; }; struct B1 : B0 {}; struct B2 : B1 {}; static int nearest(B0 &) { return 1; } static int nearest(B1 &) { return 2; } static int nearestTo(const B0 *) { return 1; } static int nearestTo(B1 *) { return 2; } static int nearestTo(void *) { return 3; }
struct Turns { int v; int get() & { return v; } int get() && { return -v; } int look() const & { return v + 1; } int look() && { return v + 2; } int any() const { return v; } };
__global__ void ranks(const int *in, long long *out) { out[0] = rankOf<int> * 100 + rankOf<float> + rankOf<int *> * 1000 + rankOf<char **> * 100000; B2 b; b.v = 1; out[1] = nearest(b) * 10 + nearestTo(&b); B0 c{2}; out[2] = nearest(c) * 10 + nearestTo(&c) + nearestTo(&c.v) * 100; Turns t{in[0] & 7}; out[3] = t.get(); out[4] = Turns{in[0] & 7}.get(); out[5] = t.look() * 10 + Turns{4}.look(); out[6] = std::move(t).get() + Turns{1}.any(); }
