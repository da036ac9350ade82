// One call from Go parses a text, and one copies a whole tree: a cgo call a node would cost
// more than the parse.
#include "tree.h"

#include <stdlib.h>

typedef struct {
  uint32_t row, column;
} TSPoint;

typedef struct {
  uint32_t start_byte, old_end_byte, new_end_byte;
  TSPoint start_point, old_end_point, new_end_point;
} TSInputEdit;

typedef struct {
  uint32_t context[4];
  const void *id;
  const TSTree *tree;
} TSNode;

typedef struct {
  const void *tree;
  const void *id;
  uint32_t context[3];
} TSTreeCursor;

TSParser *ts_parser_new(void);
bool ts_parser_set_language(TSParser *parser, const TSLanguage *language);
void ts_parser_set_cancellation_flag(TSParser *parser, const size_t *flag);
void ts_parser_reset(TSParser *parser);
TSTree *ts_parser_parse_string(TSParser *parser, const TSTree *old, const char *text, uint32_t length);
void ts_tree_edit(TSTree *tree, const TSInputEdit *edit);
const TSLanguage *ts_tree_language(const TSTree *tree);
TSNode ts_tree_root_node(const TSTree *tree);
uint32_t ts_node_start_byte(TSNode node);
uint32_t ts_node_end_byte(TSNode node);
uint16_t ts_node_symbol(TSNode node);
uint32_t ts_node_descendant_count(TSNode node);
bool ts_node_is_named(TSNode node);
bool ts_node_is_missing(TSNode node);
bool ts_node_has_error(TSNode node);
TSTreeCursor ts_tree_cursor_new(TSNode node);
void ts_tree_cursor_delete(TSTreeCursor *cursor);
TSNode ts_tree_cursor_current_node(const TSTreeCursor *cursor);
uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *cursor);
bool ts_tree_cursor_goto_first_child(TSTreeCursor *cursor);
bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *cursor);
bool ts_tree_cursor_goto_parent(TSTreeCursor *cursor);

TSParser *warplint_parser_new(const TSLanguage *language) {
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, language)) {
    ts_parser_delete(parser);
    return NULL;
  }
  return parser;
}

TSTree *warplint_parse(TSParser *parser, const TSTree *old, const char *text, uint32_t length, const size_t *cancel) {
  ts_parser_set_cancellation_flag(parser, cancel);
  TSTree *tree = ts_parser_parse_string(parser, old, text, length);
  ts_parser_set_cancellation_flag(parser, NULL);
  if (tree == NULL) ts_parser_reset(parser);
  return tree;
}

// Nothing here reads rows and columns, so all text is one row.
void warplint_edit(TSTree *tree, uint32_t start, uint32_t old_end, uint32_t new_end) {
  TSInputEdit edit = {start, old_end, new_end, {0, start}, {0, old_end}, {0, new_end}};
  ts_tree_edit(tree, &edit);
}

bool warplint_has_error(const TSTree *tree) { return ts_node_has_error(ts_tree_root_node(tree)); }

static warplint_node node_of(TSNode node, uint16_t field) {
  warplint_node n = {
      .start = ts_node_start_byte(node),
      .end = ts_node_end_byte(node),
      .size = 1,
      .kind = ts_node_symbol(node),
      .field = field,
  };
  if (ts_node_is_named(node)) n.flags |= warplint_named;
  if (ts_node_is_missing(node)) n.flags |= warplint_missing;
  if (ts_node_has_error(node)) n.flags |= warplint_error;
  return n;
}

warplint_node *warplint_flatten(const TSTree *tree, size_t *count) {
  TSNode root = ts_tree_root_node(tree);
  uint16_t comment = ts_language_symbol_for_name(ts_tree_language(tree), "comment", 7, true);
  size_t capacity = ts_node_descendant_count(root), depth = 0, depths = 64;
  warplint_node *nodes = malloc(capacity * sizeof *nodes);
  uint32_t *open = malloc(depths * sizeof *open);
  if (nodes == NULL || open == NULL) goto fail;

  *count = 0;
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    bool skip = ts_node_symbol(node) == comment;
    if (!skip) {
      open[depth] = *count;
      nodes[(*count)++] = node_of(node, ts_tree_cursor_current_field_id(&cursor));
      if (ts_tree_cursor_goto_first_child(&cursor)) {
        if (++depth > warplint_max_depth) {
          ts_tree_cursor_delete(&cursor);
          goto fail;
        }
        if (depth == depths) {
          uint32_t *more = realloc(open, (depths *= 2) * sizeof *open);
          if (more == NULL) {
            ts_tree_cursor_delete(&cursor);
            goto fail;
          }
          open = more;
        }
        continue;
      }
    }
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (depth == 0) {
        ts_tree_cursor_delete(&cursor);
        free(open);
        return nodes;
      }
      ts_tree_cursor_goto_parent(&cursor);
      depth--;
      nodes[open[depth]].size = *count - open[depth];
    }
  }

fail:
  free(nodes);
  free(open);
  return NULL;
}
