package analysis

import (
	"runtime"
	"sync"

	"github.com/warplint/warplint/analysis/source"
)

// checked are the answers that [Checked] keeps, by file.
var checked sync.Map

// Checked is what a new engine says of a file that stands alone. It's kept, as several tests ask about the programs of the archives.
func Checked(file *source.File) *Result {
	type key struct{ path, text string }
	answer, _ := checked.LoadOrStore(key{file.Path, file.Text}, sync.OnceValue(func() *Result {
		res := check(source.Map{file.Path: file}, file.Path)
		return &Result{Path: res.Path, Kernels: res.Kernels, Findings: res.Findings, Problems: res.Problems}
	}))
	return answer.(func() *Result)()
}

// inParallel does something with each of many, on all cores.
func inParallel[T any](many []T, do func(T)) {
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, one := range many {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			do(one)
		})
	}
	wait.Wait()
}
