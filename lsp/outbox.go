package lsp

// This file defines how bytes leave: through a queue, so that nobody who sends waits for the
// client to read. The reader of our own input must not wait for it in particular, or a client
// that writes before it reads would wait for us for ever.

import (
	"io"
	"sync"
	"time"
)

// maxQueued bounds the bytes that wait for a client which does not read.
const maxQueued = 256 << 20

// outbox is a connection whose writes return at once.
type outbox struct {
	io.ReadWriteCloser

	mu     sync.Mutex
	cond   *sync.Cond // signalled when queue, writing, err or closed change
	queue  [][]byte
	queued int
	busy   bool // a write is under way
	closed bool
	err    error // of the first write that failed
}

func newOutbox(rw io.ReadWriteCloser) *outbox {
	o := &outbox{ReadWriteCloser: rw}
	o.cond = sync.NewCond(&o.mu)
	go o.send()
	return o
}

// Write queues the bytes. It returns the error of an earlier write.
func (o *outbox) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.queued > maxQueued && o.err == nil && !o.closed {
		o.cond.Wait()
	}
	switch {
	case o.err != nil:
		return 0, o.err
	case o.closed:
		return 0, io.ErrClosedPipe
	}
	o.queue = append(o.queue, append([]byte(nil), p...))
	o.queued += len(p)
	o.cond.Broadcast()
	return len(p), nil
}

func (o *outbox) send() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for len(o.queue) == 0 && !o.closed {
			o.cond.Wait()
		}
		if o.closed || o.err != nil {
			return
		}
		p := o.queue[0]
		o.queue, o.queued, o.busy = o.queue[1:], o.queued-len(p), true
		o.mu.Unlock()
		_, err := o.ReadWriteCloser.Write(p)
		o.mu.Lock()
		o.busy, o.err = false, err
		o.cond.Broadcast()
	}
}

// flush waits until everything is written, but no longer than the given time.
func (o *outbox) flush(most time.Duration) {
	done := make(chan struct{})
	go func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		for (len(o.queue) > 0 || o.busy) && o.err == nil && !o.closed {
			o.cond.Wait()
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(most):
	}
}

// Close drops what is queued and closes the connection.
func (o *outbox) Close() error {
	o.mu.Lock()
	o.closed = true
	o.cond.Broadcast()
	o.mu.Unlock()
	return o.ReadWriteCloser.Close()
}
