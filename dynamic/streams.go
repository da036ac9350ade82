// This file fits the detector streams into a run, and makes findings of what it has seen.

package dynamic

import (
	"cmp"
	"debug/elf"
	"fmt"
	"regexp"
	"strings"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/dynamic/cudart"
	"github.com/warplint/warplint/dynamic/detect/streams"
	"github.com/warplint/warplint/dynamic/event"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// streamsDetector fits streams into a run. It does not listen before the program may have two streams.
type streamsDetector struct {
	*streams.Detector
	sources *Sources
	idle    bool
}

func newStreams(s *Sources) Detector { return &streamsDetector{streams.New(), s, true} }

// Name implements Detector.
func (d *streamsDetector) Name() string { return "streams" }

// Unwatched implements partial.
func (d *streamsDetector) Unwatched() int { return d.Detector.Unwatched }

// Strayed implements partial.
func (d *streamsDetector) Strayed() int { return 0 }

// mayHaveStreams reports whether a program has a second stream or runs graphs, as far as the functions that it calls tell.
func mayHaveStreams(executable string) bool {
	file, err := elf.Open(executable)
	if err != nil {
		return true
	}
	defer file.Close()
	symbols, err := file.ImportedSymbols()
	for _, s := range symbols {
		if strings.Contains(s.Name, "StreamCreate") || strings.Contains(s.Name, "GraphLaunch") {
			return true
		}
	}
	return err != nil
}

// Findings implements Detector.
func (d *streamsDetector) Findings() []Finding {
	var out []Finding
	for _, r := range d.Races() {
		out = append(out, Finding{Finding: d.finding(r), Detector: d.Name(), Count: r.Count})
	}
	return out
}

func (d *streamsDetector) finding(r *streams.Race) race.Finding {
	s := d.sources
	f := race.Finding{Source: "dynamic", Rule: race.StreamOrder, Kind: race.InterGrid, Severity: race.Error, Space: event.Global.String()}
	f.First, f.Second = d.site(&r.First), d.site(&r.Second)
	f.Operations = []race.Operation{d.operation(&r.First, &r.Second), d.operation(&r.Second, &r.First)}
	for _, o := range f.Operations { // of two launches the later one
		f.Kernel = cmp.Or(o.Kernel, f.Kernel)
	}
	if f.First.Span.IsZero() || f.Second.Span.IsZero() { // a program without line information
		f.First.Span, f.Second.Span = cmp.Or(f.First.Span, f.Second.Span), cmp.Or(f.Second.Span, f.First.Span)
	}
	f.Allocated, f.Variable = s.allocation(r.Variable)
	if _, unnamed := cudart.Callers(r.Variable); !unnamed {
		f.Variable = variableName(r.Variable)
	}
	switch {
	case r.SameValue:
		f.Severity = race.Hint
	case r.First.Operation.What == event.StagedCopyWork: // today's drivers wait for nearly all of it
		f.Severity = race.Information
	}
	f.Message, f.Why, f.Mend = streamsMessage(&f, r), streamsWhy(&f, r), streamsMend(r)
	return f
}

func (d *streamsDetector) site(side *streams.Side) race.Site {
	if side.Launch == nil {
		return race.Site{Span: d.call(side), Access: side.Access}
	}
	out := race.Site{Span: d.sources.Span(side.Location.Place), Access: side.Access}
	for _, p := range side.Location.Inlined {
		out.Inlined = append(out.Inlined, d.sources.Span(p))
	}
	return d.sources.atCall(out, side.Launch)
}

func (d *streamsDetector) operation(side, other *streams.Side) race.Operation {
	o := race.Operation{What: workOf(side), Stream: d.name(side, other), Span: d.call(side)}
	if l := side.Launch; l != nil {
		o.Kernel, o.Grid, o.Block, o.Thread = toolchain.PlainName(l.Kernel), l.Grid, l.Block, side.Thread
	}
	return o
}

// name is what the stream of an operation is called: as its call has it, or else as the one has it that makes the stream. If both
// sides of a race are called alike, they are numbered.
func (d *streamsDetector) name(side, other *streams.Side) string {
	switch s := &side.Stream; {
	case s.PerThread:
		return "the default stream of a thread"
	case s.Number == 0:
		return "the default stream"
	}
	name := d.variable(side)
	switch {
	case name == "":
		return fmt.Sprintf("stream %d", side.Stream.Number)
	case side.Stream != other.Stream && d.variable(other) == name:
		return fmt.Sprintf("stream %d (`%s`)", side.Stream.Number, name)
	}
	return "stream `" + name + "`"
}

// variable is how the program calls the stream of an operation.
func (d *streamsDetector) variable(side *streams.Side) string {
	at := d.call(side)
	if name := d.sources.streamArgument(at); name != "" && !side.Operation.Node { // what makes a node names another one, if any
		return name
	}
	callers, _ := cudart.Callers(side.Stream.From)
	return d.sources.argument(d.sources.called(callers), makesStream)
}

// call is the host's call for an operation.
func (d *streamsDetector) call(side *streams.Side) source.Span {
	if side.Launch != nil {
		return d.sources.launched(side.Launch)
	}
	callers, _ := cudart.Callers(side.Operation.From)
	return d.sources.called(callers)
}

// asynchronous is a call whose last argument is a stream, and aName an argument that is the name of one.
var (
	asynchronous = regexp.MustCompile(`\bcu\w+Async\w*\s*\(`)
	aName        = regexp.MustCompile(`^[A-Za-z_][\w.:+*/%\[\]\s-]*(?:->[\w.]+)*$`)
)

// streamArgument is the stream that a launch or a call names which begins at a place; empty if it is none, or has none.
func (s *Sources) streamArgument(at source.Span) string {
	file, ok := s.File(at.File)
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(file.Text[at.Start:], ";")
	argument := ""
	if open := strings.Index(text, "<<<"); open >= 0 {
		if end := configurationEnd(text, open+3); end >= 0 && countArguments(text[open+3:end]) == 4 {
			argument = lastArgument(text[open+3 : end])
		}
	} else if call := asynchronous.FindStringIndex(text); call != nil {
		if end := matching(text, call[1], ')'); end >= 0 {
			argument = lastArgument(text[call[1]:end])
		}
	}
	if argument = strings.TrimSpace(argument); aName.MatchString(argument) {
		return argument
	}
	return ""
}

// lastArgument is what stands behind the last comma that is in no brackets.
func lastArgument(list string) string {
	depth := 0
	for at := len(list) - 1; at >= 0; at-- {
		switch c := list[at]; {
		case strings.IndexByte(")]}", c) >= 0:
			depth++
		case strings.IndexByte("([{", c) >= 0:
			depth--
		case c == ',' && depth == 0:
			return list[at+1:]
		}
	}
	return list
}

// workOf says what an operation is.
func workOf(side *streams.Side) string {
	switch {
	case side.Launch != nil:
		return "kernel `" + toolchain.PlainName(side.Launch.Kernel) + "`"
	case side.Operation.What == event.FillWork:
		return "a fill"
	case side.Operation.What == event.FreeWork:
		return "the end of the allocation"
	case side.Operation.What == event.ConditionWork:
		return "a conditional node"
	}
	return "a copy"
}

// streamsMessage says in one line what two operations do.
func streamsMessage(f *race.Finding, r *streams.Race) string {
	one, other := workOf(&r.First), workOf(&r.Second)
	who := fmt.Sprintf("%s and %s", one, other)
	switch {
	case one == other && r.First.Launch != nil:
		who = "two launches of " + one
	case one == other:
		who = "two " + map[bool]string{true: "copies", false: "fills"}[one == "a copy"]
	case r.First.Launch != nil && r.Second.Launch != nil:
		who = fmt.Sprintf("kernels `%s` and `%s`", toolchain.PlainName(r.First.Launch.Kernel), toolchain.PlainName(r.Second.Launch.Kernel))
	}
	where := "in different streams"
	if inOneGraph(r) {
		where = "of one graph"
	}
	what := memoryOf(f)
	if r.Second.Operation.What == event.FreeWork { // it is never the first: nothing is kept of what is gone
		return fmt.Sprintf("%s is freed in one stream while %s of another one may still use it", what, one)
	}
	if r.SameValue {
		return fmt.Sprintf("%s %s write the same value to %s", who, where, what)
	}
	both := map[race.Access]string{race.Write: "write", race.Atomic: "update"}
	if f.First.Access == f.Second.Access {
		return fmt.Sprintf("%s %s both %s %s, and nothing orders them", who, where, both[f.First.Access], what)
	}
	does := map[race.Access]string{race.Read: "reads", race.Write: "writes", race.Atomic: "updates"}
	return fmt.Sprintf("%s %s: one %s %s, the other %s it, and nothing orders them", who, where, does[f.First.Access], what, does[f.Second.Access])
}

// inOneGraph reports whether two operations are nodes of a graph, as they are if their stream is one.
func inOneGraph(r *streams.Race) bool { return r.First.Stream == r.Second.Stream }

// streamsWhy says why nothing orders two operations.
func streamsWhy(f *race.Finding, r *streams.Race) string {
	if inOneGraph(r) {
		return "No path of the graph's edges leads from the one node to the other, so they may run at the same time."
	}
	text := "The two streams run beside each other: neither waits for an event behind the other's operation, and the host has not waited for the first one when it enqueues the second. "
	for i, side := range []*streams.Side{&r.First, &r.Second} {
		other := []*streams.Side{&r.Second, &r.First}[i]
		if side.Stream.Number == 0 && !side.Stream.PerThread && other.Stream.NonBlocking {
			text += capital(f.Operations[1-i].Stream) + " is made with `cudaStreamNonBlocking`, so it and the default stream do not wait for each other. "
		}
	}
	switch first := &r.First; {
	case first.Operation.What == event.StagedCopyWork:
		text += "A copy from pageable memory returns once that has been read; the device may not have it yet. "
	case first.Launch == nil && first.Stream.Number == 0:
		text += "The call returns before the device has done it. "
	}
	return strings.TrimSpace(text)
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// streamsMend says what takes such a race away.
func streamsMend(r *streams.Race) string {
	if inOneGraph(r) {
		return "Add an edge between the nodes (`cudaGraphAddDependencies`; in a capture, record an event behind the first and let the second's stream wait for it)."
	}
	return "Record an event behind the first (`cudaEventRecord`) and let the second's stream wait for it (`cudaStreamWaitEvent`), or use one stream for both, or let the host wait between them (`cudaStreamSynchronize`)."
}
