package ir

// Compute returns what an operator gives for two numbers of an integer type, each as Cut leaves them; for a shift, y is a
// number of any integer type. Comparisons give 0 or 1. Sums, differences and products wrap around. ok is false where C++
// leaves the result undefined: a division by zero or one that overflows, and a shift by as many bits as the type has.
func Compute(op Op, of Type, x, y int64) (v int64, ok bool) {
	less := x < y
	if !of.IsSigned() {
		less = uint64(x) < uint64(y)
	}
	switch op {
	case Add:
		v = x + y
	case Sub:
		v = x - y
	case Mul:
		v = x * y
	case Div, Rem:
		return divide(op, of, x, y)
	case Shl, Shr:
		if y < 0 || y >= int64(of.Bits()) {
			return 0, false
		}
		switch {
		case op == Shl:
			v = x << y
		case of.IsSigned():
			v = x >> y
		default:
			v = int64(uint64(x) >> y)
		}
	case And:
		v = x & y
	case Or:
		v = x | y
	case Xor:
		v = x ^ y
	case Min, Max:
		if v = y; less == (op == Min) {
			v = x
		}
	case Eq:
		return truth(x == y), true
	case Ne:
		return truth(x != y), true
	case Lt:
		return truth(less), true
	case Le:
		return truth(less || x == y), true
	case Gt:
		return truth(!less && x != y), true
	case Ge:
		return truth(!less), true
	case LogAnd:
		return truth(x != 0 && y != 0), true
	case LogOr:
		return truth(x != 0 || y != 0), true
	default:
		return 0, false
	}
	return of.Cut(v), true
}

func divide(op Op, of Type, x, y int64) (int64, bool) {
	switch {
	case y == 0 || of.IsSigned() && y == -1 && of.Cut(-x) == x && x != 0: // the least number has no opposite
		return 0, false
	case of.IsSigned() && op == Div:
		return x / y, true
	case of.IsSigned():
		return x % y, true
	case op == Div:
		return int64(uint64(x) / uint64(y)), true
	}
	return int64(uint64(x) % uint64(y)), true
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
