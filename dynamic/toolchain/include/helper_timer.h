// What NVIDIA's samples share for timing, for programs that come without it.
#pragma once
#include <chrono>

// A stopwatch, in milliseconds.
class StopWatchInterface {
  typedef std::chrono::steady_clock clock;
  clock::time_point begin;
  float total = 0;
  int runs = 0;
  bool running = false;
  float since() const { return std::chrono::duration<float, std::milli>(clock::now() - begin).count(); }

 public:
  void start() { begin = clock::now(), running = true; }
  void stop() { total += since(), runs++, running = false; }
  void reset() { total = 0, runs = 0, begin = clock::now(); }
  float getTime() const { return running ? total + since() : total; }
  float getAverageTime() const { return runs ? total / runs : 0; }
};
inline bool sdkCreateTimer(StopWatchInterface **timer) { return *timer = new StopWatchInterface, true; }
inline bool sdkDeleteTimer(StopWatchInterface **timer) { return delete *timer, *timer = nullptr, true; }
inline bool sdkStartTimer(StopWatchInterface **timer) { return (*timer)->start(), true; }
inline bool sdkStopTimer(StopWatchInterface **timer) { return (*timer)->stop(), true; }
inline bool sdkResetTimer(StopWatchInterface **timer) { return (*timer)->reset(), true; }
inline float sdkGetTimerValue(StopWatchInterface **timer) { return (*timer)->getTime(); }
inline float sdkGetAverageTimerValue(StopWatchInterface **timer) { return (*timer)->getAverageTime(); }
