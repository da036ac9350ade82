// This file makes the memory that both processes see.

package cudart

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// supported says why programs cannot run here, if so.
func supported() error { return nil }

func newSharedMemory() (*sharedMemory, error) {
	fd, err := unix.MemfdCreate("warplint", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	m := &sharedMemory{file: os.NewFile(uintptr(fd), "warplint")}
	if err := m.file.Truncate(sharedSize); err != nil {
		m.file.Close()
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	m.bytes, err = unix.Mmap(fd, 0, sharedSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		m.file.Close()
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	m.used = []extent{{0, stagingSize}}
	return m, nil
}

func (m *sharedMemory) close() error {
	err := unix.Munmap(m.bytes)
	if closed := m.file.Close(); err == nil {
		err = closed
	}
	return err
}

// discard gives the pages of an extent back to the system; they read as zeros from then on.
func (m *sharedMemory) discard(e extent) bool {
	return unix.Fallocate(int(m.file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, int64(e.offset), int64(e.size)) == nil
}
