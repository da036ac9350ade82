package lsp

// This file defines how documents are checked in the background.
//
// DESIGN. Each open CUDA document has at most one goroutine, which checks the newest snapshot
// again and again until its result fits. A result fits as long as every file that the analysis
// read still holds the same text, the configuration is the same, and the index names the same
// files to look at together; so an edit of a header checks the documents that include it, without
// a graph of includes, and an edit of anything else checks nothing. A change that invalidates what a running analysis has read so far
// cancels it. Because one goroutine alone publishes for a document, what the client sees of it
// comes in order, and a result that no longer fits is never published.

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/suppress"
	"github.com/warplint/warplint/analysis/workspace"
)

// check is the state of one document's checks; server.mu guards it.
type check struct {
	uri     uri.URI
	running bool               // a goroutine is at it
	cancel  context.CancelFunc // of the analysis in flight
	flight  *checked           // what that analysis is about and has read so far
	last    *checked           // the last result; it may fit again
	shown   *checked           // the last result that was published, nil after a close
	warned  bool               // the user knows that checks of this document take too long
}

// checked is the result of checking one version of a document. It is immutable when done.
type checked struct {
	id       int64 // counts up over all analyses
	snapshot *snapshot
	document *document
	config   analysis.Config
	program  []workspace.Unit // in which the document was looked at, as the index said
	units    []analysis.Unit  // the same, with how they are compiled
	fromDisk int64            // how often the index had been told of files on disk
	reads    *recorder
	found    *analysis.Result          // by the analysis
	result   *analysis.Result          // what is shown of it, see settle
	basis    *basis                    // that says what is half typed; nil where nothing is
	kept     map[string][]race.Finding // what is shown of kernels that are half typed
	places   []place                   // of the findings, in their order
	marks    []mark                    // of the diagnostics, in their order
	mistakes []suppress.Unused         // in comments that are meant to ignore findings, see mistakesOf
	unsaid   bool                      // there are others, which are being typed
	runs     onRuns                    // what runs on the simulator have shown of the document
	fixes    *fixCache
	cut      bool // the analysis took too long and was stopped
}

// request returns the request that led to the result.
func (c *checked) request() analysis.Request {
	return analysis.Request{Files: c.snapshot, Path: c.document.path, Config: c.config, Units: c.units}
}

// fits reports whether checking the document in the snapshot would give the same result. It may
// read files.
func (c *checked) fits(s *snapshot) bool {
	return c.reads.fits(s) && reflect.DeepEqual(c.config, s.config(c.document.path))
}

// current reports the same without looking at the disk, and so no for every result that is
// older than the newest change on disk. It is quick enough for each key that is pressed.
func (c *checked) current(s *snapshot) bool {
	heldBack := c.kept != nil || c.found.Postponed || c.unsaid
	return c.snapshot.sameSurroundings(s) && c.reads.fits(s) && (!heldBack || c.snapshot.sameMeant(s))
}

