// How the runtime library in the user's program talks to the simulator in warplint's process:
// one request, one reply at a time, over a socket; bulk data through memory that both map.
// dynamic/cudart/wire.go has the same numbers; a test compares them.
#ifndef WARPLINT_WIRE_H
#define WARPLINT_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include "cuda_runtime_api.h"

enum operation {
  OP_HELLO = 1,        // a0 address where this process mapped the shared memory; r0 its size, r1 staging size, r2 enum ordering
  OP_LOAD_MODULE,      // payload: token, PTX or fat binary; r0 module
  OP_UNLOAD_MODULE,    // a0 module
  OP_FIND_FUNCTION,    // a0 module, a1 whether the program looks for it by name, payload: name; r0 function, payload: struct function_info, parameters
  OP_FIND_VARIABLE,    // a0 module, payload: name; r0 address, r1 size
  OP_MALLOC,           // a0 size, payload: callers; r0 address
  OP_FREE,             // a0 address
  OP_HOST_ALLOC,       // a0 size, payload: callers; r0 offset in the shared memory
  OP_HOST_FREE,        // a0 offset
  OP_HOST_MAP,         // a0 address, a1 size, a2 offset, payload: callers: show shared memory at another address
  OP_HOST_UNMAP,       // a0 address
  OP_STAGE_TO_DEVICE,  // a0 device address, a1 count: from the staging area
  OP_DEVICE_TO_STAGE,  // a0 device address, a1 count
  OP_DEVICE_COPY,      // a0 to, a1 from, a2 count
  OP_MEMSET,           // a0 address, a1 value, a2 element size (1, 2 or 4), a3 elements
  OP_MEMORY_INFO,      // r0 free, r1 total
  OP_FIND_ALLOCATION,  // a0 address; r0 base, r1 size, r2 kind (0 none, 1 device, 2 host)
  OP_LAUNCH,           // payload: struct launch_request, arguments; reply's payload: what the kernel printed
  OP_DEVICE_RESET,     //
  OP_BIND_VARIABLE,    // a0 module, a1 address, a2 size, a3 offset in the shared memory, payload: name
  OP_COMPILE,          // a0 strings of source and headers, a1 expressions, payload: these and the options, each with its NUL;
                       // r0 whether it compiled, r1 size of the log, r2 of the PTX; reply's payload: log, PTX, lowered names
  OP_NOTE,             // a0 enum note, payload: a message for the user
  OP_ORDER,            // a0 enum order, which says the rest
};

// What orders operations of streams. Streams and events are known by numbers, 0 is the default stream.
enum order {
  ORDER_STREAM,           // a1 stream, a2 whether it is a non-blocking one, payload: callers
  ORDER_BEGIN,            // a1 stream, a2 enum work, a3 whether it is a graph's node, payload: callers, operations that it follows; r0 operation
  ORDER_FOLLOW,           // a1 stream, a2 operation that it goes on behind
  ORDER_RECORD,           // a1 event, a2 operation
  ORDER_STREAM_WAITS,     // a1 stream, a2 event
  ORDER_OPERATION_WAITS,  // a1 operation, a2 event
  ORDER_HOST_WAITS,       // a1 enum awaited, a2 number
  ORDER_TOUCH,            // a1 whether it writes, a2 address, a3 count: what a copy does to memory of the host
};
enum work { WORK_NONE, WORK_KERNEL, WORK_COPY, WORK_STAGED_COPY, WORK_FILL, WORK_FREE, WORK_CONDITION };
enum awaited { AWAIT_ALL, AWAIT_STREAM, AWAIT_EVENT, AWAIT_OPERATION };

// When that is told: never, from the first use of a second stream on, or from now on.
enum ordering { ORDER_NEVER, ORDER_LATER, ORDER_NOW };

struct request {
  uint32_t op, payload;
  uint64_t a[4];
  uint64_t operation;  // on behalf of which it is; 0 for none
};

struct reply {
  int32_t error;
  uint32_t payload;
  uint64_t r[4];
};

struct function_info {
  uint64_t shared, local, constant, parameter_bytes;
  uint32_t registers, max_threads, parameters, reserved;
};

struct parameter_info {
  uint32_t offset, size;
};

