// This file sees to it that a file's kernels are registered before its own objects are made, which may launch them, as with nvcc.

package toolchain

import (
	"debug/elf"
	"os"
)

// registrar is the function that clang makes to register kernels and variables. It comes behind the other constructors.
const registrar = "__cuda_module_ctor"

// registerFirst moves the registrar of an object file in front of the other constructors. What is no object of ELF stays as it is.
func registerFirst(object string) error {
	file, err := elf.Open(object)
	if err != nil {
		return nil
	}
	defer file.Close()
	list := file.Section(".rela.init_array")
	symbols, err := file.Symbols()
	if list == nil || err != nil || file.Class != elf.ELFCLASS64 {
		return nil
	}
	var begin elf.Symbol
	for _, s := range symbols {
		if s.Name == registrar {
			begin = s
		}
	}
	entries, err := list.Data()
	if err != nil || begin.Name == "" {
		return err
	}
	// An entry has its offset in the list of constructors, the number of a symbol from 1, and what is added to that.
	const entry = 24
	at, first := -1, uint64(0)
	for i := 0; i+entry <= len(entries); i += entry {
		e := entries[i:]
		n := file.ByteOrder.Uint64(e[8:]) >> 32
		if n == 0 || n > uint64(len(symbols)) {
			return nil
		}
		if s := symbols[n-1]; s.Section == begin.Section && s.Value+file.ByteOrder.Uint64(e[16:]) == begin.Value {
			at, first = i, file.ByteOrder.Uint64(e)
		}
	}
	if at < 0 {
		return nil
	}
	for i := 0; i+entry <= len(entries); i += entry {
		switch offset := file.ByteOrder.Uint64(entries[i:]); {
		case i == at:
			file.ByteOrder.PutUint64(entries[i:], 0)
		case offset < first:
			file.ByteOrder.PutUint64(entries[i:], offset+8)
		}
	}
	to, err := os.OpenFile(object, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := to.WriteAt(entries, int64(list.Offset)); err != nil {
		to.Close()
		return err
	}
	return to.Close()
}
