package lsp_test

// This file replays editor sessions: text archives in testdata that hold files, and a script of
// what a user does with them and sees. Each archive begins with prose that says what it shows.
//
// A script has one step on each line; a step's expectations are indented below it. Words may be
// quoted as in Go. Steps:
//
//	client CAPABILITY=JSON...        what the editor can do, by the path of the capability
//	settings JSON                    the user's settings, from now on
//	open FILE [LANGUAGE]             opens a file of the archive, or one that was written
//	edit FILE OLD NEW                replaces the first OLD by NEW, which are single texts
//	undo FILE                        takes the last edit or action back
//	save FILE                        writes the buffer to disk as FILE
//	autosave FILE                    does so without being told by the user
//	reread FILE                      takes the text on disk into the buffer
//	close FILE
//	write FILE SECTION               writes a section of the archive to disk as FILE
//	indexed                          waits until the workspace folders are indexed
//	delete FILE                      deletes FILE on disk
//	folders ±FOLDER...               adds and removes workspace folders; . is the one it begins with
//	diagnostics FILE                 waits for those of the newest version; below, each of them:
//	    SEVERITY RULE TEXT               TEXT is the source text that it is under
//	      [FILE] TEXT: MESSAGE           each related place
//	hover FILE TEXT SECTION          hovers over the first TEXT; SECTION is what it shows, or -
//	actions FILE TEXT                asks for what can be done there; below, each title, after
//	                                 "preferred" if it is
//	apply FILE TEXT TITLE            takes that action
//	fixall FILE                      takes the action that fixes all that is safe
//	command NAME FILE [JSON]         executes a command about a file; JSON is what it takes besides
//	ended                            waits for the end of a run; below, what the user is told, without
//	                                 empty lines
//	lenses FILE                      asks for the code lenses; below, each: its line and title
//	text FILE SECTION                the buffer now has the text of the section
//
// `go test ./lsp -run Sessions -update` rewrites what is expected.

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/protocol"
	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/lsp"
)

var update = flag.Bool("update", false, "rewrite the expected texts of sessions")

func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no sessions: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			replay(t, file, serve(t, lsp.Options{}))
		})
	}
}

// session is the replay of one archive.
type session struct {
	t         *testing.T
	e         *editor
	archive   *txtar.Archive
	caps      map[string]any
	started   bool
	initial   map[string]any    // what initialize says besides
	told      int               // messages that the session has read
	indexings int               // that the session has waited for
	undo      map[string]string // by file, the text before the last edit or action
}

// step is a line of the script with what stands indented below it. Comments and empty lines
// are steps without words.
type step struct {
	number int
	line   string
	words  []string
	below  []string
}

func replay(t *testing.T, file string, e *editor) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(strings.TrimSpace(string(archive.Comment))) == 0 {
		t.Errorf("%s does not say what it shows", file)
	}
	s := &session{t: t, e: e, archive: archive, caps: capabilities(), initial: map[string]any{}, undo: map[string]string{}}
	set(s.caps, "workspace.configuration", nil)
	text, ok := s.section("script")
	if !ok {
		t.Fatalf("%s has no script", file)
	}
	for _, f := range archive.Files {
		if f.Name != "script" {
			e.write(f.Name, string(f.Data))
		}
	}
	script := parseScript(t, text)
	for i := range script {
		before := t.Failed()
		s.run(&script[i])
		if t.Failed() && !before {
			t.Errorf("%s: script line %d: %s", file, script[i].number, script[i].line)
		}
	}
	e.quit()
	if *update {
		s.same("script", formatScript(script))
		e.must(os.WriteFile(file, txtar.Format(archive), 0o666))
	}
}

func parseScript(t *testing.T, script string) []step {
	t.Helper()
	var steps []step
	for i, line := range strings.Split(strings.TrimRight(script, "\n"), "\n") {
		next := step{number: i + 1, line: line}
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, " ") && len(steps) > 0:
			last := &steps[len(steps)-1]
			last.below = append(last.below, strings.TrimRight(line, " "))
			continue
		default:
			next.words = words(t, line)
		}
		steps = append(steps, next)
	}
	return steps
}

func formatScript(steps []step) string {
	var lines []string
	for _, st := range steps {
		lines = append(append(lines, st.line), st.below...)
	}
	return strings.Join(lines, "\n")
}

// words splits a line; a quoted word may hold spaces.
func words(t *testing.T, line string) []string {
	t.Helper()
	var all []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] != '"' && line[0] != '`' {
			word, rest, _ := strings.Cut(line, " ")
			all, line = append(all, word), rest
			continue
		}
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		word, _ := strconv.Unquote(quoted)
		all, line = append(all, word), line[len(quoted):]
	}
	return all
}

