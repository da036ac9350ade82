// What NVIDIA's samples share for images and for comparing results, for programs that come without it.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>
#include "helper_string.h"

namespace warplint {
// A picture of 8 bits a channel, one or three of them, in the formats PGM and PPM.
inline bool read_picture(const char *name, std::vector<unsigned char> &bytes, unsigned &width, unsigned &height, unsigned &channels) {
  std::ifstream in(name, std::ios::binary);
  std::string kind, word;
  unsigned numbers[3];
  if (!(in >> kind) || kind != "P5" && kind != "P6") return false;
  for (int i = 0; i < 3;) {
    if (!(in >> word)) return false;
    if (word[0] == '#') getline(in, word);
    else numbers[i++] = (unsigned)atoi(word.c_str());
  }
  in.get();
  width = numbers[0], height = numbers[1], channels = kind == "P5" ? 1 : 3;
  bytes.resize((size_t)width * height * channels);
  return (bool)in.read((char *)bytes.data(), (std::streamsize)bytes.size());
}
inline bool write_picture(const char *name, const unsigned char *bytes, unsigned width, unsigned height, unsigned channels) {
  std::ofstream out(name, std::ios::binary);
  out << (channels == 1 ? "P5\n" : "P6\n") << width << "\n" << height << "\n255\n";
  return (bool)out.write((const char *)bytes, (std::streamsize)((size_t)width * height * channels));
}
inline void resized(unsigned char **to, size_t n) { if (!*to) *to = (unsigned char *)malloc(n); }
inline void resized(float **to, size_t n) { if (!*to) *to = (float *)malloc(n * sizeof(float)); }
inline unsigned char from_byte(unsigned char *, unsigned char b) { return b; }
inline float from_byte(float *, unsigned char b) { return b / 255.0f; }
}  // namespace warplint
template <class T> inline bool sdkLoadPGM(const char *name, T **data, unsigned *width, unsigned *height) {
  std::vector<unsigned char> bytes;
  unsigned channels;
  if (!warplint::read_picture(name, bytes, *width, *height, channels) || channels != 1) return false;
  warplint::resized(data, bytes.size());
  for (size_t i = 0; i < bytes.size(); i++) (*data)[i] = warplint::from_byte(*data, bytes[i]);
  return true;
}
inline bool sdkSavePGM(const char *name, unsigned char *data, unsigned width, unsigned height) { return warplint::write_picture(name, data, width, height, 1); }
inline bool sdkSavePGM(const char *name, float *data, unsigned width, unsigned height) {
  std::vector<unsigned char> bytes;
  for (size_t i = 0; i < (size_t)width * height; i++) bytes.push_back((unsigned char)(data[i] * 255));
  return warplint::write_picture(name, bytes.data(), width, height, 1);
}
inline bool sdkLoadPPM4ub(const char *name, unsigned char **data, unsigned *width, unsigned *height) {
  std::vector<unsigned char> bytes;
  unsigned channels;
  if (!warplint::read_picture(name, bytes, *width, *height, channels)) return false;
  size_t n = (size_t)*width * *height;
  *data = (unsigned char *)malloc(n * 4);
  for (size_t i = 0; i < n; i++) {
    for (int c = 0; c < 3; c++) (*data)[4 * i + c] = bytes[channels == 3 ? 3 * i + c : i];
    (*data)[4 * i + 3] = 0;
  }
  return true;
}
inline bool sdkSavePPM4ub(const char *name, unsigned char *data, unsigned width, unsigned height) {
  std::vector<unsigned char> bytes;
  for (size_t i = 0; i < (size_t)width * height; i++) bytes.insert(bytes.end(), data + 4 * i, data + 4 * i + 3);
  return warplint::write_picture(name, bytes.data(), width, height, 3);
}
template <class T> inline bool sdkReadFile(const char *name, T **data, unsigned *length, bool) {
  std::ifstream in(name);
  std::vector<T> all;
  for (T value; in >> value;) all.push_back(value);
  if (all.empty()) return false;
  if (!*data) *data = (T *)malloc(sizeof(T) * all.size()), *length = (unsigned)all.size();
  std::copy(all.begin(), all.begin() + (std::ptrdiff_t)(*length < all.size() ? *length : all.size()), *data);
  return true;
}
template <class T, class S> inline bool compareData(const T *reference, const T *data, unsigned length, S epsilon, float share) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < length; i++) wrong += !(std::fabs((double)reference[i] - (double)data[i]) <= (double)epsilon);
  return share == 0 ? wrong == 0 : (float)wrong <= share * (float)length;
}
inline bool compareL2fe(const float *reference, const float *data, unsigned length, float epsilon) {
  double error = 0, norm = 0;
  for (unsigned i = 0; i < length; i++) {
    error += ((double)reference[i] - data[i]) * ((double)reference[i] - data[i]);
    norm += (double)reference[i] * reference[i];
  }
  return norm > 1e-7 && std::sqrt(error) / std::sqrt(norm) < epsilon;
}
inline bool sdkCompareL2fe(const float *reference, const float *data, unsigned length, float epsilon) { return compareL2fe(reference, data, length, epsilon); }
