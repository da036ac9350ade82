package lsp

// This file defines the settings: what they are called, how they are read from a client, and
// what they mean to the analysis. Clients give them as initializationOptions, push them with
// workspace/didChangeConfiguration, or are asked for them with workspace/configuration.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/warplint/warplint/analysis"
	"github.com/warplint/warplint/analysis/buildflags"
	"github.com/warplint/warplint/analysis/race"
)

// section is the name under which clients keep the settings.
const section = "warplint"

// settings are what a user may set, as warplint.defines and so on.
type settings struct {
	// Defines are macros, NAME or NAME=VALUE.
	Defines []string
	// IncludeDirs are folders to look for includes in; relative ones start at a workspace folder.
	IncludeDirs []string
	// Arch is the value of __CUDA_ARCH__; "sm_80" and 80 mean 800. Zero leaves the choice to us.
	Arch arch
	// Grid and Block are the launch to assume for kernels that no launch gives.
	Grid  dimensions
	Block dimensions
	// Z3 names the Z3 to ask, as analysis.Config does.
	Z3 string
	// Trusted says that code of the workspace may be run when its user asks for it.
	Trusted  bool
	Simulate simulation
}

// simulation is how programs and kernels are simulated.
type simulation struct {
	Detectors []string // as `warplint simulate --detector` knows them; empty for the default
	Schedules int
	Seed      uint64
	Timeout   int      // seconds; 0 for no limit
	Arguments []string // of the program
	Files     []string // that belong to every program besides its own; relative ones start at the folder
}

// setting is one thing that a user may set. The list of them is what this server reads, what the
// extension declares in its package.json and what docs/editors.md tells: a test holds these
// together.
type setting struct {
	name        string // below "warplint."
	kind        string // of JSON Schema
	fallback    any    // the default
	description string // in Markdown, for people
	pattern     string // of a string, or of each of several
	wrong       string // what is said of a text that does not match the pattern
	least       int    // of an integer
	into        func(*settings) any
	// host is set if the editor knows it better than a file with settings: no editor declares it.
	host bool
}

const (
	dimensionPattern = `^([1-9][0-9]*(,[1-9][0-9]*){0,2})?$`
	dimensionWrong   = "X, X,Y or X,Y,Z"
)

var allSettings = []setting{
	{name: "defines", kind: "array", fallback: []string{}, into: func(s *settings) any { return &s.Defines },
		description: "Macros to define, each as `NAME` or `NAME=VALUE`.",
		pattern:     `^[A-Za-z_][A-Za-z0-9_]*(=.*)?$`, wrong: "NAME or NAME=VALUE"},
	{name: "includeDirs", kind: "array", fallback: []string{}, into: func(s *settings) any { return &s.IncludeDirs },
		description: "Folders to search for `#include \"…\"`. A relative path starts at the workspace folder."},
	{name: "arch", kind: "string", fallback: "sm_80", into: func(s *settings) any { return &s.Arch },
		description: "The GPU architecture to check for, as `nvcc -arch` names it. It decides the value of `__CUDA_ARCH__`.",
		pattern:     `^sm_[1-9][0-9]{1,2}[af]?$`, wrong: "An architecture as nvcc names it, such as sm_80"},
	{name: "grid", kind: "string", fallback: "", into: func(s *settings) any { return &s.Grid },
		description: "Blocks to assume, as `X`, `X,Y` or `X,Y,Z`, for kernels that no `<<<…>>>` in the files read launches. Empty: any number.",
		pattern:     dimensionPattern, wrong: dimensionWrong},
	{name: "block", kind: "string", fallback: "", into: func(s *settings) any { return &s.Block },
		description: "Threads of a block to assume, as `X`, `X,Y` or `X,Y,Z`, for kernels that no `<<<…>>>` in the files read launches. Empty: any number.",
		pattern:     dimensionPattern, wrong: dimensionWrong},
	{name: "z3", kind: "string", fallback: "", into: func(s *settings) any { return &s.Z3 },
		description: "The Z3 to ask for what warplint's own solvers leave undecided: a name or a path; `none` for none. Empty: `z3`, if it is installed."},
	{name: "trusted", kind: "boolean", fallback: false, into: func(s *settings) any { return &s.Trusted }, host: true,
		description: "Programs and kernels of the workspace may be run on the simulator when you ask for it. Editors that know trusted workspaces say it by themselves."},
	{name: "simulate.detectors", kind: "array", fallback: []string{"causality", "streams"}, into: func(s *settings) any { return &s.Simulate.Detectors },
		description: "The race detectors that watch a run, as `warplint simulate --detector` names them."},
	{name: "simulate.schedules", kind: "integer", fallback: 2, into: func(s *settings) any { return &s.Simulate.Schedules },
		description: "How many orders of the threads a run tries.", least: 1},
	{name: "simulate.seed", kind: "integer", fallback: 0, into: func(s *settings) any { return &s.Simulate.Seed },
		description: "Decides the orders in which threads run."},
	{name: "simulate.timeout", kind: "integer", fallback: 120, into: func(s *settings) any { return &s.Simulate.Timeout },
		description: "Seconds after which a run is ended; 0 for never."},
	{name: "simulate.arguments", kind: "array", fallback: []string{}, into: func(s *settings) any { return &s.Simulate.Arguments },
		description: "Arguments of the program that is simulated."},
	{name: "simulate.files", kind: "array", fallback: []string{}, into: func(s *settings) any { return &s.Simulate.Files },
		description: "Source files that belong to the program besides the one that is simulated. A relative path starts at the workspace folder."},
}

