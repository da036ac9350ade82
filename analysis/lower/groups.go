package lower

// This file lowers cooperative groups. A group is known at compile time; what varies by
// thread is the mask of lanes of a tile or a coalesced group.

import (
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/syntax"
)

const cg = "cooperative_groups::"

// The kinds of groups, as names of their types.
const (
	groupAny       = "thread_group"
	groupBlock     = "thread_block"
	groupGrid      = "grid_group"
	groupCluster   = "cluster_group"
	groupTile      = "thread_block_tile"
	groupCoalesced = "coalesced_group"
	groupMulti     = "multi_grid_group"
)

// group is a group's lanes; nil for block, cluster and grid.
type group struct {
	mask   ir.Expr
	parent int64 // the size of the tile that a tile is part of, 0 for the block
	ring   *ring // of a pipeline that a group shares
}

// sameGroup reports whether two groups are certainly the same threads.
func sameGroup(a, b value) bool {
	if a.t.name != b.t.name || a.t.len != b.t.len || a.group.parent != b.group.parent || a.group.ring != b.group.ring {
		return false
	}
	x, y := a.group.mask, b.group.mask
	return x == nil && y == nil || x != nil && y != nil && ir.ExprString(x) == ir.ExprString(y)
}

func groupTable() map[string]intrinsic {
	return map[string]intrinsic{
		cg + "this_thread_block":             makeGroup(groupBlock),
		cg + "this_grid":                     makeGroup(groupGrid),
		cg + "this_cluster":                  makeGroup(groupCluster),
		cg + "this_multi_grid":               makeGroup(groupMulti),
		cg + "coalesced_threads":             coalescedThreads,
		cg + "tiled_partition":               tiledPartition,
		cg + "experimental::tiled_partition": tiledPartition,
		cg + "labeled_partition":             labeledPartition,
		cg + "binary_partition":              binaryPartition,
		cg + "sync":                          groupFunction("sync"),
		cg + "thread_rank":                   groupFunction("thread_rank"),
		cg + "group_size":                    groupFunction("size"),
		cg + "reduce":                        groupReduce,
		cg + "inclusive_scan":                groupReduce,
		cg + "exclusive_scan":                groupReduce,
		cg + "memcpy_async":                  groupCopy,
		cg + "wait":                          groupWait,
		cg + "wait_prior":                    groupWait,
		cg + "invoke_one":                    invokeOne,
		cg + "invoke_one_broadcast":          invokeOne,
		cg + "num_threads":                   groupFunction("size"),
	}
}

// groupTypes are the types by their qualified names.
func (l *lowerer) groupTypeNamed(name string, args *syntax.Node, s *scope) *ctype {
	name = strings.TrimPrefix(name, "experimental::")
	switch name {
	case groupAny, groupBlock, groupGrid, groupCluster, groupCoalesced, groupMulti:
		return groupType(name, 0)
	case groupTile:
		kids := namedChildren(args)
		if len(kids) == 0 {
			return groupType(groupTile, 0)
		}
		n, _ := l.constInt(unwrapType(kids[0]), s)
		return groupType(groupTile, n)
	}
	return nil
}

// unwrapType is the expression inside an argument that the grammar takes for a type.
func unwrapType(n *syntax.Node) *syntax.Node {
	if n.Kind == "type_descriptor" && len(n.Children) == 1 {
		return n.Children[0]
	}
	return n
}

func groupValue(t *ctype, mask ir.Expr) value {
	return value{t: t, cat: vStatic, group: &group{mask: mask}}
}

func makeGroup(name string) intrinsic {
	return func(l *lowerer, c *callSite) value { return groupValue(groupType(name, 0), nil) }
}

func coalescedThreads(l *lowerer, c *callSite) value {
	return groupValue(groupType(groupCoalesced, 0), activeMask(l, c).x)
}

// tiledPartition is tiled_partition<N>(group) or tiled_partition(group, n).
func tiledPartition(l *lowerer, c *callSite) value {
	if len(c.args) == 0 {
		return l.rejectArity(c)
	}
	n, ok := int64(0), false
	if kids := namedChildren(c.targs); len(kids) > 0 {
		n, ok = l.constInt(unwrapType(kids[0]), l.scope)
	} else if len(c.args) == 2 {
		n, ok = ir.IntConst(c.arg(l, 1, tUInt))
	}
	if !ok || n <= 0 || n&(n-1) != 0 {
		return l.opaqueCall(c.n, "tiled partition of unknown size", c.args)
	}
	p := l.load(c.args[0].v, c.n)
	if p.t.kind == kGroup && p.t.name == groupCoalesced {
		return l.opaqueCall(c.n, "partition of a coalesced group", c.args)
	}
	tile := groupValue(groupType(groupTile, n), tileMask(n))
	if p.t.kind == kGroup && p.t.name == groupTile {
		tile.group.parent = p.t.len
	}
	return tile
}

