//go:build unix

package toolchain

import (
	"os/exec"
	"syscall"
)

// endWithChildren makes the end of a command's context the end of all that the command has started.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
