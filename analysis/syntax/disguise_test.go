package syntax

import (
	"strings"
	"testing"
)

// TestReadings says how statements are read. Brackets stand around every node that has
// children and is no statement; some kinds are named.
func TestReadings(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"x = i < n >> 1;", "[x = [i < [n >> 1]]]"},
		{"x = s.i < n >> 1;", "[x = [[s . i] < [n >> 1]]]"},
		{"x = i < n && j > (m);", "[x = [[i < n] && [j > [( m )]]]]"},
		{"x = i < n && j > -1;", "[x = [[i < n] && [j > -1]]]"},
		{"i++; x = i < n | j > (m);", "[i ++] [x = [[i < n] | [j > [( m )]]]]"},
		{"i++; x = i<n>>1;", "[i ++] [x = [i < [n >> 1]]]"},
		{"x = (i) < (n) && (j) < (m);", "[x = [[[( i )] < [( n )]] && [[( j )] < [( m )]]]]"},
		{"x = a < (n) && b;", "[x = [[a < [( n )]] && b]]"},
		{"x = (size_t)-1;", "[x = cast[( size_t ) [- 1]]]"},
		{"x = (real_t)*p + 1;", "[x = [cast[( real_t ) deref[* p]] + 1]]"},
		{"x = n*sizeof(float)-4*m;", "[x = [[n * [sizeof ( float )]] - [4 * m]]]"},
		{"x = sizeof(unsigned int *)+16;", "[x = [[sizeof ( [[unsigned int] *] )] + 16]]"},
		{"x = (int)sizeof(int[N])-0x1;", "[x = [cast[( int ) [sizeof ( [int [[ N ]]] )]] - 0x1]]"},
		{"x = (n) - 1;", "[x = [[( n )] - 1]]"},
		{"x = (f(a & b)) & 7;", "[x = [[( call[f [( [a & b] )]] )] & 7]]"},
		{"x = (N::g<4>((a))) - b;", "[x = [[( call[[N :: template[g [< 4 >]]] [( [( a )] )]] )] - b]]"},
		{"x = (f(h((a * N::b)))) * c;", "[x = [[( call[f [( call[h [( [( [a * [N :: b]] )] )]] )]] )] * c]]"},
		{"if (f(a)) *p = 1;", "if [( call[f [( a )]] )] [deref[* p] = 1]"},
		{"x = (n) * p;", "[x = [[( n )] * p]]"},
		{"n = 1; dim3 grid(n, m);", "[n = 1] declaration[dim3 [grid [( n , m )]]]"},
		{"dim3 grid(T, U);", "declaration[dim3 function[grid [( T , U )]]]"},
		{"x = f<int>(y) < z;", "[x = [call[template[f [< int >]] [( y )]] < z]]"},
		{"x = t.shfl<int>(v, 1);", "[x = call[[t . method[shfl [< int >]]] [( v , 1 )]]]"},
		{"auto t = tiled_partition<32>(b);", "declaration[auto [t = call[template[tiled_partition [< 32 >]] [( b )]]]]"},
		{"std::map<int, std::vector<int>> m;", "declaration[[std :: type[map [< int , [std :: type[vector [< int >]]] >]]] m]"},
		{"x = static_cast<float>(y) < z;", "[x = [call[template[static_cast [< float >]] [( y )]] < z]]"},
		{"if (typeid(int) == typeid(T)) {}", "if [( [typeid[typeid ( int )] == typeid[typeid [( T )]]] )] {}"},
		{"x = (unsigned(a) & unsigned(b)) != 0;", "[x = [[( [call[unsigned [( a )]] & call[unsigned [( b )]]] )] != 0]]"},
		{"(t = a, a = b, b = t);", "[( [[t = a] , [[a = b] , [b = t]]] )]"},
		{"x = (a[i] += f(b, c) * 2, d);", "[x = [( [[[a [[ i ]]] += [call[f [( b , c )]] * 2]] , d] )]]"},
		{"unsigned (*f)(int);", "declaration[unsigned function[[( [* f] )] [( int )]]]"},
		{"p = new const float *[n];", "[p = new[new float * [[ n ]]]]"},
		{"f([=] __device__ (int i) { });", "call[f [( lambda[[[ = ]] [( [int i] )] {}] )]]"},
		{"asm volatile(\"st %0;\" ::\"r\"(v) : \"memory\");", ""},
		{"k<<<(n + 1) / 2, 32>>>(p);", "call[k [<<< [[( [n + 1] )] / 2] , 32 >>>] [( p )]]"},
		{"k<T> << <g, b>> >(p);", "call[template[k [< T >]] [<< < g , b >> >] [( p )]]"},
	} {
		u := parse(t, "void f() { "+test.text+" }")
		if u.Root.HasError {
			t.Errorf("%q has an error", test.text)
		}
		body := u.Items()[0].Child("body")
		checkAssignments(t, u, body)
		var got []string
		for n := range body.NamedChildren() {
			got = append(got, reading(u, n))
		}
		if got := strings.Join(got, " "); got != test.want && test.want != "" {
			t.Errorf("%q is read as\n%s, not\n%s", test.text, got, test.want)
		}
	}
}