// tileMask is the mask of the lanes of a tile of n threads, nil if it is wider than a warp.
func tileMask(n int64) ir.Expr {
	switch {
	case n > 32:
		return nil
	case n == 32:
		return constInt(ir.U32, fullMask)
	}
	lane := &ir.Builtin{Var: ir.LaneID}
	first := binary(ir.And, lane, constInt(ir.U32, ^(n-1)))
	return binary(ir.Shl, constInt(ir.U32, 1<<n-1), first)
}

// labeledPartition groups the threads of a warp-wide group by equal labels.
func labeledPartition(l *lowerer, c *callSite) value {
	if len(c.args) != 2 {
		return l.rejectArity(c)
	}
	g := l.load(c.args[0].v, c.n)
	if g.group == nil || g.group.mask == nil {
		return l.opaqueCall(c.n, "partition of a group wider than a warp", c.args)
	}
	label := c.value(l, 1)
	r := l.warpOp(c, "match_any", tUInt, g.group.mask, label.x)
	return groupValue(groupType(groupCoalesced, 0), r.x)
}

func binaryPartition(l *lowerer, c *callSite) value {
	if len(c.args) != 2 {
		return l.rejectArity(c)
	}
	g := l.load(c.args[0].v, c.n)
	if g.group == nil || g.group.mask == nil {
		return l.opaqueCall(c.n, "partition of a group wider than a warp", c.args)
	}
	p := l.temp(c.arg(l, 1, tBool))
	votes := l.warpOp(c, "ballot", tUInt, g.group.mask, p).x
	mask := selectExpr(p, votes, binary(ir.And, unary(ir.BitNot, votes), g.group.mask))
	return groupValue(groupType(groupCoalesced, 0), l.temp(mask))
}

// groupFunction is the free form of a method: cg::sync(g).
func groupFunction(name string) intrinsic {
	return func(l *lowerer, c *callSite) value {
		if len(c.args) == 0 {
			return l.rejectArity(c)
		}
		g := l.load(c.args[0].v, c.args[0].n)
		if g.t.kind != kGroup {
			return l.opaqueCall(c.n, "call of "+c.name+" on "+g.t.String(), c.args)
		}
		in := *c
		in.name, in.args = name, c.args[1:]
		return l.groupMethod(&in, g)
	}
}

// groupADL finds sync(g) and its kin without their namespace.
func (l *lowerer) groupADL(n, nameNode *syntax.Node, r nameRef, args []argument) (value, bool) {
	for _, a := range args {
		if a.v.t.kind == kGroup {
			if f := intrinsics[cg+r.name]; f != nil {
				return f(l, &callSite{n: n, nameNode: nameNode, name: r.name, targs: r.args, args: args}), true
			}
		}
	}
	return value{}, false
}

// groupMethod lowers a method of a group.
func (l *lowerer) groupMethod(c *callSite, g value) value {
	switch c.name {
	case "sync", "barrier_arrive", "barrier_wait", "arrive", "wait":
		return l.groupSync(c, g)
	case "is_valid":
		return rval(tBool, constBool(true))
	}
	switch g.t.name {
	case groupBlock:
		return l.blockMethod(c)
	case groupGrid:
		return l.gridMethod(c)
	case groupCluster:
		return l.clusterMethod(c)
	case groupTile, groupCoalesced:
		return l.laneMethod(c, g)
	}
	return l.opaqueCall(c.n, "method "+c.name+" of "+g.t.String(), c.args)
}