enum { CALLERS = 8 };

struct launch_request {
  uint64_t function, stream, shared, callers[CALLERS];
  uint32_t grid[3], block[3], cluster[3], cooperative;
};

// Addresses from here on belong to the device (dynamic/sim/memory.go).
#define DEVICE_BASE 0x900000000000ull
static inline int is_device(const void *p) { return (uintptr_t)p >= DEVICE_BASE; }

extern char *shared_base;      // where the shared memory is mapped
extern int shared_descriptor;  // its file descriptor
extern size_t shared_size;     // bytes
extern size_t staging_size;    // bytes at its beginning

// transact sends a request and waits for the reply. If out is not null, *out becomes the
// reply's payload, to be freed by the caller. Returns the reply's error. The first process that does so has the device.
cudaError_t transact(struct request *q, const void *payload, struct reply *r, void **out);
// transact_early does the same for what a program does before main, and behind it: that takes no device.
cudaError_t transact_early(struct request *q, const void *payload, struct reply *r, void **out);

// callers lists the return addresses in the program through which a call came, the innermost first, from its beginning; the
// rest are zeros.
void callers(uint64_t list[CALLERS]);

// fail records an error for cudaGetLastError and returns it; success passes through.
cudaError_t fail(cudaError_t error);
// poison records an error that every later call returns, as after a fault on a real device.
void poison(cudaError_t error);
extern cudaError_t sticky;

// What a message is about: something that keeps the run from being the program's; an error that the program was told
// of; a launch that did not take place, told likewise; one of <<<>>>, of which the program knows if it asks for the last
// error, as NOTE_ASKED says.
enum note { NOTE_PROBLEM, NOTE_TOLD, NOTE_REFUSED, NOTE_UNASKED, NOTE_ASKED };

// note prints a message to the user, once for each text.
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void note_as(enum note kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

// refused notes a launch that did not take place, and whether the caller gets the error.
void refused(const char *kernel, const char *why, int told);

// Memory, whatever side it is on.
cudaError_t copy_bytes(void *to, const void *from, size_t count);
cudaError_t fill(void *at, unsigned value, unsigned element, size_t count);
int is_visible_to_device(const void *p);
int is_graph_memory(const void *p);
void keep_graph_memory(void *pointer, size_t size);
int is_managed(const void *p);
void forget_managed(const void *p);  // it is freed
cudaError_t allocate(void **pointer, size_t size);
cudaError_t release(void *pointer);

// What the program advises of managed memory is only kept for it to ask.
struct advice {
  int preferred, prefetched;  // devices
  int read_mostly, accessed_by_device, accessed_by_host;
};
struct advice *advice_of(const void *managed);  // null of other memory

// A task is what a stream executes: at once, or recorded into a graph.
enum task_kind { TASK_EMPTY, TASK_KERNEL, TASK_COPY, TASK_FILL, TASK_HOST, TASK_GRAPH, TASK_ALLOC, TASK_FREE, TASK_RECORD, TASK_CALLBACK, TASK_CONDITIONAL, TASK_WAIT };

struct side {
  char *pointer;
  size_t pitch, slice;  // bytes from row to row and from layer to layer
};

struct task {
  enum task_kind kind;
  uint64_t callers[CALLERS];
  union {
    struct {
      const void *function;
      dim3 grid, block, cluster;
      size_t shared;
      int cooperative;
      void *arguments;  // parameter_bytes, owned
    } kernel;
    struct {
      struct side to, from;
      size_t width, height, depth;
    } copy;
    struct {
      struct side at;
      unsigned value, element;
      size_t width, height, depth;  // width in elements
    } fill;
    struct {
      cudaHostFn_t function;
      void *data;
    } host;
    struct {
      cudaStreamCallback_t function;
      cudaStream_t stream;
      void *data;
    } callback;
    cudaGraph_t graph;
    struct {
      uint64_t handle;
      enum cudaGraphConditionalNodeType type;
      unsigned size;
      cudaGraph_t *bodies;
    } conditional;
    struct {
      void *pointer;
      size_t size;
    } memory;
    cudaEvent_t event;  // recorded, or waited for
  };
};

// submit executes a task in stream order, or records it if the stream is being captured.
cudaError_t submit(cudaStream_t stream, struct task *t);
cudaError_t execute(const struct task *t, cudaStream_t stream);
struct task clone_task(const struct task *t);
void release_task(struct task *t);
struct nodes {
  cudaGraphNode_t *list;
  size_t count;
};
// record adds a task to a graph that is being captured.
cudaError_t record(cudaGraph_t graph, const struct task *t, const struct nodes *after, cudaGraphNode_t *made);

// Graphs, for the files that make them and that ask about them.
struct CUgraphNode_st {
  struct CUgraphNode_st *next;
  cudaGraph_t graph;  // that it stands in
  struct task task;
  struct CUgraphNode_st **after;
  size_t count;
  struct CUgraphNode_st *origin;  // the node that this one is a copy of
  int done, disabled;
  uint64_t operation;  // that it was last
  void **pointers;  // to each argument of a kernel, for whoever asks
};
struct conditional_value {  // set anew when the graph is launched
  struct conditional_value *next;
  uint64_t handle;
  unsigned value;
};
struct CUgraph_st {
  struct CUgraphNode_st *first, **end;
  struct conditional_value *values;
  struct held *held;
};
struct CUgraphExec_st {
  cudaGraph_t graph;
  uint64_t operation;  // the end of its last launch
  unsigned long long flags;
};
cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, struct task t);
cudaGraphNode_t copy_of_node(cudaGraph_t graph, const struct CUgraphNode_st *origin);

