// The connection to the simulator, errors, and notes.
#define _GNU_SOURCE
#include "wire.h"
#include <errno.h>
#include <fcntl.h>
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
static enum ordering ordering;
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

// The process that has the device, in a page that all those share which fork makes; and whether this one had it, or its parent did
// before the fork. A program that another process has executed is foreign: its kernels are not those that are known here.
static struct { pid_t process; } *owner;
static pid_t used_by;
static int foreign;

// turn lets one process at a time use the socket: a lock of the file is gone with the process that held it.
static void turn(short type) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
  while (fcntl(shared_descriptor, F_SETLKW, &lock) != 0 && errno == EINTR) continue;
}

// connect_once finds the socket (its number is in WARPLINT_RUNTIME) and maps the shared memory,
// whose descriptor is the next number.
static void connect_once(void) {
  const char *number = getenv("WARPLINT_RUNTIME");
  if (!number) leave("this program was built to run under \"warplint simulate\"");
  connection = atoi(number);
  shared_descriptor = connection + 1;
  owner = mmap(NULL, sizeof *owner, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (owner == MAP_FAILED) leave("out of memory");
  char marked[16], *mark = getenv("WARPLINT_PROCESS");
  foreign = mark && atoi(mark) != getpid();
  if (foreign) return;
  snprintf(marked, sizeof marked, "%d", (int)getpid());
  setenv("WARPLINT_PROCESS", marked, 1);
  struct request q = {.op = OP_HELLO};
  struct reply r;
  // The size is not known before the first reply, so the hello is said twice: to ask, and to tell.
  if (exchange(&q, NULL, &r, NULL) != cudaSuccess) leave("the simulator refused the connection");
  shared_size = r.r[0], staging_size = r.r[1], ordering = (enum ordering)r.r[2];
  shared_base = mmap(NULL, shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, shared_descriptor, 0);
  if (shared_base == MAP_FAILED) leave("the shared memory can't be mapped");
  q.a[0] = (uint64_t)shared_base;
  if (exchange(&q, NULL, &r, NULL) != cudaSuccess) leave("the simulator refused the connection");
}

enum ordering *order_level(void) {
  pthread_once(&once, connect_once);
  return &ordering;
}

cudaError_t transact_early(struct request *q, const void *payload, struct reply *r, void **out) {
  pthread_once(&once, connect_once);
  struct reply ignored;
  if (!r) r = &ignored;
  if (foreign && q->op != OP_NOTE) return cudaErrorInitializationError;
  q->operation = operation;
  pthread_mutex_lock(&lock);
  turn(F_WRLCK);
  cudaError_t error = exchange(q, payload, r, out);
  turn(F_UNLCK);
  pthread_mutex_unlock(&lock);
  return error;
}

// has_device reports whether this process may use the device, and tells the user if not.
static int has_device(void) {
  pid_t self = getpid(), nobody = 0;
  pthread_once(&once, connect_once);
  if (!foreign && used_by == 0 && __atomic_compare_exchange_n(&owner->process, &nobody, self, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) used_by = self;
  if (!foreign && owner->process == self) return 1;
  if (used_by != 0 && used_by != self)
    note_as(NOTE_TOLD, "a process that was forked after the first call of the runtime can't use the device: its calls return cudaErrorInitializationError, as on a GPU; fork before that call");
  else
    note("a second process of the program uses the device, which only the first one has on the simulator: its calls return cudaErrorInitializationError; run the program with one process");
  return 0;
}

cudaError_t transact(struct request *q, const void *payload, struct reply *r, void **out) {
  if (!has_device()) {
    poison(cudaErrorInitializationError);
    return cudaErrorInitializationError;
  }
  return transact_early(q, payload, r, out);
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
    {cudaErrorCudartUnloading, "cudaErrorCudartUnloading", "driver shutting down"},
    {cudaErrorInvalidHostPointer, "cudaErrorInvalidHostPointer", "invalid host pointer"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidSurface, "cudaErrorInvalidSurface", "invalid surface reference"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorDeviceUninitialized, "cudaErrorDeviceUninitialized", "invalid device context"},
    {cudaErrorUnsupportedLimit, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {cudaErrorFileNotFound, "cudaErrorFileNotFound", "file not found"},
    {cudaErrorOperatingSystem, "cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
    {cudaErrorIllegalState, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    {cudaErrorHardwareStackError, "cudaErrorHardwareStackError", "hardware stack error"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorTimeout, "cudaErrorTimeout", "wait operation timed out"},
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
  transact_early(&q, text, NULL, NULL);
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