// groupSync emits the barrier of a group, or one of its halves.
func (l *lowerer) groupSync(c *callSite, g value) value {
	b := &ir.Barrier{}
	switch c.name {
	case "barrier_arrive", "arrive":
		b.Mode = ir.BarrierArrive
	case "barrier_wait", "wait":
		b.Mode = ir.BarrierWait
	}
	switch g.t.name {
	case groupBlock:
		b.Level = ir.BlockLevel
	case groupGrid:
		b.Level = ir.GridLevel
	case groupCluster:
		b.Level = ir.ClusterLevel
	case groupTile:
		if g.t.len > 32 && b.Mode == ir.BarrierSync { // a barrier of the block for each tile, as for bar.sync
			tile := binary(ir.Div, linear(ir.ThreadIdx, ir.BlockDim), constInt(ir.U32, g.t.len))
			b.Level, b.ID, b.Count = ir.BlockLevel, binary(ir.Add, tile, constInt(ir.U32, 1)), constInt(ir.U32, g.t.len)
			break
		}
		fallthrough
	default:
		if g.group == nil || g.group.mask == nil {
			return l.opaqueCall(c.n, "sync of "+g.t.String(), c.args)
		}
		b.Level, b.Mask = ir.WarpLevel, g.group.mask
	}
	b.Site = l.namedSite(c.n, c.nameNode, "")
	l.emit(b)
	if b.Mode == ir.BarrierArrive {
		return value{t: groupType(groupAny, 0), cat: vStatic}
	}
	return value{t: tVoid}
}

func builtin(v ir.BuiltinVar, axis int) ir.Expr { return &ir.Builtin{Var: v, Axis: axis} }

// linear is the number of a coordinate in a three-dimensional range, x running fastest.
func linear(index, dim ir.BuiltinVar) ir.Expr {
	x := builtin(index, 0)
	y := binary(ir.Mul, builtin(index, 1), builtin(dim, 0))
	z := binary(ir.Mul, builtin(index, 2), binary(ir.Mul, builtin(dim, 0), builtin(dim, 1)))
	return binary(ir.Add, binary(ir.Add, x, y), z)
}

func volume(dim ir.BuiltinVar) ir.Expr {
	return binary(ir.Mul, binary(ir.Mul, builtin(dim, 0), builtin(dim, 1)), builtin(dim, 2))
}

func triple(v ir.BuiltinVar) value {
	out := value{t: vectorTypes["dim3"], cat: vAgg}
	for i := range 3 {
		out.elems = append(out.elems, rval(tUInt, builtin(v, i)))
	}
	return out
}

func (l *lowerer) blockMethod(c *callSite) value {
	switch c.name {
	case "thread_rank":
		return rval(tUInt, linear(ir.ThreadIdx, ir.BlockDim))
	case "size", "num_threads":
		return rval(tUInt, volume(ir.BlockDim))
	case "thread_index":
		return triple(ir.ThreadIdx)
	case "group_index":
		return triple(ir.BlockIdx)
	case "group_dim", "dim_threads":
		return triple(ir.BlockDim)
	}
	return l.opaqueCall(c.n, "method "+c.name+" of a thread block", c.args)
}

func (l *lowerer) gridMethod(c *callSite) value {
	wide := func(e ir.Expr) ir.Expr { return convert(e, ir.U64) }
	switch c.name {
	case "thread_rank":
		block := wide(linear(ir.BlockIdx, ir.GridDim))
		return rval(tULLong, binary(ir.Add, binary(ir.Mul, block, wide(volume(ir.BlockDim))), wide(linear(ir.ThreadIdx, ir.BlockDim))))
	case "size", "num_threads":
		return rval(tULLong, binary(ir.Mul, wide(volume(ir.GridDim)), wide(volume(ir.BlockDim))))
	case "block_rank":
		return rval(tULLong, wide(linear(ir.BlockIdx, ir.GridDim)))
	case "num_blocks":
		return rval(tULLong, wide(volume(ir.GridDim)))
	case "block_index":
		return triple(ir.BlockIdx)
	case "dim_blocks", "group_dim":
		return triple(ir.GridDim)
	}
	return l.opaqueCall(c.n, "method "+c.name+" of a grid", c.args)
}

