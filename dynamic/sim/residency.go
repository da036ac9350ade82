// This file brings blocks onto the device and takes them off.

package sim

import "github.com/warplint/warplint/dynamic/event"

// retire takes a finished block off the device. Blocks of a cluster leave together, since the
// others may still use their shared memory.
func (c *core) retire(i int) {
	b := c.resident[i]
	if l := c.listener; l != nil {
		l.BlockEnd(c.launch.event, b.index)
	}
	c.done++
	c.ended = c.instructions
	c.resident = append(c.resident[:i], c.resident[i+1:]...)
	if len(b.cluster.blocks) == 1 {
		c.spare = append(c.spare, b)
	}
	c.admit()
}

// widen brings more blocks onto the device, if it can.
func (c *core) widen() bool {
	if c.room >= c.launch.maxResident() || c.launch.waiting() == 0 {
		return false
	}
	c.room = min(2*c.room, c.launch.maxResident())
	c.admit()
	return true
}

// admit brings clusters of blocks onto the device while there is room.
func (c *core) admit() {
	l := c.launch
	size := l.config.Cluster.Count()
	for len(c.resident)+size <= c.room || len(c.resident) == 0 {
		next, ok := l.claim()
		if !ok {
			return
		}
		group := &cluster{barrier: wideBarrier{
			kind: event.ClusterBarrier, wait: waitCluster, live: size * l.threads,
		}}
		group.barrier.blocks = func() []*block { return group.blocks }
		for rank := range size {
			group.blocks = append(group.blocks, c.newBlock(next, rank, group))
		}
		c.resident = append(c.resident, group.blocks...)
	}
}

// claim hands out the next cluster that has not been on the device.
func (l *launch) claim() (int, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next >= l.clusters() {
		return 0, false
	}
	l.next++
	if l.config.Only != nil {
		return l.config.Only[l.next-1], true
	}
	return l.next - 1, true
}

// clusters is how many clusters get onto the device.
func (l *launch) clusters() int {
	if l.config.Only != nil {
		return len(l.config.Only)
	}
	return l.config.Grid.Count() / l.config.Cluster.Count()
}

// waiting is how many clusters have not been on the device.
func (l *launch) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.clusters() - l.next
}

// newBlock makes a block of a cluster, of the arrays of a finished one if possible.
func (c *core) newBlock(clusterIndex, rank int, group *cluster) *block {
	l := c.launch
	var b *block
	if n := len(c.spare); n > 0 {
		b, c.spare = c.spare[n-1], c.spare[:n-1]
		clear(b.shared)
		for i := range b.bars {
			b.bars[i].reset()
		}
		b.phases, b.boxes = nil, nil
	} else {
		b = &block{launch: l, core: c, shared: make([]byte, l.event.SharedSize)}
		for range (l.threads + 31) / 32 {
			b.warps = append(b.warps, new(warp))
		}
	}
	b.cluster, b.rank, b.live = group, rank, l.threads
	b.ctaid = l.coordinates(clusterIndex, rank)
	g := l.config.Grid
	b.index = int(b.ctaid[0]) + g[0]*(int(b.ctaid[1])+g[1]*int(b.ctaid[2]))
	for i, w := range b.warps {
		w.reset(b, i)
	}
	if c.listener != nil {
		c.listener.BlockBegin(l.event, b.index)
	}
	return b
}

// coordinates of a block, given its cluster and its rank in it.
func (l *launch) coordinates(clusterIndex, rank int) [3]uint32 {
	var at [3]uint32
	for i := range at {
		n := l.config.Grid[i] / l.config.Cluster[i]
		at[i] = uint32(clusterIndex%n*l.config.Cluster[i] + rank%l.config.Cluster[i])
		clusterIndex /= n
		rank /= l.config.Cluster[i]
	}
	return at
}
