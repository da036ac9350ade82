package racecheck

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// testFiles holds the real reports and their programs, by their names without folders.
func testFiles(t testing.TB) source.Map {
	t.Helper()
	names, err := filepath.Glob("testdata/*.*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	files := source.Map{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(name)
		files[base] = source.New(base, string(text))
	}
	return files
}

// show writes findings in a line each, with what the tests are about.
func show(r Result) []string {
	var out []string
	for _, f := range r.Findings {
		place := func(s race.Site) string {
			file, ok := r.Files.File(s.Span.File)
			if !ok {
				return s.Span.File + ":?"
			}
			return fmt.Sprintf("%s:%d %s", s.Span.File, file.Position(s.Span.Start).Line, s.Access)
		}
		out = append(out, fmt.Sprintf("%s %s %s %s, %s, %s: %d", f.Severity, f.Kind, f.Rule, f.Kernel, place(f.First), place(f.Second), f.Count))
	}
	return out
}

func wantLines(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestRealReports reads what compute-sanitizer 2025.3.1 wrote on a GPU.
func TestRealReports(t *testing.T) {
	tail := func(counts string) []string {
		var out []string
		for i, c := range strings.Fields(counts) {
			out = append(out, "warning intra-block missing-syncthreads block_sum, "+[]string{
				"warp_tail.cu:8 write, warp_tail.cu:9 read", "warp_tail.cu:8 write, warp_tail.cu:10 read",
				"warp_tail.cu:9 write, warp_tail.cu:10 read", "warp_tail.cu:9 write, warp_tail.cu:11 read",
				"warp_tail.cu:10 write, warp_tail.cu:11 read", "warp_tail.cu:10 write, warp_tail.cu:12 read",
				"warp_tail.cu:11 write, warp_tail.cu:12 read", "warp_tail.cu:12 write, warp_tail.cu:13 read",
			}[i]+": "+c)
		}
		return out
	}
	rest := []string{
		"error intra-block missing-syncthreads rotate, neighbour.cu:20 read, neighbour.cu:21 write: 512",
		"error intra-block missing-syncthreads last_writer, neighbour.cu:11 write, neighbour.cu:11 write: 127",
	}
	shift := "shift_left, neighbour.cu:6 write, neighbour.cu:7 read: "
	cases := []struct {
		reports string
		want    []string
		hidden  race.Severity
	}{
		{"neighbour.analysis.txt", append([]string{"error intra-block missing-syncthreads " + shift + "508"}, rest...), race.Hint},
		{"neighbour.hazard.txt", []string{"warning intra-warp missing-syncwarp " + shift + "9"}, race.Error},
		{"neighbour.xml", []string{"warning intra-warp missing-syncwarp shift_left, /src/neighbour.cu:6 write, /src/neighbour.cu:7 read: 8"}, race.Hint},
		{"warp_tail.analysis.txt", tail("256 128 128 64 64 32 32 16"), race.Hint},
		{"warp_tail.hazard.txt", []string{
			"warning intra-warp missing-syncwarp block_sum, warp_tail.cu:8 write, warp_tail.cu:9 read: 7",
			"warning intra-warp missing-syncwarp block_sum, warp_tail.cu:9 write, warp_tail.cu:10 read: 2"}, race.Warning},
		// An error that the hazards shown do not account for is not one of a warp alone.
		{"neighbour.xml neighbour.analysis.txt", append([]string{"error intra-block missing-syncthreads " + shift + "508"}, rest...), race.Hint},
		{"neighbour.hazard.txt neighbour.xml", []string{"warning intra-warp missing-syncwarp " + shift + "9"}, race.Error},
	}
	for _, c := range cases {
		t.Run(c.reports, func(t *testing.T) {
			files := testFiles(t)
			var reports []*Report
			for _, name := range strings.Fields(c.reports) {
				text := strings.ReplaceAll(files[name].Text, "<path>"+"/home"+"/dev/project", "<path>/src")
				r := Parse(source.New(name, text))
				if len(r.Gaps) > 0 || r.Unknown > 0 && strings.HasSuffix(name, ".xml") {
					t.Errorf("%s has gaps %q and %d unknown records", name, r.Gaps, r.Unknown)
				}
				if r.Unknown > 0 {
					t.Errorf("%s has unknown lines: %q", name, r.Notes)
				}
				if strings.HasSuffix(name, ".txt") && r.Hidden != c.hidden && len(c.want) > 0 {
					t.Errorf("%s hides %v, want %v", name, r.Hidden, c.hidden)
				}
				reports = append(reports, r)
			}
			wantLines(t, show(Findings(reports, files, race.Dim3{})), c.want)
		})
	}
}

const summary = "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n"

// hazard writes a record of the hazard form.
func hazard(head, first, second string) string {
	return "========= " + head + " at __shared__ 0x10 in block (0,0,0) :\n=========     " + first + "\n=========     " + second + "\n"
}

// TestForms has each form of a record, in a file that is not on this machine.
func TestForms(t *testing.T) {
	const raw = "Error: Potential RAW hazard detected"
	usual := hazard(raw, "Write Thread (0,0,0) at k(int *)+0x90 in a.cu:4", "Read Thread (40,0,0) at k(int *)+0x100 in a.cu:5")
	const usualWant = "error intra-block missing-syncthreads k, a.cu:4 write, a.cu:5 read: 1"
	cases := []struct {
		name, text, want string
		block            race.Dim3
	}{
		{name: "usual", text: usual, want: usualWant},
		{name: "CRLF and no last line end", text: strings.TrimSuffix(strings.ReplaceAll(usual, "\n", "\r\n"), "\r\n") + "\r\n", want: usualWant},
		{name: "eight signs", text: strings.ReplaceAll(usual, "=========", "========"), want: usualWant},
		{name: "the program's output between", text: strings.ReplaceAll(usual, "=========  ", "step 1 of 3\n\n=========  "), want: usualWant},
		{name: "the program's output before", text: strings.ReplaceAll(usual, "========= ", "50% done========= "), want: usualWant},
		{name: "the time before each line", want: usualWant,
			text: strings.NewReplacer("========= Error", "10:00:01 ========= Error", "=========     Read", "10:00:02 =========     Read", "========= \n", "10:00:03 ========= \n").Replace(usual)},
		{name: "UTF-16", want: usualWant, text: "\xff\xfe" + strings.Join(strings.Split(usual+summary, ""), "\x00") + "\x00"},
		{name: "two processes at once, named in front", want: "error intra-block missing-syncthreads k, a.cu:4 write, a.cu:5 read: 3",
			text: "0: ========= Error: Race reported between Write access at k(int *)+0x90 in a.cu:4\n" +
				"1: ========= Error: Race reported between Read access at k(int *)+0x100 in a.cu:5\n" +
				"0: =========     and Read access at k(int *)+0x100 in a.cu:5 [1 hazard]\n0: ========= \n" +
				"1: =========     and Write access at k(int *)+0x90 in a.cu:4 [2 hazards]\n1: ========= \n"},
		{name: "the earlier access second in the text", want: "error intra-block missing-syncthreads k, a.cu:4 write, a.cu:5 read: 1",
			text: hazard("Error: Potential WAR hazard detected", "Read Thread (40,0,0) at k(int *)+0x100 in a.cu:5", "Write Thread (0,0,0) at k(int *)+0x90 in a.cu:4")},
		{name: "old places, spaces in tuples", want: usualWant,
			text: strings.ReplaceAll(hazard("ERROR: Potential RAW hazard detected", "Write Thread (0, 0, 0) at 0x00000090 in a.cu:4:k(int*)",
				"Read Thread (40, 0, 0) at 0x00000100 in a.cu:5:k(int*)"), "(0,0,0) :", "( 0, 0, 0 ):")},
		{name: "analysis", want: "error intra-block missing-syncthreads k, a.cu:4 write, a.cu:5 read: 508",
			text: "========= Error: Race reported between Write access at k(int *, int *)+0x90 in a.cu:4\n" +
				"=========     and Read access at k(int *, int *)+0x100 in a.cu:5 [508 hazards]\n"},
		{name: "analysis of one hazard, old places", want: "error intra-block missing-syncthreads k, C:\\x y\\a.cu:4 write, C:\\x y\\a.cu:5 read: 1",
			text: "========= ERROR: Race reported between Write access at 0x90 in C:\\x y\\a.cu:4:ns::k(int*)\n" +
				"=========     and Read access at 0x100 in C:\\x y\\a.cu:5:ns::k(int*) [1 hazard]\n"},
		{name: "a demangled name", want: "error intra-block missing-syncthreads k, a in b/a.cu:4 write, a in b/a.cu:5 read: 1",
			text: strings.NewReplacer("k(int *)", "void <unnamed>::k<int, (ns::E)1, at::T<3>>(int *, std::array<int, 3> (&)[2])", "a.cu", "a in b/a.cu").Replace(usual)},
		{name: "same warp by mark", want: "warning intra-warp missing-syncwarp k, a.cu:4 write, a.cu:5 read: 1",
			text: hazard("Warning: (Warp Level Programming) Potential RAW hazard detected", "Write Thread (0,1,0) at k+0x90 in a.cu:4", "Read Thread (1,1,0) at k+0x100 in a.cu:5")},
		{name: "same warp by the first row", want: "error intra-warp missing-syncwarp k, a.cu:4 write, a.cu:5 read: 1",
			text: hazard(raw, "Write Thread (32,0,0) at k+0x90 in a.cu:4", "Read Thread (63,0,0) at k+0x100 in a.cu:5")},
		{name: "same warp by the block's size", block: race.Dim3{8, 8, 1}, want: "error intra-warp missing-syncwarp k, a.cu:4 write, a.cu:5 read: 1",
			text: hazard(raw, "Write Thread (0,0,0) at k+0x90 in a.cu:4", "Read Thread (7,3,0) at k+0x100 in a.cu:5")},
		{name: "another warp by the block's size", block: race.Dim3{8, 8, 1}, want: usualWant,
			text: hazard(raw, "Write Thread (0,0,0) at k+0x90 in a.cu:4", "Read Thread (0,4,0) at k+0x100 in a.cu:5")},
		{name: "the block's size is not known", want: usualWant,
			text: hazard(raw, "Write Thread (0,0,0) at k+0x90 in a.cu:4", "Read Thread (7,3,0) at k+0x100 in a.cu:5")},
		{name: "the block's size is another's", block: race.Dim3{8, 2, 1}, want: usualWant,
			text: hazard(raw, "Write Thread (0,0,0) at k+0x90 in a.cu:4", "Read Thread (7,3,0) at k+0x100 in a.cu:5")},
		{name: "two blocks of a cluster", want: "error inter-block inter-block-race k, a.cu:4 write, a.cu:5 read: 1",
			text: hazard(raw, "Write Thread (0,0,0) (block rank 0) at k+0x90 in a.cu:4", "Read Thread (0,0,0) (block rank 1) at k+0x100 in a.cu:5")},
		{name: "a block that may have ended", want: "error inter-block inter-block-race k, a.cu:4 read, a.cu:4 read: 1",
			text: "========= Error: Potential invalid __shared__ read of size 4 bytes\n=========     at k(int *)+0x90 in a.cu:4\n" +
				"=========     by thread (0,0,0) in block (1,0,0)\n=========     Address 0x10 is located in a block that might have already exited\n"},
		{name: "asynchronous copy", want: "error intra-block async-copy k, a.cu:4 write, a.cu:5 read: 1",
			text: strings.Replace(usual, "detected", "detected (invalid memcpy_async synchronization)", 1)},
		{name: "the same value", want: "information intra-block same-value-write k, a.cu:4 write, a.cu:4 write: 1",
			text: hazard("Info: Potential WAW hazard detected", "Write Thread (0,0,0) at k+0x90 in a.cu:4", "Write Thread (40,0,0) at k+0x90 in a.cu:4") +
				"=========     Current Value : 1, Incoming Value : 1\n"},
		{name: "a device function", want: "error intra-block missing-syncthreads k, a.cu:4 write, a.cu:5 read: 1",
			text: hazard(raw, "Write Thread (0,0,0) at put(int *)+0x90 in a.cu:4\n=========         Device Frame: k(int *)+0x40 in a.cu:9", "Read Thread (40,0,0) at k(int *)+0x100 in a.cu:5")},
		{name: "no line information", want: "error intra-block missing-syncthreads k, r.txt:3 read, r.txt:2 write: 1",
			text: hazard(raw, "Write Thread (0,0,0) at k(int *)+0x90", "Read Thread (40,0,0) at k(int *)+0x100")},
		{name: "two instances of a template", want: "error intra-block missing-syncthreads k, a.cu:4 write, a.cu:5 read: 2",
			text: strings.ReplaceAll(usual, "k(int *)", "void k<1>(int *)") + strings.NewReplacer("k(int *)", "void k<2>(int *)", "0x90", "0xa0").Replace(usual)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			file := Decoded(source.New("r.txt", c.text+summary))
			r := Parse(file)
			if len(r.Gaps) > 0 || r.Unknown > 0 {
				t.Errorf("gaps %q, notes %q", r.Gaps, r.Notes)
			}
			wantLines(t, show(Findings([]*Report{r}, source.Map{"r.txt": file}, c.block)), []string{c.want})
		})
	}
}

