// Compilation at run time (NVRTC): warplint's own process compiles. What is asked for as machine code is PTX, too, which is
// what the driver API takes here.
#include "nvrtc.h"
#include "wire.h"
#include <stdlib.h>
#include <string.h>

struct strings {
  char *text;  // each with its NUL
  size_t size;
  uint64_t count;
};
struct _nvrtcProgram {
  struct strings sources, expressions;  // name, source, then a name and a text for each header
  char *log, *ptx, *lowered;            // lowered: names by expression, each with its NUL
  int compiled;
};

static void append(struct strings *s, const char *text) {
  size_t n = strlen(text) + 1;
  s->text = realloc(s->text, s->size + n);
  memcpy(s->text + s->size, text, n);
  s->size += n, s->count++;
}

const char *nvrtcGetErrorString(nvrtcResult result) {
  static const char *names[] = {"NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_PROGRAM_CREATION_FAILURE", "NVRTC_ERROR_INVALID_INPUT",
                                "NVRTC_ERROR_INVALID_PROGRAM", "NVRTC_ERROR_INVALID_OPTION", "NVRTC_ERROR_COMPILATION", "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION", "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID", "NVRTC_ERROR_INTERNAL_ERROR"};
  return (unsigned)result < sizeof names / sizeof *names ? names[result] : "NVRTC_ERROR unknown";
}
nvrtcResult nvrtcVersion(int *major, int *minor) {
  if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
  *major = 12, *minor = 8;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
  if (!count) return NVRTC_ERROR_INVALID_INPUT;
  *count = 5;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int *list) {
  static const int known[] = {70, 75, 80, 86, 90};
  if (!list) return NVRTC_ERROR_INVALID_INPUT;
  memcpy(list, known, sizeof known);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int headers, const char *const *texts, const char *const *names) {
  if (!program || !source || headers < 0 || (headers > 0 && (!texts || !names))) return NVRTC_ERROR_INVALID_INPUT;
  nvrtcProgram p = *program = calloc(1, sizeof *p);
  append(&p->sources, name && *name ? name : "default_program");
  append(&p->sources, source);
  for (int i = 0; i < headers; i++) append(&p->sources, names[i]), append(&p->sources, texts[i]);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
  if (!program || !*program) return NVRTC_ERROR_INVALID_PROGRAM;
  nvrtcProgram p = *program;
  free(p->sources.text), free(p->expressions.text), free(p->log), free(p->ptx), free(p->lowered), free(p);
  *program = NULL;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression) {
  if (!p || !expression) return NVRTC_ERROR_INVALID_INPUT;
  if (p->compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  append(&p->expressions, expression);
  return NVRTC_SUCCESS;
}

static char *part(const char *from, size_t size) {
  char *s = malloc(size + 1);
  memcpy(s, from, size);
  s[size] = 0;
  return s;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *options) {
  if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
  if (count < 0 || (count > 0 && !options)) return NVRTC_ERROR_INVALID_INPUT;
  struct strings all = {0};
  append(&all, "");
  all.size = 0;
  for (int i = 0; i < count; i++) append(&all, options[i]);
  size_t size = p->sources.size + p->expressions.size + all.size;
  char *payload = malloc(size + 1);
  memcpy(payload, p->sources.text, p->sources.size);
  if (p->expressions.size) memcpy(payload + p->sources.size, p->expressions.text, p->expressions.size);
  memcpy(payload + p->sources.size + p->expressions.size, all.text, all.size);
  free(all.text);
  struct request q = {.op = OP_COMPILE, .payload = (uint32_t)size, .a = {p->sources.count, p->expressions.count}};
  struct reply r;
  void *out = NULL;
  cudaError_t error = transact(&q, payload, &r, &out);
  free(payload);
  if (error != cudaSuccess || !out) {
    free(out);
    return NVRTC_ERROR_INTERNAL_ERROR;
  }
  free(p->log), free(p->ptx), free(p->lowered);
  p->log = part(out, r.r[1]), p->ptx = part((char *)out + r.r[1], r.r[2]);
  p->lowered = part((char *)out + r.r[1] + r.r[2], r.payload - r.r[1] - r.r[2]);
  p->compiled = (int)r.r[0];
  free(out);
  return p->compiled ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

static nvrtcResult size_of(nvrtcProgram p, const char *text, size_t *size) {
  if (!p || !size) return NVRTC_ERROR_INVALID_INPUT;
  *size = (text ? strlen(text) : 0) + 1;
  return NVRTC_SUCCESS;
}
static nvrtcResult text_of(nvrtcProgram p, const char *text, char *to) {
  if (!p || !to) return NVRTC_ERROR_INVALID_INPUT;
  strcpy(to, text ? text : "");
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *size) { return p && !p->compiled ? NVRTC_ERROR_INVALID_PROGRAM : size_of(p, p ? p->ptx : NULL, size); }
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx) { return p && !p->compiled ? NVRTC_ERROR_INVALID_PROGRAM : text_of(p, p ? p->ptx : NULL, ptx); }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *size) { return nvrtcGetPTXSize(p, size); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin) { return nvrtcGetPTX(p, cubin); }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size) { return size_of(p, p ? p->log : NULL, size); }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log) { return text_of(p, p ? p->log : NULL, log); }

nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **name) {
  if (!p || !expression || !name) return NVRTC_ERROR_INVALID_INPUT;
  if (!p->compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  const char *e = p->expressions.text, *l = p->lowered;
  for (uint64_t i = 0; i < p->expressions.count; i++, e += strlen(e) + 1, l += strlen(l) + 1)
    if (strcmp(e, expression) == 0) {
      *name = l;
      return *l ? NVRTC_SUCCESS : NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    }
  return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