func (s *session) section(name string) (string, bool) {
	for _, f := range s.archive.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// same compares a text with a section, or makes it the section.
func (s *session) same(name, got string) {
	s.t.Helper()
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	want, ok := s.section(name)
	switch {
	case *update && ok:
		for i := range s.archive.Files {
			if s.archive.Files[i].Name == name {
				s.archive.Files[i].Data = []byte(got)
			}
		}
	case *update:
		s.archive.Files = append(s.archive.Files, txtar.File{Name: name, Data: []byte(got)})
	case want != got:
		s.t.Errorf("%s is not what is expected; got\n%s\nwant\n%s", name, got, want)
	}
}

// steps maps a step's name to what it does and how many words it needs at least.
var steps = map[string]struct {
	words int
	do    func(*session, *step)
}{
	"client": {2, (*session).client}, "settings": {2, (*session).settings},
	"open": {2, (*session).open}, "close": {2, (*session).close}, "write": {3, (*session).write},
	"edit": {4, (*session).edit}, "undo": {2, (*session).undoEdit}, "save": {2, (*session).save},
	"diagnostics": {2, (*session).diagnostics}, "hover": {4, (*session).hover},
	"actions": {3, (*session).actions}, "apply": {4, (*session).apply}, "fixall": {2, (*session).fixAll},
	"text": {3, (*session).text}, "command": {3, (*session).command}, "ended": {1, (*session).ended},
	"lenses": {2, (*session).lenses}, "indexed": {1, (*session).indexed}, "delete": {2, (*session).delete},
	"folders": {2, (*session).folders}, "autosave": {2, (*session).autosave}, "reread": {2, (*session).reread},
}

func (s *session) run(st *step) {
	s.t.Helper()
	if len(st.words) == 0 {
		return
	}
	known, ok := steps[st.words[0]]
	if !ok || len(st.words) < known.words {
		s.t.Fatalf("script line %d: there is no such step", st.number)
	}
	if setup := st.words[0] == "client" || st.words[0] == "settings"; !s.started && !setup {
		s.started = true
		s.e.initialize(s.caps, s.initial)
	}
	known.do(s, st)
}

func (s *session) client(st *step) {
	for _, word := range st.words[1:] {
		path, value, _ := strings.Cut(word, "=")
		var decoded any
		if err := json.Unmarshal([]byte(value), &decoded); err != nil {
			s.t.Fatalf("%s: %v", word, err)
		}
		set(s.caps, path, decoded)
	}
}

// settings are pushed, so that they are known before the next step.
func (s *session) settings(st *step) {
	raw := json.RawMessage(st.words[1])
	if !s.started {
		s.initial["initializationOptions"] = raw
		return
	}
	s.e.must(s.e.server.DidChangeConfiguration(s.e.ctx, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny(raw)}))
}

func (s *session) open(st *step) {
	language := "cuda-cpp"
	if len(st.words) > 2 {
		language = st.words[2]
	}
	text, ok := s.section(st.words[1])
	if !ok {
		written, err := os.ReadFile(s.e.path(st.words[1]))
		s.e.must(err)
		text = string(written)
	}
	s.e.open(st.words[1], language, text)
}

func (s *session) close(st *step) {
	s.e.close(st.words[1])
	s.e.await("diagnostics to be cleared", func() bool {
		all := s.e.published[s.e.uri(st.words[1])]
		return len(all) == 0 || len(all[len(all)-1].Diagnostics) == 0
	})
}

func (s *session) write(st *step) {
	text, ok := s.section(st.words[2])
	if !ok {
		s.t.Fatalf("the archive has no section %s", st.words[2])
	}
	s.e.write(st.words[1], text)
	s.e.watched(st.words[1])
}

func (s *session) indexed(*step) {
	s.e.await("the index", func() bool { return s.e.begun > s.indexings && s.e.finished == s.e.begun })
	s.indexings++
}

func (s *session) delete(st *step) {
	s.e.must(os.Remove(s.e.path(st.words[1])))
	s.e.watched(st.words[1])
}

func (s *session) folders(st *step) {
	var event protocol.WorkspaceFoldersChangeEvent
	for _, word := range st.words[1:] {
		folder := protocol.WorkspaceFolder{URI: s.e.uri(word[1:]), Name: word[1:]}
		if word[0] == '+' {
			event.Added = append(event.Added, folder)
		} else {
			event.Removed = append(event.Removed, folder)
		}
	}
	s.e.must(s.e.server.DidChangeWorkspaceFolders(s.e.ctx, &protocol.DidChangeWorkspaceFoldersParams{Event: event}))
}

