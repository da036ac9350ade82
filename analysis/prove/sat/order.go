package sat

// This file chooses the variable to guess: the one that the last conflicts were most about.

// order is a heap of variables, the most active first; of equals any. All variables without a value are in it.
type order struct {
	heap     []int32
	place    []int32 // by variable: in the heap, -1 for none
	activity []float64
	more     float64 // what a conflict adds
}

func (o *order) reset(variables int) {
	o.heap, o.place, o.activity = zeros(o.heap, variables), zeros(o.place, variables+1), zeros(o.activity, variables+1)
	for i := range o.heap {
		o.heap[i], o.place[i+1] = int32(i+1), int32(i)
	}
	o.more = 1
}

// decay makes what was added so far count for less.
func (o *order) decay() { o.more /= 0.95 }

// bump notes that a conflict is about a variable.
func (o *order) bump(v int32) {
	o.activity[v] += o.more
	if o.activity[v] > 1e100 {
		for i := range o.activity {
			o.activity[i] *= 1e-100
		}
		o.more *= 1e-100
	}
	if o.place[v] >= 0 {
		o.up(o.place[v])
	}
}

// add puts a variable in, if it is not.
func (o *order) add(v int32) {
	if o.place[v] < 0 {
		o.heap = append(o.heap, v)
		o.up(int32(len(o.heap) - 1))
	}
}

// take takes the first one out.
func (o *order) take() int32 {
	first, last := o.heap[0], o.heap[len(o.heap)-1]
	o.heap = o.heap[:len(o.heap)-1]
	o.place[first] = -1
	if len(o.heap) > 0 {
		o.heap[0] = last
		o.down(0)
	}
	return first
}

func (o *order) up(i int32) {
	v := o.heap[i]
	for i > 0 {
		above := (i - 1) / 2
		if o.activity[o.heap[above]] >= o.activity[v] {
			break
		}
		o.set(i, o.heap[above])
		i = above
	}
	o.set(i, v)
}

func (o *order) down(i int32) {
	v := o.heap[i]
	for {
		below := 2*i + 1
		if int(below) >= len(o.heap) {
			break
		}
		if right := below + 1; int(right) < len(o.heap) && o.activity[o.heap[right]] > o.activity[o.heap[below]] {
			below = right
		}
		if o.activity[v] >= o.activity[o.heap[below]] {
			break
		}
		o.set(i, o.heap[below])
		i = below
	}
	o.set(i, v)
}

func (o *order) set(i, v int32) { o.heap[i], o.place[v] = v, i }
