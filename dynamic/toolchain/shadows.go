// This file lets host code of one file use a device variable of another by its name, as relocatable device code may. What
// stands for the variable in the host's program is known to its own file only, as clang compiles whole programs.

package toolchain

import (
	"context"
	"errors"
	"os"
	"regexp"

	"github.com/warplint/warplint/analysis/source"
)

var (
	undefinedName = regexp.MustCompile("undefined (?:reference to `|symbol: )([\\w.$]+)")
	// @table = internal global [4 x i32] undef, align 16
	internalVariable = regexp.MustCompile(`(?m)^@([\w.$]+) = internal (global )`)
)

// showVariables compiles anew what defines variables that the linker did not find, with names that all see, and reports
// whether there is any.
func (t *Toolchain) showVariables(ctx context.Context, units []Unit, objects []string, refused error) (bool, error) {
	var messages *CompileError
	if !errors.As(refused, &messages) {
		return false, nil
	}
	missing := map[string]bool{}
	for _, m := range undefinedName.FindAllStringSubmatch(messages.Messages, -1) {
		missing[m[1]] = true
	}
	shown := false
	for i, unit := range units {
		if len(missing) == 0 || !source.IsCUDA(unit.File) {
			continue
		}
		ir := objects[i] + ".ll"
		if err := t.Run(ctx, unit.File, t.hostArguments(&unit.Options, unit.File, objects[i]+".token", "-S", "-emit-llvm", "-o", ir)...); err != nil {
			return false, err
		}
		raw, err := os.ReadFile(ir)
		if err != nil {
			return false, err
		}
		found := false
		text := internalVariable.ReplaceAllStringFunc(string(raw), func(line string) string {
			m := internalVariable.FindStringSubmatch(line)
			if !missing[m[1]] {
				return line
			}
			found = true
			return "@" + m[1] + " = " + m[2]
		})
		if !found {
			continue
		}
		shown = true
		if err := os.WriteFile(ir, []byte(text), 0o600); err != nil {
			return false, err
		}
		if err := t.Run(ctx, unit.File, "-x", "ir", "-O2", "-w", "-c", "-o", objects[i], ir); err != nil {
			return false, err
		}
	}
	return shown, nil
}
