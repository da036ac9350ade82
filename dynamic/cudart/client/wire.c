// The connection to the simulator, errors, and notes.
#define _GNU_SOURCE
#include "wire.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

char *shared_base;
int shared_descriptor;
size_t shared_size, staging_size;

static int connection = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void leave(const char *why) {
  fprintf(stderr, "warplint: %s\n", why);
  _exit(127);
}

static void send_all(const void *data, size_t size) {
  const char *p = data;
  while (size > 0) {
    ssize_t n = send(connection, p, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) leave("the simulator is gone");
    p += n, size -= (size_t)n;
  }
}

static void receive_all(void *data, size_t size) {
  char *p = data;
  while (size > 0) {
    ssize_t n = recv(connection, p, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) leave("the simulator is gone");
    p += n, size -= (size_t)n;
  }
}

static cudaError_t exchange(struct request *q, const void *payload, struct reply *r, void **out) {
  send_all(q, sizeof *q);
  send_all(payload, q->payload);
  receive_all(r, sizeof *r);
  char *data = NULL;
  if (r->payload > 0) {
    data = malloc((size_t)r->payload + 1);
    if (!data) leave("out of memory");
    receive_all(data, r->payload);
    data[r->payload] = 0;
  }
  if (out) *out = data;
  else free(data);
  return (cudaError_t)r->error;
}

// connect_once finds the socket (its number is in WARPLINT_RUNTIME) and maps the shared memory,
// whose descriptor is the next number.
static void connect_once(void) {
  const char *number = getenv("WARPLINT_RUNTIME");
  if (!number) leave("this program was built to run under \"warplint simulate\"");
  connection = atoi(number);
  shared_descriptor = connection + 1;
  struct request q = {.op = OP_HELLO};
  struct reply r;
  // The size is not known before the first reply, so the hello is said twice: to ask, and to tell.
  if (exchange(&q, NULL, &r, NULL) != cudaSuccess) leave("the simulator refused the connection");
  shared_size = r.r[0], staging_size = r.r[1];
  shared_base = mmap(NULL, shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, shared_descriptor, 0);
  if (shared_base == MAP_FAILED) leave("the shared memory can't be mapped");
  q.a[0] = (uint64_t)shared_base;
  if (exchange(&q, NULL, &r, NULL) != cudaSuccess) leave("the simulator refused the connection");
}

cudaError_t transact(struct request *q, const void *payload, struct reply *r, void **out) {
  pthread_once(&once, connect_once);
  struct reply ignored;
  if (!r) r = &ignored;
  pthread_mutex_lock(&lock);
  cudaError_t error = exchange(q, payload, r, out);
  pthread_mutex_unlock(&lock);
  return error;
}

// The last error belongs to the thread; a poisoned device is everybody's.
static __thread cudaError_t last;
cudaError_t sticky;

cudaError_t fail(cudaError_t error) {
  if (sticky != cudaSuccess) error = sticky;
  if (error != cudaSuccess) last = error;
  return error;
}

void poison(cudaError_t error) {
  if (sticky == cudaSuccess) sticky = error;
}

static __thread int unasked;  // a launch of this thread was refused, and it has not asked for the last error since

cudaError_t cudaPeekAtLastError(void) {
  if (unasked) note_as(NOTE_ASKED, "%s", "");
  unasked = 0;
  return sticky != cudaSuccess ? sticky : last;
}

cudaError_t cudaGetLastError(void) {
  cudaError_t error = cudaPeekAtLastError();
  last = cudaSuccess;
  return error;
}

static const struct {
  cudaError_t error;
  const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidTexture, "cudaErrorInvalidTexture", "invalid texture reference"},
    {cudaErrorInvalidChannelDescriptor, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorMissingConfiguration, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
    {cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"},
    {cudaErrorInvalidPtx, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched", "capture was not initiated in this stream"},
    {cudaErrorGraphExecUpdateFailure, "cudaErrorGraphExecUpdateFailure", "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const char *cudaGetErrorName(cudaError_t error) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].error == error) return errors[i].name;
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].error == error) return errors[i].text;
  return "unrecognized error code";
}

static void send_note(enum note kind, const char *format, va_list arguments) {
  char text[512];
  int n = vsnprintf(text, sizeof text, format, arguments);
  if (n < 0) return;
  struct request q = {.op = OP_NOTE, .payload = n < (int)sizeof text ? (uint32_t)n : (uint32_t)sizeof text - 1, .a = {kind}};
  transact(&q, text, NULL, NULL);
}

void note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  send_note(NOTE_PROBLEM, format, arguments);
  va_end(arguments);
}

void note_as(enum note kind, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  send_note(kind, format, arguments);
  va_end(arguments);
}

void refused(const char *kernel, const char *why, int told) {
  note_as(told ? NOTE_REFUSED : NOTE_UNASKED, "%s was not run: %s", kernel, why);
  if (!told) unasked = 1;
}