func (l *lowerer) clusterMethod(c *callSite) value {
	switch c.name {
	case "block_rank":
		return rval(tUInt, clusterRank())
	case "block_index":
		return triple(ir.BlockInClust)
	case "dim_blocks":
		return triple(ir.ClusterSize)
	case "thread_index":
		out := value{t: vectorTypes["dim3"], cat: vAgg}
		for i := range 3 {
			x := binary(ir.Add, binary(ir.Mul, builtin(ir.BlockInClust, i), builtin(ir.BlockDim, i)), builtin(ir.ThreadIdx, i))
			out.elems = append(out.elems, rval(tUInt, x))
		}
		return out
	case "size", "num_threads":
		in := *c
		in.name, in.args = "num_blocks", nil
		return rval(tUInt, binary(ir.Mul, l.clusterMethod(&in).x, volume(ir.BlockDim)))
	case "num_blocks":
		return rval(tUInt, volume(ir.ClusterSize))
	case "map_shared_rank":
		if len(c.args) == 2 {
			p := l.decay(c.value(l, 0), c.n)
			if x := l.bits(p); x != nil && p.t.kind == kPtr {
				return value{t: p.t, cat: vRval, x: &ir.Call{Name: "mapa", T: ir.Ptr, Args: []ir.Expr{x, c.arg(l, 1, tUInt)}}, name: p.name}
			}
		}
	case "thread_rank":
		return rval(tUInt, binary(ir.Add, binary(ir.Mul, clusterRank(), volume(ir.BlockDim)), linear(ir.ThreadIdx, ir.BlockDim)))
	}
	return l.opaqueCall(c.n, "method "+c.name+" of a cluster", c.args)
}

// clusterRank is the rank of the block in its cluster.
func clusterRank() ir.Expr { return linear(ir.BlockInClust, ir.ClusterSize) }

// laneMethod lowers a method of a tile or a coalesced group.
func (l *lowerer) laneMethod(c *callSite, g value) value {
	if g.t.name == groupTile && g.t.len > 32 {
		return l.wideTileMethod(c, g)
	}
	if g.group == nil || g.group.mask == nil {
		return l.opaqueCall(c.n, "method "+c.name+" of a group", c.args)
	}
	mask := g.group.mask
	size, rank := l.laneGeometry(g)
	switch c.name {
	case "thread_rank":
		return rval(tUInt, rank)
	case "size", "num_threads":
		return rval(tUInt, size)
	case "meta_group_rank", "meta_group_size":
		if g.t.name == groupTile {
			return tileAmongOthers(c.name, g)
		}
	case "any", "all":
		if len(c.args) == 1 {
			return l.warpOp(c, c.name, tInt, mask, c.arg(l, 0, tBool))
		}
	case "ballot":
		if len(c.args) == 1 {
			b := l.warpOp(c, "ballot", tUInt, mask, c.arg(l, 0, tBool))
			return rval(tUInt, l.packMask(g, b.x))
		}
	case "match_any", "match_all":
		if len(c.args) >= 1 {
			v := c.value(l, 0)
			r := l.warpOp(c, c.name, tUInt, mask, v.x)
			if len(c.args) == 2 {
				l.assignOut(c, 1, rval(tBool, binary(ir.Ne, r.x, constInt(ir.U32, 0))))
			}
			return rval(tUInt, l.packMask(g, r.x))
		}
	case "shfl", "shfl_up", "shfl_down", "shfl_xor":
		return l.groupShuffle(c, g, size)
	}
	return l.opaqueCall(c.n, "method "+c.name+" of "+g.t.String(), c.args)
}

// tileAmongOthers is the rank of a tile among those that its parent is parted into, or how many these are.
func tileAmongOthers(method string, g value) value {
	rank, size := linear(ir.ThreadIdx, ir.BlockDim), volume(ir.BlockDim)
	if g.group != nil && g.group.parent > 0 {
		size = constInt(ir.U32, g.group.parent)
		rank = binary(ir.Rem, rank, size)
	}
	n := constInt(ir.U32, g.t.len)
	if method == "meta_group_size" {
		return rval(tUInt, binary(ir.Div, binary(ir.Add, size, constInt(ir.U32, g.t.len-1)), n))
	}
	return rval(tUInt, binary(ir.Div, rank, n))
}

func (l *lowerer) assignOut(c *callSite, i int, v value) {
	place := c.args[i].v
	if place.t.kind == kPtr {
		place = l.deref(l.load(place, c.n), c.n)
	}
	l.assign(place, l.convertTo(v, place.t, c.n), c.args[i].n)
}