func (s *session) edit(st *step) {
	s.undo[st.words[1]] = s.e.buffers[st.words[1]].text
	s.e.edit(st.words[1], st.words[2], st.words[3])
}

func (s *session) undoEdit(st *step) {
	before, ok := s.undo[st.words[1]]
	if !ok {
		s.t.Fatalf("there is nothing to undo in %s", st.words[1])
	}
	s.e.replace(st.words[1], 0, len(s.e.buffers[st.words[1]].text), before)
}

func (s *session) save(st *step) { s.e.save(st.words[1], protocol.TextDocumentSaveReasonManual) }

func (s *session) autosave(st *step) {
	s.e.save(st.words[1], protocol.TextDocumentSaveReasonAfterDelay)
}

func (s *session) reread(st *step) {
	text, err := os.ReadFile(s.e.path(st.words[1]))
	s.e.must(err)
	s.e.replace(st.words[1], 0, len(s.e.buffers[st.words[1]].text), string(text))
}

// diagnostics compares all diagnostics of a file's newest version. It pulls them first: the
// server answers when it has checked all that it was told, and has published it before.
func (s *session) diagnostics(st *step) {
	s.t.Helper()
	name := st.words[1]
	pulled := s.e.pull(name)
	all := s.e.diagnostics(name, s.e.buffers[name].version)
	if !reflect.DeepEqual(all, pulled) {
		s.t.Errorf("published %+v, but pulled %+v", all, pulled)
	}
	var got []string
	for _, d := range all {
		got = append(got, s.describe(name, d)...)
	}
	s.expect(st, got)
}