// parseSettings reads settings from JSON that holds them directly or under their section's
// name. Absent JSON means the defaults, and so does wrong one; names that we do not know are left alone, since
// clients keep settings of their own in the same section.
func parseSettings(raw []byte) (settings, error) {
	defaults := settings{Simulate: simulation{Schedules: 2, Timeout: 120}}
	s := defaults
	if len(raw) == 0 || string(raw) == "null" {
		return s, nil
	}
	var outer map[string]json.RawMessage
	if err := json.Unmarshal(raw, &outer); err != nil {
		return s, errors.New("the settings are not an object")
	}
	if inner, ok := outer[section]; ok {
		return parseSettings(inner)
	}
	for _, known := range allSettings {
		raw, ok := lookUp(outer, known.name)
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw, known.into(&s)); err != nil {
			return defaults, fmt.Errorf("%s.%s: %w", section, known.name, plainly(err))
		}
		if list, ok := known.into(&s).(*[]string); ok && known.pattern != "" {
			fits := regexp.MustCompile(known.pattern).MatchString
			if i := slices.IndexFunc(*list, func(text string) bool { return !fits(text) }); i >= 0 {
				return defaults, fmt.Errorf("%s.%s takes %s, not %q", section, known.name, known.wrong, (*list)[i])
			}
		}
	}
	if n := s.Simulate.Schedules; n < 1 || n > maxSchedules {
		return defaults, fmt.Errorf("%s.simulate.schedules takes a number from 1 to %d", section, maxSchedules)
	}
	if s.Simulate.Timeout < 0 {
		return defaults, fmt.Errorf("%s.simulate.timeout takes a number of seconds from 0", section)
	}
	if b := race.Dim3(s.Block); b.Count() > 1024 || b[0] > 1024 || b[1] > 1024 || b[2] > 64 {
		return defaults, fmt.Errorf("%s.block: no GPU takes a block of %d x %d x %d threads", section, b[0], b[1], b[2])
	}
	return s, nil
}

// maxSchedules bounds the schedules of a run that an editor begins.
const maxSchedules = 1000

// lookUp finds a setting whose name has dots: as it is, or as an object in an object.
func lookUp(in map[string]json.RawMessage, name string) (json.RawMessage, bool) {
	if raw, ok := in[name]; ok {
		return raw, true
	}
	outer, rest, nested := strings.Cut(name, ".")
	var inner map[string]json.RawMessage
	if !nested || json.Unmarshal(in[outer], &inner) != nil {
		return nil, false
	}
	return lookUp(inner, rest)
}

// plainly says a JSON error without the types of our program.
func plainly(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("it takes no %s", wrong.Value)
	}
	return err
}

// arch is a compute capability as __CUDA_ARCH__ has it.
type arch int

// UnmarshalJSON implements json.Unmarshaler.
func (a *arch) UnmarshalJSON(raw []byte) error {
	text := strings.Trim(string(raw), `"`)
	if text == "" || text == "null" {
		*a = 0
		return nil
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "sm_"), "compute_")
	n, err := strconv.Atoi(strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz")) // sm_90a
	switch {
	case err != nil || n < 0:
		return fmt.Errorf("%s is no architecture such as sm_80", raw)
	case n < 200:
		n *= 10
	}
	*a = arch(n)
	return nil
}

