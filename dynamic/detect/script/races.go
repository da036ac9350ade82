package script

import (
	"fmt"
	"strings"

	"github.com/warplint/warplint/dynamic/detect/pair"
	"github.com/warplint/warplint/dynamic/event"
)

// This file has what the tests of the papers' detectors ask of a script.

// Watcher is a detector of a paper.
type Watcher interface {
	event.Listener
	Races() []*pair.Race
}

// Races plays a script and returns "CONDITION FIRST SECOND KIND" for each race, with lines for
// instructions. The error is that of Play.
func Races(text string, d Watcher) ([]string, error) {
	if err := Play(text, d); err != nil {
		return nil, err
	}
	var got []string
	for _, r := range d.Races() {
		condition := r.Condition[strings.LastIndexByte(r.Condition, ' ')+1:]
		got = append(got, fmt.Sprintf("%s %d %d %s", condition, r.First.PC, r.Second.PC, r.Kind))
	}
	return got, nil
}

// Critical is the text of a critical section, in which a thread does some things. The lock's atomics
// have device scope.
func Critical(thread, lock string, does ...string) string {
	return critical(thread, lock, "", does)
}

// BlockCritical is one of which the lock's atomics have block scope, and the fences device scope.
func BlockCritical(thread, lock string, does ...string) string {
	return critical(thread, lock, " block", does)
}

func critical(thread, lock, scope string, does []string) string {
	text := fmt.Sprintf("%s cas %s 0 1%s\n%s fence device\n", thread, lock, scope, thread)
	for _, d := range does {
		text += thread + " " + d + "\n"
	}
	return text + fmt.Sprintf("%s fence device\n%s exch %s 0%s\n", thread, thread, lock, scope)
}