// TestIncomplete has the reports that are never clean, and those that only look so.
func TestIncomplete(t *testing.T) {
	usual := hazard("Error: Potential RAW hazard detected", "Write Thread (0,0,0) at k(int *)+0x90 in a.cu:4", "Read Thread (40,0,0) at k(int *)+0x100 in a.cu:5")
	const head = "========= COMPUTE-SANITIZER\n"
	clean := "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"
	const record = `<record><kind>Hazard</kind><what><common><type>RAW</type><address>0x10</address><blockIdx><x>0</x><y>0</y><z>0</z></blockIdx></common>` +
		`<thread0><access>Write</access><threadIdx><x>0</x><y>0</y><z>0</z></threadIdx><where><func>k</func><path>a.cu</path><line>4</line><pc>0x90</pc></where></thread0>` +
		`<thread1><access>Read</access><threadIdx><x>1</x><y>0</y><z>0</z></threadIdx><where><func>k</func><path>a.cu</path><line>5</line><pc>0x90</pc></where></thread1></what></record>`
	cases := []struct {
		name, text, gap string // gap is part of the only one; "" for a complete report
		findings        int
		hidden          race.Severity
		unknown         int
	}{
		{name: "clean", text: head + clean},
		{name: "one hazard", text: head + usual + summary, findings: 1},
		{name: "empty", text: "", gap: "no report of racecheck"},
		{name: "another text", text: "hello\nworld\n", gap: "no report of racecheck"},
		{name: "no summary", text: head + usual, findings: 1, gap: "no RACECHECK SUMMARY"},
		{name: "nothing but the header", text: head, gap: "no RACECHECK SUMMARY"},
		{name: "one of two runs", text: head + clean + head, gap: "2 runs begin"},
		{name: "two runs", text: head + usual + summary + head + clean, findings: 1},
		{name: "breaks off in a record", text: head + usual[:strings.LastIndex(usual, "Read")] + "\n" + summary, gap: "line 2 breaks off", hidden: race.Error},
		{name: "an unknown place", text: head + strings.ReplaceAll(usual, "+0x100 in", " in") + summary, gap: "line 2 breaks off", hidden: race.Error, unknown: 1},
		{name: "an analysis with one place", text: head + "========= Error: Race reported between Write access at k+0x90 in a.cu:4\n" + summary, gap: "line 2 breaks off", hidden: race.Error},
		{name: "two reads", text: head + strings.ReplaceAll(usual, "Write Thread", "Read Thread") + summary, gap: "line 2 breaks off", hidden: race.Error, unknown: 1},
		{name: "a program that failed", text: head + usual + "========= Target application returned an error\n" + summary, findings: 1, gap: "ended with an error"},
		{name: "an unknown error", text: head + "========= Error: process didn't terminate successfully\n" + clean, gap: "process didn't terminate"},
		{name: "an unknown summary", text: head + "========= RACECHECK SUMMARY: all is well\n" + clean, gap: "summary in line 2"},
		{name: "hazards of an unknown form", text: head + "========= Hazard!\n" + summary, gap: "counts 1 hazard,", hidden: race.Error, unknown: 1},
		{name: "fewer shown than counted", text: head + usual + "========= RACECHECK SUMMARY: 100 hazards displayed (155 errors, 992 warnings)\n", findings: 1, hidden: race.Error},
		{name: "unknown lines", text: head + "========= Program hit cudaErrorInvalidValue\n=========\napplication\n" + clean, unknown: 1},
		{name: "a number out of range", text: head + strings.ReplaceAll(usual, "(40,", "(99999999999999999999,") + summary, gap: "breaks off", hidden: race.Error, unknown: 1},
		{name: "XML", text: "<ComputeSanitizerOutput>" + record + "</ComputeSanitizerOutput>", findings: 1},
		{name: "XML without races", text: "<?xml version=\"1.0\"?><ComputeSanitizerOutput/>"},
		{name: "XML cut in a record", text: "<ComputeSanitizerOutput>" + record + record[:200], findings: 1, gap: "breaks off"},
		{name: "XML cut behind a record", text: "<ComputeSanitizerOutput>" + record, findings: 1, gap: "breaks off"},
		{name: "XML of something else", text: "<?xml version=\"1.0\"?><html></html>", gap: "begins with <html>"},
		{name: "XML of nothing", text: "<?xml version=\"1.0\"?>", gap: "no <ComputeSanitizerOutput>"},
		{name: "XML with an unknown kind", text: "<ComputeSanitizerOutput><record><kind>Race</kind></record></ComputeSanitizerOutput>", gap: `kind "Race"`, unknown: 1},
		{name: "XML with a hazard without threads", text: "<ComputeSanitizerOutput><record><kind>Hazard</kind></record></ComputeSanitizerOutput>", gap: "line 1 is not understood", unknown: 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			file := source.New("r", c.text)
			r := Parse(file)
			gaps := strings.Join(r.Gaps, "\n")
			if c.gap == "" && gaps != "" || !strings.Contains(gaps, c.gap) {
				t.Errorf("gaps %q, want %q", gaps, c.gap)
			}
			if r.Hidden != c.hidden || r.Unknown != c.unknown {
				t.Errorf("hidden %v, unknown %d, want %v, %d; notes %q", r.Hidden, r.Unknown, c.hidden, c.unknown, r.Notes)
			}
			if got := Findings([]*Report{r}, source.Map{"r": file}, race.Dim3{}).Findings; len(got) != c.findings {
				t.Errorf("%d findings, want %d", len(got), c.findings)
			}
		})
	}
}

