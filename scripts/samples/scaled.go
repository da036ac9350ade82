// This file makes programs of cuda-samples smaller that time a GPU: it edits how often they repeat
// what they time, or over how much data, so that a run on a processor ends. What they check
// stays as it is.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// edit replaces a text that a file has once.
type edit struct{ file, old, new string }

var scaled = map[string][]edit{
	"matrixMul":                {{"matrixMul.cu", "nIter = 300", "nIter = 5"}},
	"simpleAttributes":         {{"simpleAttributes.cu", "0xAFFFF", "0xFFF"}, {"simpleAttributes.cu", "l2CacheSize / 4)", "l2CacheSize / 64)"}},
	"simplePitchLinearTexture": {{"simplePitchLinearTexture.cu", "#define NUM_REPS 100", "#define NUM_REPS 1"}},
	"simpleStreams":            {{"simpleStreams.cu", "nreps = 100;", "nreps = 1;"}},
	"convolutionSeparable":     {{"main.cpp", "iterations = 16;", "iterations = 1;"}},
	"convolutionTexture":       {{"main.cpp", "iterations = 10;", "iterations = 1;"}},
	"eigenvalues":              {{"main.cu", "iters_timing = 100;", "iters_timing = 1;"}},
	"histogram":                {{"main.cpp", "numRuns    = 16;", "numRuns    = 1;"}},
	"reductionMultiBlockCG":    {{"reductionMultiBlockCG.cu", "testIterations = 100;", "testIterations = 1;"}},
	"cdpAdvancedQuicksort":     {{"cdpAdvancedQuicksort.cu", "size    = 1000000;", "size    = 20000;"}},
	"scan":                     {{"main.cpp", "iCycles = 100;", "iCycles = 1;"}},
	"globalToShmemAsyncCopy":   {{"globalToShmemAsyncCopy.cu", "nIter = 100;", "nIter = 1;"}},
	"BlackScholes":             {{"BlackScholes.cu", "NUM_ITERATIONS = 512;", "NUM_ITERATIONS = 2;"}},
	"HSOpticalFlow":            {{"main.cpp", "nSolverIters = 500;", "nSolverIters = 10;"}},
	"NV12toBGRandResize":       {{"resize_convert_main.cpp", "#define TEST_LOOP 20", "#define TEST_LOOP 1"}},
	"quasirandomGenerator":     {{"quasirandomGenerator.cpp", "numIterations = 20;", "numIterations = 1;"}},
	"jacobiCudaGraphs":         {{"jacobi.h", "#define N_ROWS 512", "#define N_ROWS 128"}},
	"alignedTypes":             {{"alignedTypes.cu", "NUM_ITERATIONS = 32;", "NUM_ITERATIONS = 1;"}},
	"transpose":                {{"transpose.cu", "#define NUM_REPS 100", "#define NUM_REPS 1"}},
	"radixSortThrust":          {{"radixSortThrust.cu", "numElements = 1048576;", "numElements = 65536;"}, {"radixSortThrust.cu", "? 10 : 100;", "? 10 : 1;"}},
	"cudaTensorCoreGemm":       tiles("cudaTensorCoreGemm.cu", 256, 8),
	"immaTensorCoreGemm":       tiles("immaTensorCoreGemm.cu", 256, 8),
	"bf16TensorCoreGemm":       tiles("bf16TensorCoreGemm.cu", 512, 8),
	"tf32TensorCoreGemm":       tiles("tf32TensorCoreGemm.cu", 512, 8),
	"dmmaTensorCoreGemm":       tiles("dmmaTensorCoreGemm.cu", 1024, 16),
}

// tiles makes the matrices of a product smaller, and lets the program check the result, which it does only if asked to.
func tiles(file string, from, to int) []edit {
	edits := []edit{{file, "#define CPU_DEBUG 0", "#define CPU_DEBUG 1"}}
	for _, side := range []string{"M", "N", "K"} {
		define := "#define " + side + "_TILES "
		edits = append(edits, edit{file, define + strconv.Itoa(from), define + strconv.Itoa(to)})
	}
	return edits
}

// scale edits the files of a program's working folder, which has links to the original ones.
func (p *program) scale(dir string) error {
	for _, e := range scaled[p.name] {
		at := filepath.Join(dir, e.file)
		text, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		if strings.Count(string(text), e.old) != 1 {
			return fmt.Errorf("%s does not have %q once: scaled.go is for another version of it", e.file, e.old)
		}
		if err := os.Remove(at); err != nil {
			return err
		}
		if err := os.WriteFile(at, []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