// laneGeometry is the size of a warp-wide group and the thread's rank in it.
func (l *lowerer) laneGeometry(g value) (size, rank ir.Expr) {
	lane := builtin(ir.LaneID, 0)
	if g.t.name == groupTile {
		if g.t.len == 32 {
			return constInt(ir.U32, 32), lane
		}
		return constInt(ir.U32, g.t.len), binary(ir.And, lane, constInt(ir.U32, g.t.len-1))
	}
	below := binary(ir.Sub, binary(ir.Shl, constInt(ir.U32, 1), lane), constInt(ir.U32, 1))
	pop := func(e ir.Expr) ir.Expr {
		return convert(&ir.Call{Name: "__popc", T: ir.I32, Args: []ir.Expr{e}}, ir.U32)
	}
	return pop(g.group.mask), pop(binary(ir.And, g.group.mask, below))
}

// packMask turns a mask over the warp's lanes into one over the group's ranks.
func (l *lowerer) packMask(g value, x ir.Expr) ir.Expr {
	if g.t.name == groupTile {
		if g.t.len == 32 {
			return x
		}
		first := binary(ir.And, builtin(ir.LaneID, 0), constInt(ir.U32, ^(g.t.len-1)))
		return binary(ir.Shr, binary(ir.And, x, g.group.mask), first)
	}
	return &ir.Call{Name: "pack_lanes", T: ir.U32, Args: []ir.Expr{x, g.group.mask}}
}

func (l *lowerer) groupShuffle(c *callSite, g value, size ir.Expr) value {
	if len(c.args) != 2 {
		return l.rejectArity(c)
	}
	lane := c.arg(l, 1, tInt)
	width := convert(size, ir.I32)
	if g.t.name == groupCoalesced {
		// Ranks are not lanes: which lane is meant is a function of the mask.
		lane = l.coalescedLane(c.name, g, lane)
		width = constInt(ir.I32, 32)
		return l.shuffleValue(c, "shfl", l.load(c.args[0].v, c.args[0].n), g.group.mask, lane, width)
	}
	return l.shuffleValue(c, c.name, l.load(c.args[0].v, c.args[0].n), g.group.mask, lane, width)
}

// coalescedLane is the lane that a shuffle of a coalesced group reads: ranks are turned into
// lanes by finding the set bits of the mask.
func (l *lowerer) coalescedLane(op string, g value, x ir.Expr) ir.Expr {
	size, rank := l.laneGeometry(g)
	size, rank = convert(size, ir.I32), convert(rank, ir.I32)
	own := rank
	switch op {
	case "shfl":
		rank = x
	case "shfl_up":
		to := binary(ir.Sub, rank, x)
		rank = selectExpr(binary(ir.Lt, to, constInt(ir.I32, 0)), own, to)
	case "shfl_down":
		to := binary(ir.Add, rank, x)
		rank = selectExpr(binary(ir.Ge, to, size), own, to)
	case "shfl_xor":
		rank = binary(ir.Xor, rank, x)
	}
	nth := binary(ir.Add, rank, constInt(ir.I32, 1))
	return convert(&ir.Call{Name: "__fns", T: ir.U32, Args: []ir.Expr{g.group.mask, constInt(ir.U32, 0), nth}}, ir.I32)
}

// wideTileMethod lowers the ranks of a tile of several warps.
func (l *lowerer) wideTileMethod(c *callSite, g value) value {
	size := constInt(ir.U32, g.t.len)
	switch c.name {
	case "thread_rank":
		return rval(tUInt, binary(ir.Rem, linear(ir.ThreadIdx, ir.BlockDim), size))
	case "size", "num_threads":
		return rval(tUInt, size)
	case "meta_group_rank", "meta_group_size":
		return tileAmongOthers(c.name, g)
	}
	if v, ok := l.wideExchange(c); ok {
		return v
	}
	return l.opaqueCall(c.n, "method "+c.name+" of a tile wider than a warp", c.args)
}

// wideExchange is what the threads of a tile of several warps make together: any number. It is not said to order memory.
func (l *lowerer) wideExchange(c *callSite) (value, bool) {
	if len(c.args) == 0 {
		return value{}, false
	}
	t := l.load(c.args[0].v, c.args[0].n).t.unqualified()
	switch c.name {
	case "any", "all":
		t = tInt
	case "shfl", "shfl_up", "shfl_down", "shfl_xor", "reduce", "inclusive_scan", "exclusive_scan":
	default:
		return value{}, false
	}
	if !t.isArithmetic() {
		return value{}, false
	}
	return l.special(c, t), true
}