func TestBareName(t *testing.T) {
	for full, want := range map[string]string{
		"k":                               "k",
		"k(int *)":                        "k",
		"void a::b::k<int, 3>(int *)":     "k",
		"void k<(a>b), (ns::E)1>(int*)":   "k",
		"(anonymous namespace)::k(int)":   "k",
		"void <unnamed>::k<f(int)>(g<h>)": "k",
		"unsigned int k(unsigned int)":    "k",
		"f(int)::{lambda(int)#1}::operator()(int) const": "operator()",
		"bool operator<(T const&, T const&)":             "operator<",
		"T<int>::operator<<(int)":                        "operator<<",
		"_Z1kPi":                                         "_Z1kPi",
		"()":                                             "()",
		"":                                               "",
	} {
		if got := bareName(full); got != want {
			t.Errorf("bareName(%q) = %q, want %q", full, got, want)
		}
	}
}

// TestFilesOfReports: which file a name means, and that a changed one is said to be.
func TestFilesOfReports(t *testing.T) {
	report := func(name, path string) *Report {
		return Parse(source.New(name, strings.ReplaceAll("========= Error: Race reported between Write access at k+0x90 in a.cu:4\n"+
			"=========     and Read access at k+0x100 in a.cu:5 [2 hazards]\n"+summary, "a.cu", path)))
	}
	here := func(path string) source.Map { return source.Map{path: source.New(path, "1\n2\n3\n  4; \n5\n")} }
	const finding = "error intra-block missing-syncthreads k, %[1]s:4 write, %[1]s:5 read: 2"
	cases := []struct {
		name    string
		files   source.Map
		reports []*Report
		want    []string // the file of each finding
	}{
		{"in the working folder", here("a.cu"), []*Report{report("r", "a.cu")}, []string{"a.cu"}},
		{"beside the report", here("out/a.cu"), []*Report{report("out/r", "a.cu")}, []string{"out/a.cu"}},
		{"nowhere", source.Map{}, []*Report{report("out/r", "a.cu")}, []string{"a.cu"}},
		{"a full name is not looked for elsewhere", here("a.cu"), []*Report{report("r", "/src/a.cu")}, []string{"/src/a.cu"}},
		{"a short name is the full one", here("/src/a.cu"), []*Report{report("r", "a.cu"), report("s", "/src/a.cu")}, []string{"/src/a.cu"}},
		{"a full one that is here by its short name", here("a.cu"), []*Report{report("r", "a.cu"), report("s", "/src/a.cu")}, []string{"a.cu"}},
		{"neither is here", source.Map{}, []*Report{report("r", "a.cu"), report("s", "C:\\a.cu")}, []string{"C:\\a.cu"}},
		{"a short name of two", source.Map{}, []*Report{report("r", "a.cu"), report("s", "/x/a.cu"), report("t", "/y/a.cu")}, []string{"a.cu", "/x/a.cu", "/y/a.cu"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var want []string
			for _, path := range c.want {
				want = append(want, fmt.Sprintf(finding, path))
			}
			wantLines(t, show(Findings(c.reports, c.files, race.Dim3{})), want)
		})
	}
	result := Findings([]*Report{report("r", "a.cu")}, here("a.cu"), race.Dim3{})
	if file, _ := result.Files.File("a.cu"); file.Slice(result.Findings[0].First.Span) != "4;" {
		t.Errorf("the span is %q", file.Slice(result.Findings[0].First.Span))
	}
	short := source.Map{"a.cu": source.New("a.cu", "1\n2\n")}
	result = Findings([]*Report{report("r", "a.cu")}, short, race.Dim3{})
	wantLines(t, show(result), []string{fmt.Sprintf(finding, "a.cu")})
	if len(result.Problems) != 1 || !strings.Contains(result.Problems[0].Message, "not the text that was run") {
		t.Errorf("problems %v, want that the file changed", result.Problems)
	}
}