cudaError_t kernel_task(struct task *t, const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, int cooperative);
// symbol_address finds count bytes of a variable, from an offset on.
cudaError_t symbol_address(const void *symbol, size_t count, size_t offset, char **at);
cudaError_t function_info(const void *function, const struct function_info **info);
// module_function makes a function that is known by the address returned; find out by
// function_info whether the module has it.
// share_managed makes a variable of this process, if it is a managed one, the device's as well.
void share_managed(uint64_t module, char *host, const char *name, size_t size);
const void *module_function(uint64_t module, const char *name);
// driver_copy says a copy of the driver API as the runtime does.
struct CUDA_MEMCPY3D_st;
struct cudaMemcpy3DParms driver_copy(const struct CUDA_MEMCPY3D_st *c);
// split_parameters points at each parameter in a buffer that has them as the kernel wants them.
cudaError_t split_parameters(const void *function, char *buffer, void **pointers, size_t room);
// image_size is the size of a fat binary, or of a text that ends with NUL.
size_t image_size(const void *image);
cudaError_t run_kernel(const struct task *t, cudaStream_t stream);
cudaError_t run_graph(cudaGraph_t graph, cudaStream_t stream);
cudaError_t run_conditional(const struct task *t, cudaStream_t stream);
cudaError_t clone_conditional(struct task *t);
cudaError_t copy3d_task(struct task *t, const struct cudaMemcpy3DParms *p);

// The order of operations (order.c). What a thread does is on behalf of an operation, or of none.
extern __thread uint64_t operation;
// waiting is set while a thread makes a call whose name does not end with Async.
extern __thread int waiting;
static inline cudaError_t waited(cudaError_t error) { return waiting--, error; }
#define WAITING(call) (waiting++, waited(call))
enum ordering *order_level(void);
cudaError_t execute_in_order(const struct task *t, cudaStream_t stream);
cudaError_t launch_in_order(cudaGraphExec_t exec, cudaStream_t stream);
// order_place writes down where the program says to do what is no kernel.
void order_place(struct task *t);
void order_stream(cudaStream_t stream, int non_blocking);
// order_node begins the operation of a node, behind those of the nodes before it, or what the graph started with.
void order_node(struct CUgraphNode_st *n, cudaStream_t stream, uint64_t start);
void order_end_of_graph(cudaGraph_t graph, cudaStream_t stream);
void order_record(cudaEvent_t event);  // by the present operation
void order_stream_waits(cudaStream_t stream, cudaEvent_t event);
void order_operation_waits(cudaEvent_t event);
void order_await_all(void);
void order_await_stream(cudaStream_t stream);
void order_await_event(cudaEvent_t event);
void order_await_operation(void);  // the present one
void order_touch(int writes, const void *at, size_t count);

#endif