// groupReduce lowers cg::reduce(group, value, op) and the scans over a warp-wide group.
func groupReduce(l *lowerer, c *callSite) value {
	if len(c.args) < 2 {
		return l.rejectArity(c)
	}
	g := l.load(c.args[0].v, c.args[0].n)
	if g.group == nil || g.group.mask == nil {
		in := *c
		in.args = c.args[1:]
		if v, ok := l.wideExchange(&in); ok && g.t.name == groupTile {
			return v
		}
		return l.opaqueCall(c.n, c.name+" over "+g.t.String(), c.args)
	}
	v := l.load(c.args[1].v, c.args[1].n)
	if v.cat != vRval && v.cat != vAgg || v.target != nil {
		return l.opaqueCall(c.n, reasonOf(v), c.args)
	}
	v.t = v.t.unqualified()
	if op := reduceName(c); op != "" && v.cat == vRval && v.t.isArithmetic() {
		return l.warpOp(c, op, v.t, g.group.mask, v.x)
	}
	lanes := map[string]laneRange{"reduce": allLanes, "inclusive_scan": lanesUpToOwn, "exclusive_scan": lanesBeforeOwn}[c.name]
	combine := func(a, b value) value { return l.arithmetic(c.n, "+", a, b, c.n, c.n) }
	if len(c.args) > 2 {
		f := c.args[2]
		combine = func(a, b value) value { return l.callFunctor(c, f, a, b) }
	}
	return l.laneLoop(c, v, g.group.mask, lanes, combine)
}

var functorOps = map[string]ir.Op{"plus": ir.Add, "less": ir.Min, "greater": ir.Max, "bit_and": ir.And, "bit_or": ir.Or, "bit_xor": ir.Xor}

func isFunctor(name string) bool {
	_, ok := functorOps[strings.TrimPrefix(name, cg)]
	return ok
}

// reduceName is the warp operation of a cg::reduce with one of the library's operators.
func reduceName(c *callSite) string {
	if c.name != "reduce" || len(c.args) < 3 || c.args[2].v.t.kind != kRecord {
		return ""
	}
	return functorReductions[strings.TrimPrefix(c.args[2].v.t.rec.lib, cg)]
}

var functorReductions = map[string]string{"plus": "reduce_add", "less": "reduce_min", "greater": "reduce_max", "bit_and": "reduce_and", "bit_or": "reduce_or", "bit_xor": "reduce_xor"}

// callFunctor applies a function object, a lambda or one of cooperative groups' own to values.
func (l *lowerer) callFunctor(c *callSite, f argument, operands ...value) value {
	var args []argument
	all, nodes := []value{f.v}, []*syntax.Node{f.n}
	for _, v := range operands {
		args = append(args, argument{v, c.n})
		all, nodes = append(all, v), append(nodes, c.n)
	}
	switch {
	case f.v.t.kind == kRecord && strings.HasPrefix(f.v.t.rec.lib, cg):
		if len(operands) != 2 {
			break
		}
		a, b := operands[0], operands[1]
		if op, ok := functorOps[strings.TrimPrefix(f.v.t.rec.lib, cg)]; ok && a.cat == vRval && b.cat == vRval && a.t.isArithmetic() && b.t.isArithmetic() {
			t := common(a.t, b.t)
			return rval(t, binary(op, convert(a.x, t.scalar), convert(b.x, t.scalar)))
		}
	case f.v.t.kind == kClosure:
		return l.callClosure(c.n, f.v.t.closure, args)
	case f.v.t.kind == kRecord:
		if r, ok := l.operator(c.n, "operator()", all, nodes); ok {
			return r
		}
	}
	return l.opaqueCall(c.n, "call of "+f.v.t.String(), args)
}

// groupCopy lowers cg::memcpy_async(group, dst, [layout,] src, size): a copy that the threads
// of the group share. Its counts are in bytes, or in elements if there are two of them.
func groupCopy(l *lowerer, c *callSite) value {
	if len(c.args) != 4 && len(c.args) != 5 {
		return l.rejectArity(c)
	}
	g := l.load(c.args[0].v, c.args[0].n)
	src := 2
	if len(c.args) == 5 {
		src = 3
	}
	d, s := l.decay(c.value(l, 1), c.n), l.decay(c.value(l, src), c.n)
	px, py := l.address(d, c.n), l.address(s, c.n)
	if g.t.kind != kGroup || px == nil || py == nil {
		return l.opaqueCall(c.n, "memcpy_async with unusual arguments", c.args)
	}
	n := c.arg(l, len(c.args)-1, tULong)
	if len(c.args) == 5 && d.t.kind == kPtr {
		n = binary(ir.Min, n, c.arg(l, 2, tULong))
		n = binary(ir.Mul, n, constInt(ir.U64, max(d.t.elem.size(), 1)))
	}
	l.emit(&ir.Named{Op: "group.copy", Args: []ir.Expr{px, py, n, constInt(ir.U32, int64(groupLevel(g))), tileSize(g)}, Site: l.namedSite(c.n, c.nameNode, d.name)})
	return value{t: tVoid}
}

