//go:build !linux

// This file stands in for what only Linux has: anonymous memory that two processes share.

package cudart

import (
	"context"
	"errors"
)

var errLinuxOnly = errors.New("whole programs run on Linux only; here, a kernel alone can be run with --kernel")

func supported() error { return errLinuxOnly }

func newSharedMemory() (*sharedMemory, error) { return nil, errLinuxOnly }

func (m *sharedMemory) close() error        { return errLinuxOnly }
func (m *sharedMemory) discard(extent) bool { return false }

// Run fails.
func (s *Session) Run(context.Context, Program) error { return errLinuxOnly }
