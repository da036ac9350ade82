package analysis

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis/access"
	"github.com/warplint/warplint/analysis/lower"
	"github.com/warplint/warplint/analysis/meet"
	"github.com/warplint/warplint/analysis/prove/trial"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
	"github.com/warplint/warplint/analysis/syntax"
	"github.com/warplint/warplint/analysis/term"
)

var recordQueries = flag.Bool("record-queries", false, "write the queries of our kernels anew, for the tests of the solvers")

const recordedQueries = "prove/trial/testdata/queries.txt"

// The recorded queries can be read, and are some of each answer. With -record-queries they are written
// anew from the kernels of testdata:
//
//	go test ./analysis -run TestRecordedQueries -record-queries
func TestRecordedQueries(t *testing.T) {
	if *recordQueries {
		record(t)
	}
	text, err := os.ReadFile(recordedQueries)
	if err != nil {
		t.Fatal(err)
	}
	queries, err := trial.Read(string(text))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]int{}
	for _, q := range queries {
		answers[q.Answer]++
	}
	if answers[string(meet.Apart)] < 40 || answers[string(meet.Undecided)] < 40 {
		t.Errorf("%v", answers)
	}
}

// record writes one question of each file and answer.
func record(t *testing.T) {
	var out strings.Builder
	for _, archive := range []string{"racefree", "racy"} {
		files, err := txtar.ParseFile("testdata/" + archive + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files.Files {
			var written []meet.Answer
			questions(file.Name, string(file.Data), func(s *access.Summary, q meet.Question) {
				if q.Answer == meet.Ordered || slices.Contains(written, q.Answer) {
					return
				}
				var one strings.Builder
				name := fmt.Sprintf("%s, %s, %s", file.Name, s.Func.Name, q.Kind)
				if err := trial.Record(&one, name, string(q.Answer), meet.Query(s, q.A, q.B, q.Kind, q.Mode), s.Axioms); err != nil {
					t.Fatal(err)
				}
				const most = 2000 // bytes: large ones show no more
				if one.Len() < most {
					written = append(written, q.Answer)
					out.WriteString(one.String())
				}
			})
		}
	}
	if err := os.WriteFile(recordedQueries, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// questions tells of each question about the kernels of a text.
func questions(path, text string, tell func(*access.Summary, meet.Question)) {
	ctx := context.Background()
	req := Request{Files: source.Map{path: source.New(path, text)}, Path: path}
	module := lower.Module(syntax.Parse(ctx, req.Files, path, req.Config.Config, nil))
	for _, f := range module.Kernels {
		table := term.NewTable()
		for _, l := range newHostRuns(nil).launches(ctx, table, f, launchersIn(module)[f]) {
			s := access.Summarize(ctx, table, f, l, race.Dim3{}, race.Dim3{})
			meet.Explain(ctx, s, nil, func(q meet.Question) { tell(s, q) })
		}
	}
}