// TestFarLines: a line number costs no memory beyond a limit, and loses no finding.
func TestFarLines(t *testing.T) {
	text := hazard("Error: Potential RAW hazard detected", "Write Thread (0,0,0) at k+0x90 in a.cu:999999999", "Read Thread (40,0,0) at k+0x100 in b.cu:5") + summary
	file := source.New("r", text)
	got := show(Findings([]*Report{Parse(file)}, source.Map{"r": file}, race.Dim3{}))
	wantLines(t, got, []string{"error intra-block missing-syncthreads k, r:2 write, b.cu:5 read: 1"})
}

// TestManyGaps: a log of errors that are not understood gives no flood of messages.
func TestManyGaps(t *testing.T) {
	r := Parse(source.New("r", strings.Repeat("========= Error: what is this\n", 1000)))
	if len(r.Gaps) != maxGaps+1 || !strings.Contains(r.Gaps[maxGaps], "996 more") {
		t.Errorf("gaps %q, want %d and a count of the rest", r.Gaps, maxGaps)
	}
}

// FuzzImport: any text gives an answer, every place lies in a text, and a text without a
// summary or a closed root is never complete.
func FuzzImport(f *testing.F) {
	for name, file := range testFiles(f) {
		if !strings.HasSuffix(name, ".cu") {
			f.Add(file.Text[:min(len(file.Text), 6000)])
		}
	}
	f.Add(hazard("Error: (Warp Level Programming) Potential WAW hazard detected (x)", "Write Thread (0,0,0) (block rank 1) at k+0x9", "Read Thread (1,0,0) at 0x1 in a:5:k(int)") + summary)
	f.Add("========= Error: Potential invalid __shared__ read of size 4 bytes\n=========     at k+0x9 in a:4\n=========     by thread (0,0,0) in block (1,0,0)\n" + summary)
	f.Fuzz(func(t *testing.T, text string) {
		file := source.New("r", text)
		r := Parse(file)
		if len(r.Gaps) == 0 && !strings.Contains(text, "RACECHECK SUMMARY: ") && !strings.Contains(text, xmlRoot) {
			t.Error("complete without a summary")
		}
		result := Findings([]*Report{r}, source.Map{"r": file}, race.Dim3{32, 2, 1})
		if len(result.Findings) > len(r.Records) || (len(result.Findings) == 0) != (len(r.Records) == 0) {
			t.Errorf("%d findings of %d records", len(result.Findings), len(r.Records))
		}
		for _, found := range result.Findings {
			if found.Count < 1 || found.Kind == "" || found.Rule == "" {
				t.Errorf("a finding without count, kind or rule: %+v", found)
			}
			for _, s := range []race.Site{found.First, found.Second} {
				in, ok := result.Files.File(s.Span.File)
				if !ok || s.Span.Start < 0 || s.Span.End < s.Span.Start || s.Span.End > len(in.Text) {
					t.Errorf("%+v is no place", s.Span)
				}
			}
		}
	})
}
