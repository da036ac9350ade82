package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/warplint/warplint/analysis/ir"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// This file judges kernel templates that nothing instantiates by what their instances with some numbers have in common, see
// lower/trials.go. A race in all of them counts; one in some may hang on the numbers, and is information. With no race the
// verdict is unknown, since nobody has looked at other numbers.

// trials are such instances, by their template.
type trials map[source.Span][]tried

type tried struct {
	f *ir.Func
	v *verdict
}

func (t trials) add(f *ir.Func, v *verdict) { t[f.Span] = append(t[f.Span], tried{f, v}) }

// settle puts them into a result, but for templates that another unit launches.
func (t trials) settle(req Request, res *Result) {
	if len(t) == 0 {
		return
	}
	launched := map[source.Span]bool{}
	for _, k := range res.Kernels {
		launched[k.Span] = true
	}
	for span, all := range t {
		if launched[span] {
			continue
		}
		shown := map[places]int{} // in how many instances a race counts
		var numbers []string
		var out Result
		for _, x := range all {
			var one Result
			one.add(req, x.f, nil, x.v)
			for at := range warned(one.Findings) {
				shown[at]++
			}
			numbers = withOne(numbers, x.f.Trial)
			out.Kernels = append(out.Kernels, one.Kernels...)
			out.Findings = append(out.Findings, one.Findings...)
		}
		told := map[places]bool{} // with one number two warps may race, with another two lanes
		out.Findings = slices.DeleteFunc(out.Findings, func(f race.Finding) bool {
			at := placesOf(f.First, f.Second)
			again := told[at]
			told[at] = true
			return again
		})
		out.settle()
		k := &out.Kernels[0]
		k.Verdict = race.Unknown
		for i := range out.Findings {
			f := &out.Findings[i]
			switch {
			case f.Severity < race.Warning:
			case shown[placesOf(f.First, f.Second)] == len(all):
				k.Verdict = race.Racy
			default:
				f.Severity = race.Information
			}
		}
		k.Reasons = append(k.Reasons, "nothing instantiates this template: it was looked at only with "+strings.Join(numbers, ", and with "))
		res.Kernels = append(res.Kernels, *k)
		res.Findings = append(res.Findings, out.Findings...)
	}
	slices.SortStableFunc(res.Kernels, func(a, b race.Kernel) int {
		return cmp.Or(cmp.Compare(a.Span.File, b.Span.File), cmp.Compare(a.Span.Start, b.Span.Start))
	})
}

// places are those of a race.
type places struct{ first, second source.Span }

func placesOf(first, second race.Site) places { return places{first.Span, second.Span} }

// warned are the places of all races that count, of those behind others as well.
func warned(findings []race.Finding) map[places]bool {
	out := map[places]bool{}
	for _, f := range findings {
		if f.Severity >= race.Warning {
			out[placesOf(f.First, f.Second)] = true
			for _, also := range f.Also {
				out[placesOf(also.First, also.Second)] = true
			}
		}
	}
	return out
}
