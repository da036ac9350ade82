// What this package calls of tree-sitter's C library. The library itself is linked in by
// github.com/tree-sitter/go-tree-sitter, whose headers cgo can't reach from another module;
// the types below repeat its api.h (0.25).
#ifndef WARPLINT_TREE_H
#define WARPLINT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct TSLanguage TSLanguage;

enum { warplint_named = 1, warplint_missing = 2, warplint_error = 4 };

// One node of a tree laid out flat in preorder.
typedef struct {
  uint32_t start, end;  // bytes
  uint32_t size;        // nodes in its subtree, itself included
  uint16_t kind, field; // ids of the language
  uint32_t flags;
} warplint_node;

TSParser *warplint_parser_new(const TSLanguage *language);
void ts_parser_delete(TSParser *parser);
TSTree *warplint_parse(TSParser *parser, const TSTree *old, const char *text, uint32_t length, const size_t *cancel);
void warplint_edit(TSTree *tree, uint32_t start, uint32_t old_end, uint32_t new_end);
void ts_tree_delete(TSTree *tree);
TSTree *ts_tree_copy(const TSTree *tree);
bool warplint_has_error(const TSTree *tree);

// Trees are walked by recursion; a deeper one comes from no real program.
enum { warplint_max_depth = 10000 };

// Lays the tree out flat, without comments. The caller frees the nodes with free. Returns
// NULL for a tree that is too deep, and where memory runs out.
warplint_node *warplint_flatten(const TSTree *tree, size_t *count);

const char *ts_language_symbol_name(const TSLanguage *language, uint16_t symbol);
uint32_t ts_language_symbol_count(const TSLanguage *language);
const char *ts_language_field_name_for_id(const TSLanguage *language, uint16_t field);
uint32_t ts_language_field_count(const TSLanguage *language);
uint16_t ts_language_symbol_for_name(const TSLanguage *language, const char *name, uint32_t length, bool named);

#endif