// checkAssignments looks for assignments that are taken for other operations.
func checkAssignments(t *testing.T, u *Unit, n *Node) {
	t.Helper()
	if op := n.Child("operator"); op != nil && n.Kind == "binary_expression" && sequenceOperators[u.Slice(op)] != "" {
		t.Errorf("%q is a %s", u.Slice(n), n.Kind)
	}
	for _, c := range n.Children {
		checkAssignments(t, u, c)
	}
}

func reading(u *Unit, n *Node) string {
	names := map[string]string{"cast_expression": "cast", "pointer_expression": "deref", "call_expression": "call", "template_function": "template",
		"template_type": "type", "template_method": "method", "declaration": "declaration", "function_declarator": "function",
		"typeid_expression": "typeid", "new_expression": "new", "lambda_expression": "lambda"}
	if len(n.Children) == 0 {
		return u.Slice(n)
	}
	var parts []string
	for _, c := range n.Children {
		if c.Kind != ";" {
			parts = append(parts, reading(u, c))
		}
	}
	text := strings.Join(parts, " ")
	switch {
	case n.Kind == "compound_statement":
		return "{}"
	case len(parts) == 1 && names[n.Kind] == "", strings.HasSuffix(n.Kind, "_statement"):
		return text
	}
	return names[n.Kind] + "[" + text + "]"
}

// TestDeclarations says that these pieces have no errors, and which kind of node they make.
func TestDeclarations(t *testing.T) {
	for _, test := range []struct{ text, kind string }{
		{"struct __align__(16) A { int x; };", "struct_specifier"},
		{"typedef struct __align__(16) { float x; } A;", "type_definition"},
		{"__global__ void __launch_bounds__(256, 2, 1) k(int *p) { }", "function_definition"},
		{"void f(int *p) { MY_UNROLL for (int i = 0; i < 4; i++) p[i] = 0; }", "function_definition"},
		{"__launch_bounds__(N * 2) __global__ void k(int *p) { }", "function_definition"},
		{"__global__ void __cluster_dims__(2, 1, 1) k(int *p) { }", "function_definition"},
		{"__global__ void k(const __grid_constant__ A a) { }", "function_definition"},
		{"void CUDART_CB callback(cudaStream_t s, void *p) { }", "function_definition"},
		{"static VKAPI_ATTR VkBool32 VKAPI_CALL callback(int a) { return 1; }", "function_definition"},
		{"EXPORT void f();", "declaration"},
		{"HD int f() { return 1; }", "function_definition"},
		{"class EXPORT A { int x; };", "class_specifier"},
		{"template class A<float>;", "template_instantiation"},
		{"extern template class A<float>;", "template_instantiation"},
		{"template __global__ void k<int, 4>(int *);", "template_instantiation"},
		{"extern __shared__ __align__(16) float s[];", "declaration"},
		{"template <class T, std::enable_if_t<(sizeof(T) > 4) && A<T>::value> * = nullptr> __device__ T f(T x) { return x; }", "template_declaration"},
		{"struct C { typedef int mode; static void get(mode &) { } static void set(mode) { } };", "struct_specifier"},
		{"auto f = [=] __host__ __device__ (int i) mutable -> int { return i; };", "declaration"},
	} {
		u := parse(t, test.text)
		if u.Root.HasError {
			t.Errorf("%q has an error", test.text)
		}
		if kind := u.Items()[0].Kind; kind != test.kind {
			t.Errorf("%q is a %s, not a %s", test.text, kind, test.kind)
		}
	}
}