func groupLevel(g value) ir.Level {
	switch g.t.name {
	case groupBlock:
		return ir.BlockLevel
	case groupGrid:
		return ir.GridLevel
	case groupCluster:
		return ir.ClusterLevel
	}
	return ir.WarpLevel
}

// tileSize is the number of threads of a tile, 0 for other groups.
func tileSize(g value) ir.Expr {
	if g.t.name != groupTile {
		return constInt(ir.U32, 0)
	}
	return constInt(ir.U32, g.t.len)
}

// groupWait lowers cg::wait(group): the group's copies are done and its threads meet.
func groupWait(l *lowerer, c *callSite) value {
	if len(c.args) != 1 {
		return l.rejectArity(c)
	}
	g := l.load(c.args[0].v, c.args[0].n)
	if g.t.kind != kGroup {
		return l.opaqueCall(c.n, "wait on "+g.t.String(), c.args)
	}
	pending := int64(0)
	if kids := namedChildren(c.targs); len(kids) > 0 {
		pending, _ = l.constInt(unwrapType(kids[0]), l.scope)
	}
	l.emit(&ir.Named{Op: "group.wait", Args: []ir.Expr{constInt(ir.U32, pending), constInt(ir.U32, int64(groupLevel(g)))}, Site: l.namedSite(c.n, c.nameNode, "")})
	in := *c
	in.name, in.args = "sync", nil
	return l.groupMethod(&in, g)
}

// invokeOne lowers invoke_one(group, f, args...): one thread of the group calls f. Which one is not specified.
func invokeOne(l *lowerer, c *callSite) value {
	if len(c.args) < 2 {
		return l.rejectArity(c)
	}
	g := l.load(c.args[0].v, c.args[0].n)
	if g.t.kind != kGroup || g.group == nil {
		return l.opaqueCall(c.n, c.name+" of "+g.t.String(), c.args)
	}
	in := *c
	in.name, in.args = "thread_rank", nil
	rank := l.groupMethod(&in, g)
	if rank.cat != vRval {
		return rank
	}
	one := l.anyRank(c, g, rank.x.Type())
	var r, held value
	then := l.collectStmts(func() {
		r = l.callFunctor(c, c.args[1], values(c.args[2:])...)
		if c.name != "invoke_one" && r.t.kind != kVoid && r.cat == vRval {
			held = l.newVariable("", nil, r.t.unqualified())
			l.assign(held, r, c.n)
		}
	})
	l.emit(&ir.If{Cond: binary(ir.Eq, rank.x, one), Then: then, Site: l.site(c.n, "")})
	switch {
	case c.name == "invoke_one":
		return value{t: tVoid}
	case held.t == nil || g.group.mask == nil:
		return l.opaqueCall(c.n, c.name+" of "+g.t.String(), c.args)
	}
	in.name = "shfl"
	in.args = []argument{{held, c.n}, {rval(tInt, convert(one, ir.I32)), c.n}}
	return l.groupMethod(&in, g)
}

// anyRank is the rank that a call of invoke_one chooses in the thread's group: nobody knows which, and another call may
// choose another one. Among threads that have come together only now it is the first, as for its ranks in other places.
func (l *lowerer) anyRank(c *callSite, g value, t ir.Type) ir.Expr {
	size, group := volume(ir.BlockDim), ir.Expr(constInt(ir.U32, 0))
	switch g.t.name {
	case groupBlock:
	case groupTile:
		size = constInt(ir.U32, g.t.len)
		group = binary(ir.Div, linear(ir.ThreadIdx, ir.BlockDim), size)
	default:
		return zero(t)
	}
	call := constInt(ir.U32, int64(l.site(c.n, "")))
	return convert(&ir.Call{Name: ir.ElectRank, T: ir.U32, Args: []ir.Expr{size, group, call}}, t)
}
