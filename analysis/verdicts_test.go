package analysis_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/race"
	"github.com/warplint/warplint/analysis/source"
)

// No kernel of testdata/racy.txtar and attack_racy.txtar is proved race-free, and none of racefree.txtar and
// attack_racefree.txtar is called racy. Where a comment expects a verdict, as in [TestRules], it is that one.
func TestVerdictsAreNeverWrong(t *testing.T) {
	for archive, wrong := range map[string]race.Verdict{"racy": race.RaceFree, "attack_racy": race.RaceFree, "racefree": race.Racy, "attack_racefree": race.Racy} {
		files, err := txtar.ParseFile("testdata/" + archive + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files.Files {
			t.Run(archive+"/"+f.Name, func(t *testing.T) {
				file := source.New(f.Name, string(f.Data))
				res := analysis.Checked(file)
				if len(res.Kernels) == 0 {
					t.Error("no kernel")
				}
				for _, k := range res.Kernels {
					if want, ok := verdicts(file)[k.Name]; k.Verdict == wrong || ok && string(k.Verdict) != want {
						t.Errorf("%s is %s\n%s", k.Name, k.Verdict, explain(file, res))
					}
				}
			})
		}
	}
}
