// What NVIDIA's samples share for their command lines, for programs that come without it: flags as -name or --name=value.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <strings.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, length, from) strcpy(to, from)
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#define FOPEN_FAIL(result) (result == NULL)
#define SSCANF sscanf
#define SPRINTF sprintf

namespace warplint {
// The value of a flag, empty without one; null if it is not there.
inline const char *flag(int count, const char **arguments, const char *name) {
  size_t length = strlen(name);
  for (int i = 1; i < count; i++) {
    const char *text = arguments[i] + strspn(arguments[i], "-");
    if (strncasecmp(text, name, length) == 0 && (text[length] == 0 || text[length] == '=')) return text + length + (text[length] == '=');
  }
  return nullptr;
}
}  // namespace warplint
inline bool checkCmdLineFlag(int argc, const char **argv, const char *name) { return warplint::flag(argc, argv, name) != nullptr; }
inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name) {
  const char *value = warplint::flag(argc, argv, name);
  return value ? atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name) {
  const char *value = warplint::flag(argc, argv, name);
  return value ? (float)atof(value) : 0;
}
inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **text) {
  const char *value = warplint::flag(argc, argv, name);
  *text = const_cast<char *>(value);
  return value != nullptr;
}
template <class T> inline bool getCmdLineArgumentValue(int argc, const char **argv, const char *name, T *to) {
  const char *value = warplint::flag(argc, argv, name);
  if (value) *to = (T)atoi(value);
  return value != nullptr;
}
// Where samples keep their data: beside the program, or in a folder data or Data.
inline char *sdkFindFilePath(const char *name, const char *) {
  for (const char *folder : {"./", "./data/", "./Data/", "../data/", "../Data/", "../../data/", "../../Data/"}) {
    std::string path = std::string(folder) + name;
    if (std::ifstream(path)) return strdup(path.c_str());
  }
  return nullptr;
}
