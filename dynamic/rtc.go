// This file compiles what programs hand to NVRTC as they run.

package dynamic

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/warplint/warplint/dynamic/cudart"
	"github.com/warplint/warplint/dynamic/toolchain"
)

// compileAtRunTime returns what compiles for a program; dir keeps what it makes, and seen gets each module.
func compileAtRunTime(tools *toolchain.Toolchain, o *Options, dir string, seen func(*toolchain.Module)) func(context.Context, cudart.Source) cudart.Compiled {
	return func(ctx context.Context, s cudart.Source) cudart.Compiled {
		work, err := os.MkdirTemp(dir, "rtc")
		if err != nil {
			return cudart.Compiled{Log: err.Error()}
		}
		file, err := writeSource(s, work, o.Dir)
		if err != nil {
			return cudart.Compiled{Log: err.Error()}
		}
		options := runTimeOptions(s.Options)
		options.KeepStatic = true // cuModuleGetGlobal finds them
		options.Defines = append([]string{"__CUDACC_RTC__"}, options.Defines...)
		options.Includes = append([]string{work}, options.Includes...)
		options.Forced = append([]string{"assert.h"}, options.Forced...) // NVRTC knows assert by itself
		if slices.ContainsFunc(s.Options, func(o string) bool {
			return strings.TrimLeft(o, "-") == "default-device" || o == "--device-as-default-execution-space"
		}) {
			options.Forced = append(options.Forced, "warplint/default_device.h")
		}
		module, err := tools.Device(ctx, &options, file, work)
		if err != nil { // which the program may show: it knows the texts by the names that it gave them
			return cudart.Compiled{Log: strings.ReplaceAll(err.Error(), work+string(filepath.Separator), "")}
		}
		seen(module)
		return cudart.Compiled{OK: true, PTX: module.PTX, Lowered: lowered(module.PTX, len(s.Expressions))}
	}
}

// writeSource puts the texts into a folder and returns the program's file: the one that it was read from, if there is one of
// its name and text, so that findings stand where people look.
func writeSource(s cudart.Source, work, dir string) (string, error) {
	for _, h := range s.Headers {
		path := filepath.Join(work, filepath.Clean("/"+h[0]))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(h[1]), 0o600); err != nil {
			return "", err
		}
	}
	name := s.Name
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	read, err := os.ReadFile(name)
	known := err == nil && string(read) == s.Text
	if known && len(s.Expressions) == 0 {
		return name, nil
	}
	var text strings.Builder
	if known {
		fmt.Fprintf(&text, "#line 1 %q\n", name)
	}
	text.WriteString(s.Text)
	for i, e := range s.Expressions {
		fmt.Fprintf(&text, "\n__device__ const void *warplint_lowered_%d = (const void *)(%s);", i, e)
	}
	path := filepath.Join(work, filepath.Base(filepath.Clean("/"+s.Name)))
	return path, os.WriteFile(path, []byte(text.String()), 0o600)
}

// .visible .global .align 8 .u64 warplint_lowered_0 = _Z1kIfEvPT_; of a variable it is generic(_ZL5scale).
var loweredName = regexp.MustCompile(`warplint_lowered_(\d+) = (?:generic\()?([\w$.]+)`)

func lowered(ptx string, count int) []string {
	names := make([]string, count)
	for _, m := range loweredName.FindAllStringSubmatch(ptx, -1) {
		if i, err := strconv.Atoi(m[1]); err == nil && i < count {
			names[i] = m[2]
		}
	}
	return names
}

// runTimeOptions takes what changes the meaning of a program from NVRTC's options.
func runTimeOptions(list []string) toolchain.Options {
	var o toolchain.Options
	for i := 0; i < len(list); i++ {
		name, value, joined := strings.Cut(list[i], "=")
		short := ""
		for _, prefix := range []string{"-D", "-I", "-U"} {
			if strings.HasPrefix(list[i], prefix) {
				short = prefix
			}
		}
		switch long := map[string]string{"--define-macro": "-D", "--include-path": "-I", "--undefine-macro": "-U"}[name]; {
		case short != "":
			name, value = short, strings.TrimSpace(strings.TrimPrefix(list[i], short))
		case long != "":
			name = long
		}
		if takes := name == "-D" || name == "-I" || name == "-U" || name == "--pre-include" || name == "-include" || name == "-std" || name == "--std"; takes && value == "" && !joined && i+1 < len(list) {
			i++
			value = list[i]
		}
		switch name {
		case "-D":
			o.Defines = append(o.Defines, value)
		case "-I":
			o.Includes = append(o.Includes, value)
		case "-U":
			o.Undefines = append(o.Undefines, value)
		case "--pre-include", "-include":
			o.Forced = append(o.Forced, value)
		case "-std", "--std":
			o.Standard = value
		case "--fmad", "-fmad":
			o.NoContraction = value == "false"
		}
	}
	return o
}