// expect compares lines with what is indented below a step.
func (s *session) expect(st *step, got []string) {
	s.t.Helper()
	for i := range got {
		got[i] = "    " + got[i]
	}
	if *update {
		st.below = got
	} else if g, w := strings.Join(got, "\n"), strings.Join(st.below, "\n"); g != w {
		s.t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

func (s *session) describe(name string, d protocol.Diagnostic) []string {
	severity := [...]string{"", "error", "warning", "information", "hint"}[d.Severity]
	lines := []string{fmt.Sprintf("%s %s %q", severity, d.Code, s.e.under(s.e.uri(name), d.Range))}
	if source, _ := d.Source.Get(); source != "warplint" {
		for range d.Tags.Slice() {
			severity = "greyed " + severity
		}
		lines[0] = fmt.Sprintf("%s %s from %s %q", severity, d.Code, source, s.e.under(s.e.uri(name), d.Range))
		lines = append(lines, "  "+string(d.Message.(protocol.String)))
	}
	for _, r := range d.RelatedInformation {
		where := ""
		if r.Location.URI != s.e.uri(name) {
			where = filepath.Base(r.Location.URI.FsPath()) + " "
		}
		lines = append(lines, fmt.Sprintf("  %s%q: %s", where, s.e.under(r.Location.URI, r.Location.Range), r.Message))
	}
	return lines
}

// place returns the position of the first occurrence of a text.
func (s *session) place(name, text string) protocol.Position {
	return s.e.position(s.e.buffers[name].text, s.e.find(name, text))
}

func (s *session) hover(st *step) {
	params := &protocol.HoverParams{}
	params.TextDocument.URI, params.Position = s.e.uri(st.words[1]), s.place(st.words[1], st.words[2])
	hover, err := s.e.server.Hover(s.e.ctx, params)
	s.e.must(err)
	if hover == nil {
		if st.words[3] != "-" {
			s.t.Error("there is no hover")
		}
		return
	}
	s.same(st.words[3], hover.Contents.(*protocol.MarkupContent).Value)
}

// actionsAt asks for the actions at a text, of the given kinds or of all.
func (s *session) actionsAt(name, text string, only ...protocol.CodeActionKind) []*protocol.CodeAction {
	at := s.place(name, text)
	params := &protocol.CodeActionParams{Range: protocol.Range{Start: at, End: at}}
	params.TextDocument.URI, params.Context.Only = s.e.uri(name), only
	params.Context.Diagnostics = s.e.diagnostics(name, s.e.buffers[name].version)
	found, err := s.e.server.CodeAction(s.e.ctx, params)
	s.e.must(err)
	var actions []*protocol.CodeAction
	for _, action := range found {
		actions = append(actions, action.(*protocol.CodeAction))
	}
	return actions
}

func (s *session) actions(st *step) {
	var got []string
	for _, action := range s.actionsAt(st.words[1], st.words[2]) {
		line := action.Title
		if action.IsPreferred != nil && *action.IsPreferred {
			line = "preferred " + line
		}
		got = append(got, line)
	}
	s.expect(st, got)
}

func (s *session) apply(st *step) {
	for _, action := range s.actionsAt(st.words[1], st.words[2]) {
		if action.Title == st.words[3] {
			s.take(action)
			return
		}
	}
	s.t.Errorf("there is no action %q", st.words[3])
}

func (s *session) fixAll(st *step) {
	actions := s.actionsAt(st.words[1], "", "source.fixAll")
	if len(actions) != 1 {
		s.t.Errorf("there are %d actions to fix everything, want 1", len(actions))
		return
	}
	s.take(actions[0])
}

// take does what an action says, as an editor would.
func (s *session) take(action *protocol.CodeAction) {
	if action.Edit == nil && len(action.Data) > 0 {
		resolved, err := s.e.server.CodeActionResolve(s.e.ctx, action)
		s.e.must(err)
		action = resolved
	}
	if action.Edit != nil {
		for name, b := range s.e.buffers {
			s.undo[name] = b.text
		}
		s.e.apply(action.Edit)
	}
	if command := action.Command; command.Command != "" {
		_, err := s.e.server.ExecuteCommand(s.e.ctx, &protocol.ExecuteCommandParams{Command: command.Command, Arguments: command.Arguments})
		s.e.must(err)
	}
}

func (s *session) command(st *step) {
	argument := map[string]any{}
	if len(st.words) > 3 {
		s.e.must(json.Unmarshal([]byte(st.words[3]), &argument))
	}
	argument["uri"] = s.e.uri(st.words[2])
	raw, err := json.Marshal(argument)
	s.e.must(err)
	_, err = s.e.server.ExecuteCommand(s.e.ctx, &protocol.ExecuteCommandParams{Command: st.words[1], Arguments: []protocol.LSPAny{raw}})
	var got []string
	if err != nil {
		got = append(got, err.Error())
	}
	s.expect(st, got)
}

// ended waits for one more message than there was; a run ends with one.
func (s *session) ended(st *step) {
	s.told++
	s.e.await("the end of a run", func() bool { return len(s.e.messages) >= s.told })
	s.e.mu.Lock()
	got := strings.ReplaceAll(s.e.messages[s.told-1], s.e.dir, "")
	s.e.mu.Unlock()
	s.expect(st, strings.FieldsFunc(got, func(r rune) bool { return r == '\n' }))
}

func (s *session) lenses(st *step) {
	params := &protocol.CodeLensParams{}
	params.TextDocument.URI = s.e.uri(st.words[1])
	lenses, err := s.e.server.CodeLens(s.e.ctx, params)
	s.e.must(err)
	var got []string
	for _, lens := range lenses {
		got = append(got, fmt.Sprintf("line %d: %s", lens.Range.Start.Line+1, lens.Command.Title))
	}
	s.expect(st, got)
}

func (s *session) text(st *step) { s.same(st.words[2], s.e.buffers[st.words[1]].text) }

// TestHammer types at random while others ask, and compares what is left in the end with what a
// server finds that has seen nothing else.
func TestHammer(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/missing-syncthreads.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s := &session{archive: archive}
	text, _ := s.section("shift.cu")
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			e := serve(t, lsp.Options{})
			e.initialize(capabilities(), nil)
			e.open("a.cu", "cuda-cpp", text)
			var asking sync.WaitGroup
			for range 40 {
				ask := hoverAt(e, "a.cu", random.IntN(len(e.buffers["a.cu"].text)))
				asking.Add(1)
				go func() {
					defer asking.Done()
					if _, err := e.server.Hover(e.ctx, ask); err != nil && code(err) != protocol.CodeContentModified {
						t.Errorf("hover: %v", err)
					}
				}()
				start := random.IntN(len(e.buffers["a.cu"].text))
				end := min(start+random.IntN(20), len(e.buffers["a.cu"].text))
				removed := e.buffers["a.cu"].text[start:end]
				e.replace("a.cu", start, end, "")
				if random.IntN(4) > 0 {
					e.replace("a.cu", start, start, removed)
				}
			}
			asking.Wait()
			e.save("a.cu", protocol.TextDocumentSaveReasonManual) // the text is meant as it is
			got := e.pull("a.cu")
			other := serve(t, lsp.Options{})
			other.dir = e.dir
			other.initialize(capabilities(), nil)
			other.open("a.cu", "cuda-cpp", e.buffers["a.cu"].text)
			if want := other.pull("a.cu"); !reflect.DeepEqual(got, want) {
				t.Errorf("for\n%s\nthe server that saw it typed shows\n%+v\nand a new one\n%+v", e.buffers["a.cu"].text, got, want)
			}
			e.quit()
			other.quit()
		})
	}
}