// snapshot returns the newest one.
func (s *server) snapshot() *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// change makes the next snapshot and sees to it that what no longer fits is checked again.
func (s *server) change(reason string, mutate func(next *snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.current.clone()
	mutate(next)
	s.current = next
	s.log.Debug("new snapshot", "reason", reason, "open", len(next.documents))
	for path, d := range next.documents {
		if d.isCUDA() && s.checks[path] == nil {
			s.checks[path] = &check{uri: d.uri}
		}
	}
	for path, c := range s.checks {
		s.reconsider(path, c)
	}
	s.wakeWaiters()
	if len(next.runs.runs) > 0 || len(s.outside) > 0 {
		go s.showElsewhere()
	}
}

// reconsider starts what a document needs in the current snapshot and cancels what it does not.
func (s *server) reconsider(path string, c *check) {
	switch {
	case !c.running:
		if d := s.current.documents[path]; d == nil || !s.answers(c, d) {
			c.running = true
			go s.checkUntilFits(path, c)
		}
	case c.cancel != nil && (s.current.documents[path] == nil || !c.flight.reads.fitsOpen(s.current)):
		c.cancel()
	}
}

// answers reports whether what was published is about this very version of the document, and
// about all that is known besides. s.mu must be held.
func (s *server) answers(c *check, d *document) bool {
	return s.indexed == s.current && c.shown != nil && c.shown.document == d && c.shown.current(s.current) && s.sameProgram(c.shown)
}

func (s *server) wakeWaiters() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// checkUntilFits is the goroutine of one document.
func (s *server) checkUntilFits(path string, c *check) {
	select {
	case <-s.ready:
	case <-s.ctx.Done():
		return
	}
	for {
		s.learn()
		s.mu.Lock()
		snap := s.current
		d := snap.documents[path]
		if d == nil || !d.isCUDA() {
			s.mu.Unlock()
			if s.forget(path, c) {
				return
			}
			continue
		}
		if s.answers(c, d) {
			c.running = false
			s.mu.Unlock()
			return
		}
		c.uri = d.uri
		ctx, cancel := context.WithCancel(s.ctx)
		flight := &checked{snapshot: snap, document: d, reads: newRecorder(snap), fixes: &fixCache{}}
		flight.reads.File(path) // whatever the analysis looks at, its result is about this text
		c.cancel, c.flight = cancel, flight
		last := c.last
		s.mu.Unlock()

		s.check(ctx, flight, last)
		stopped := ctx.Err() != nil
		cancel()
		if s.ctx.Err() != nil {
			return
		}
		if !stopped {
			s.accept(path, c, flight)
		}
	}
}

// forget ends the checks of a document that is not open any more, after taking its diagnostics
// back. It returns false if the document came back meanwhile.
func (s *server) forget(path string, c *check) bool {
	if c.shown != nil {
		s.publishNothing(c.uri)
		defer s.showElsewhere()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.shown = nil
	if d := s.current.documents[path]; d != nil && d.isCUDA() {
		return false
	}
	delete(s.checks, path)
	s.wakeWaiters()
	return true
}

// check fills in the result: by analysing the document, or from the last result if the document
// has got a new version without anything that matters being different. What breaks down finds
// nothing.
func (s *server) check(ctx context.Context, c, last *checked) {
	c.found = &analysis.Result{Path: c.document.path}
	c.result = c.found
	defer s.recovered("the check of " + c.document.path)
	c.config = c.snapshot.config(c.document.path)
	c.fromDisk = s.index.fromDisk.Load()
	c.program = s.index.Units(c.document.path)
	c.units = c.snapshot.compiled(c.program)
	c.basis = s.basisOf(ctx, c, last)
	sameBasis := last != nil && c.basis == last.basis
	if last != nil && last.fits(c.snapshot) && reflect.DeepEqual(last.units, c.units) && (sameBasis || !last.found.Postponed) {
		c.id, c.found, c.fixes, c.cut = last.id, last.found, last.fixes, last.cut
		s.mu.Lock()
		c.reads = last.reads // at which a change looks meanwhile
		s.mu.Unlock()
	} else {
		c.id = s.serial.Add(1)
		if !c.document.file.IsBinary() {
			s.analyse(ctx, c)
		}
	}
	if c.settle(last); last != nil && c.id == last.id && !sameBasis && (c.kept != nil || last.kept != nil) {
		c.id, c.fixes = s.serial.Add(1), &fixCache{} // another text is meant now
	}
	if c.mistakes, c.unsaid = mistakesOf(c.snapshot, c.document); last != nil && c.id == last.id && !slices.Equal(c.mistakes, last.mistakes) {
		c.id = s.serial.Add(1)
	}
	c.basis = c.basis.narrowed(c.found.Gaps)
	c.places = placesOf(c)
	c.marks = marksOf(c)
	c.runs = onRunsOf(c)
}

// analyse runs the analysis when a slot is free, for a limited time.
func (s *server) analyse(ctx context.Context, c *checked) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return
	}
	limited, cancel := context.WithTimeout(ctx, s.options.CheckLimit)
	defer cancel()
	request := c.request()
	request.Files = c.reads
	if c.basis != nil {
		request.Meant = &c.basis.gaps
	}
	c.found = s.checker.Check(limited, request)
	c.cut = limited.Err() != nil && ctx.Err() == nil
	for _, problem := range c.found.Problems {
		s.log.Debug("not understood", "file", problem.File, "problem", problem.Message)
	}
}

// accept makes a result known, unless it stopped to fit while it was being computed. It is
// published before anybody else can have it, so that a client which got an answer from a result
// has its diagnostics, too.
func (s *server) accept(path string, c *check, result *checked) {
	s.mu.Lock()
	c.cancel, c.flight, c.last = nil, nil, result
	fits := s.indexed == s.current && s.current.documents[path] == result.document && result.current(s.current) && s.sameProgram(result)
	before := c.shown
	s.mu.Unlock()
	if !fits {
		return
	}
	if before == nil || before.document != result.document || before.id != result.id || before.snapshot.runs != result.snapshot.runs {
		s.elsewhere.Lock()
		s.publish(result, before)
		s.elsewhere.Unlock()
	}
	if result.cut && !c.warned {
		c.warned = true
		s.showMessage(s.ctx, protocol.MessageTypeWarning, fmt.Sprintf(
			"warplint stopped checking %s after %s and shows what it had found by then", base(path), s.options.CheckLimit))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.shown = result
	s.wakeWaiters()
}

// result waits for the result of the version that a document has in a snapshot. If the document
// changes before there is one, nobody wants it any more.
func (s *server) result(ctx context.Context, d *document) (*checked, error) {
	for {
		s.mu.Lock()
		current, c, moved := s.current, s.checks[d.path], s.moved
		var result *checked
		if c != nil && s.answers(c, d) {
			result = c.shown
		}
		s.mu.Unlock()
		switch {
		case result != nil:
			return result, nil
		case current.documents[d.path] != d:
			return nil, protocol.ErrContentModified
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// recovered keeps a panic from ending the process; it must be deferred. The user is told, since
// no diagnostics must not look like no races.
func (s *server) recovered(what string) {
	if cause := recover(); cause != nil {
		s.log.Error(what+" panicked", "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
		s.showMessage(s.ctx, protocol.MessageTypeError, "warplint: "+what+" failed, and shows nothing: "+fmt.Sprint(cause))
	}
}
