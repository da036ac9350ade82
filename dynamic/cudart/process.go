// This file says what a program is and how it may end.

package cudart

import (
	"fmt"
	"io"
	"syscall"
)

// Program is a compiled program to run.
type Program struct {
	Executable     string
	Args           []string // without the name
	Dir            string   // working folder; empty for ours
	Library        string   // path of the client library
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Ended says how a program that did not succeed came to its end.
type Ended struct {
	Status int            // its exit status, if it exited
	Signal syscall.Signal // otherwise the signal
}

func (e *Ended) Error() string {
	if e.Signal == syscall.SIGSEGV {
		return fmt.Sprintf("the program was ended by signal %d (%v); host code that follows a pointer to device memory ends so, too", int(e.Signal), e.Signal)
	}
	if e.Signal != 0 {
		return fmt.Sprintf("the program was ended by signal %d (%v)", int(e.Signal), e.Signal)
	}
	return fmt.Sprintf("the program exited with status %d", e.Status)
}