// dimensions are one to three sizes; the missing ones are 1. Absent dimensions are zero.
type dimensions race.Dim3

// UnmarshalJSON implements json.Unmarshaler. It takes 256, "16,16" and [16, 16].
func (d *dimensions) UnmarshalJSON(raw []byte) error {
	text := strings.Trim(string(raw), `[]" `)
	if text == "" || text == "null" {
		*d = dimensions{}
		return nil
	}
	fields := strings.Split(text, ",")
	if len(fields) > 3 {
		return fmt.Errorf("%s has more than three dimensions", raw)
	}
	*d = dimensions{1, 1, 1}
	for i, field := range fields {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 {
			return fmt.Errorf("%s is no size such as 256 or 16,16", raw)
		}
		d[i] = n
	}
	return nil
}

// config returns how one file is compiled and launched. The settings win over the build files.
func (s *snapshot) config(path string) analysis.Config {
	c := analysis.Config{
		Config: s.disk.compileFlags(path), Grid: race.Dim3(s.settings.Grid), Block: race.Dim3(s.settings.Block), Z3: s.settings.Z3,
	}
	if s.settings.Arch != 0 {
		c.Arch = int(s.settings.Arch)
	}
	var dirs []string
	for _, dir := range s.settings.IncludeDirs {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(s.folder(path), dir)
		}
		dirs = append(dirs, filepath.Clean(dir))
	}
	c.Config = buildflags.With(c.Config, s.settings.Defines, dirs)
	return c
}

// inFolder reports whether a path is in a workspace folder.
func (s *snapshot) inFolder(path string) bool {
	return slices.ContainsFunc(s.folders, func(folder string) bool { return within(folder, path) })
}

func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// folder returns the innermost workspace folder that holds the path, else the first one, else
// the path's own folder.
func (s *snapshot) folder(path string) string {
	best := ""
	for _, folder := range s.folders {
		if within(folder, path) && len(folder) > len(best) {
			best = folder
		}
	}
	switch {
	case best != "":
		return best
	case len(s.folders) > 0:
		return s.folders[0]
	}
	return filepath.Dir(path)
}

// applySettings makes JSON the settings of the next snapshot. Settings that can't be read
// change nothing, and the user is told why.
func (s *server) applySettings(ctx context.Context, raw []byte) {
	parsed, err := parseSettings(raw)
	if err != nil {
		s.ignoreSettings(ctx, err)
		return
	}
	s.change("settings", func(next *snapshot) { next.settings = parsed })
}

func (s *server) ignoreSettings(ctx context.Context, why error) {
	s.showMessage(ctx, protocol.MessageTypeWarning, "warplint ignores the settings: "+why.Error())
}

// fetchSettings asks the client for the settings; it must not run on the reading goroutine.
func (s *server) fetchSettings(ctx context.Context) {
	name := section
	values, err := s.peer.Configuration(ctx, &protocol.ConfigurationParams{
		Items: []protocol.ConfigurationItem{{Section: &name}},
	})
	if err != nil || len(values) != 1 {
		s.failed("tell the settings", err)
		return
	}
	if string(values[0]) != "null" { // else the client keeps none, and what it said at first holds
		s.applySettings(ctx, values[0])
	}
}

// DidChangeConfiguration implements protocol.Server. What a client pushes may be empty, so it
// counts only if the client can't be asked.
func (s *server) DidChangeConfiguration(ctx context.Context, params *protocol.DidChangeConfigurationParams) error {
	if s.client.configuration {
		s.background(s.fetchSettings)
		return nil
	}
	s.applySettings(ctx, params.Settings)
	return nil
}

// DidChangeWorkspaceFolders implements protocol.Server.
func (s *server) DidChangeWorkspaceFolders(_ context.Context, params *protocol.DidChangeWorkspaceFoldersParams) error {
	s.change("workspace folders", func(next *snapshot) {
		gone := map[string]bool{}
		for _, folder := range params.Event.Removed {
			gone[toPath(folder.URI)] = true
		}
		var folders []string
		for _, folder := range next.folders {
			if !gone[folder] {
				folders = append(folders, folder)
			}
		}
		for _, folder := range params.Event.Added {
			folders = append(folders, toPath(folder.URI))
		}
		next.folders = folders
	})
	s.background(s.indexFolders)
	return nil
}
