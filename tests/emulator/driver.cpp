/* libcuda.so.1 for machines without a GPU: the part of the driver interface that src/device uses, on the host. Kernels are
 * compiled by the emulated NVRTC beside this file. It finds what a GPU would not forgive and what it would: a barrier that not
 * all threads reach, a shuffle that not all lanes of its mask take part in, shared and device memory read before it is written
 * (all bytes are 0xff, NaN, at first). It is slow, has one device, and its warps run in no particular order.
 *
 * RHEOPLEX_EMULATED_DEVICE is its architecture, sm_90 if not set: with the limits of such a device launches fail as there. */
#include "runtime.h"
#include <boost/context/fiber.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <elf.h>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#define API extern "C" __attribute__((visibility("default"))) int
#define MULTIPROCESSORS 3
#define RESIDENT 2         // most blocks of a multiprocessor
#define USUAL_SHARED 49152 // bytes that a kernel may take without asking
#define BEYOND 1024        // bytes after those of a launch that are watched
#define RESERVED 1024      // bytes of shared memory that a block costs beside its own
#define MEMORY (8ull << 30)
#define CONTEXT (256ull << 20) // that the driver takes for itself

enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, BAD_IMAGE = 200, NO_BINARY = 209, NOT_FOUND = 500 };

typedef unsigned long long Pointer;

/* ---- A block of threads ---- */

namespace
{
RhxEmuRuntime runtime;

[[noreturn]] void fail(const char *what)
{
  fprintf(stderr, "emulated device: %s (thread %u of block %u)\n", what, runtime.thread ? runtime.thread->index.x : 0,
          runtime.at.x);
  abort();
}

struct Meeting { // those of the lanes of a mask; a lane comes to the next one when all have come to this one
  uint64_t begun = 0, count[32] = {}, value[2][32];
  unsigned come[2]; // lanes
};

struct Warp {
  std::map<unsigned, Meeting> meeting; // by mask
  unsigned ended;                      // lanes
};

struct Fiber {
  boost::context::fiber rest; // of the thread, while another one runs
  RhxEmuThread thread;
  Warp *warp;
  bool ended, waits; // at the barrier of this generation
  unsigned generation;
};

std::vector<std::unique_ptr<Fiber>> fibers;
std::vector<Warp> warps;
boost::context::fiber scheduler;
Fiber *running;
struct {
  const RhxEmuKernel *kernel;
  const void *arguments;
} task; // of all threads
unsigned nthreads, nrunning, waiting, generation;
int barrier_line; // at which `waiting` threads are
bool progress;

void yield() { scheduler = std::move(scheduler).resume(); }

void barrier(int line)
{
  const unsigned mine = generation;
  if (waiting && line != barrier_line) fail("threads of a block wait at different barriers");
  barrier_line = line;
  if (++waiting == nrunning) {
    waiting = 0;
    generation++;
  }
  if (generation == mine) {
    Fiber *const f = running;
    f->generation = mine;
    f->waits = true;
    yield();
    f->waits = false;
  }
  progress = true;
}

const uint64_t *meet(unsigned mask, uint64_t value)
{
  const unsigned lane = running->thread.lane;
  const Warp &warp = *running->warp;
  Meeting &m = running->warp->meeting[mask];
  if (!(mask >> lane & 1)) fail("a lane takes part in a shuffle whose mask it is not in");
  const uint64_t n = m.count[lane]++;
  uint64_t *const all = m.value[n & 1];
  unsigned &come = m.come[n & 1];
  if (n == m.begun) {
    m.begun++;
    come = 0;
  }
  all[lane] = value;
  come |= 1u << lane;
  while (mask & ~(come | warp.ended)) yield();
  progress = true;
  return all;
}

Fiber *start() // carries out the task each time it goes on, so that no block has to make its threads' stacks
{
  Fiber *const f = new Fiber;
  f->rest = boost::context::fiber([f](boost::context::fiber &&from) {
    for (scheduler = std::move(from);; yield()) {
      task.kernel->run(task.arguments);
      f->ended = true;
    }
    return std::move(scheduler);
  });
  return f;
}

void run_block(const RhxEmuKernel *kernel, const void *arguments)
{
  task = {kernel, arguments};
  nthreads = runtime.block.x * runtime.block.y * runtime.block.z;
  while (fibers.size() < nthreads) fibers.emplace_back(start());
  warps.assign((nthreads + 31) / 32, {{}, 0});
  if (nthreads % 32) warps.back().ended = ~0u << nthreads % 32;
  waiting = 0;
  nrunning = nthreads;
  for (unsigned k = 0; k < nthreads; k++) {
    Fiber *f = fibers[k].get();
    f->thread.index = {k % runtime.block.x, k / runtime.block.x % runtime.block.y,
                       k / runtime.block.x / runtime.block.y};
    f->thread.lane = k % 32;
    f->thread.ncopies = 0;
    f->warp = &warps[k / 32];
    f->ended = f->waits = false;
  }
  for (unsigned live = nthreads; live;) {
    progress = false;
    for (unsigned k = 0; k < nthreads; k++) {
      Fiber *f = fibers[k].get();
      if (f->ended || (f->waits && f->generation == generation)) continue;
      running = f;
      runtime.thread = &f->thread;
      f->rest = std::move(f->rest).resume();
      if (!f->ended) continue;
      f->warp->ended |= 1u << f->thread.lane;
      live--;
      nrunning--;
      progress = true;
      if (nrunning && waiting == nrunning) {
        waiting = 0;
        generation++;
      }
    }
    if (live && !progress) fail("threads wait for others that never come: a barrier or shuffle in a branch");
  }
  runtime.thread = nullptr;
}

struct Launch {
  const RhxEmuKernel *kernel;
  RhxEmuIndex grid, block;
  unsigned shared;
  std::shared_ptr<void> arguments;
  bool overlapped;

  void run() const
  {
    runtime.grid = grid;
    runtime.block = block;
    runtime.waited = false;
    runtime.nshared = shared;
    memset(runtime.shared, 0xff, RHX_EMU_SHARED);
    for (unsigned z = 0; z < grid.z; z++)
      for (unsigned y = 0; y < grid.y; y++)
        for (unsigned x = 0; x < grid.x; x++) {
          runtime.at = {x, y, z};
          memset(runtime.shared, 0xff, shared);
          run_block(kernel, arguments.get());
          for (unsigned k = shared; k < shared + BEYOND; k++)
            if (runtime.shared[k] != (char)0xff) fail("shared memory was written beyond the launch's");
        }
    if (overlapped && !runtime.waited) fail("a kernel may begin before others have ended, and does not wait for them");
  }
};

/* ---- Streams and graphs ---- */

struct Graph;
typedef std::shared_ptr<Graph> GraphPointer;

struct Node {
  enum { KERNEL, COPY, SET, LOOP, CALL } kind;
  Launch launch;
  void *to;
  const void *from;
  size_t bytes;
  int value;
  unsigned *condition;
  GraphPointer body;
  std::function<void()> call = nullptr;
};

struct Condition {
  unsigned value, initial;
};

struct Graph {
  std::vector<Node> node;
  std::deque<Condition> condition; // addresses stay
  void *handed = nullptr;          // body[0] of the driver's answer
};

struct Stream {
  GraphPointer graph; // being recorded
};

void run(const Graph &graph);

void run(const Node &n)
{
  if (n.kind == Node::KERNEL) n.launch.run();
  if (n.kind == Node::COPY) memmove(n.to, n.from, n.bytes);
  if (n.kind == Node::SET) memset(n.to, n.value, n.bytes);
  if (n.kind == Node::CALL) n.call();
  if (n.kind == Node::LOOP)
    while (*n.condition) run(*n.body);
}

void run(const Graph &graph)
{
  for (const Condition &c : graph.condition) const_cast<Condition &>(c).value = c.initial;
  for (const Node &n : graph.node) run(n);
}

void enqueue(void *stream, Node node)
{
  Stream *s = static_cast<Stream *>(stream);
  if (s && s->graph)
    s->graph->node.push_back(std::move(node));
  else
    run(node);
}

std::map<void *, size_t> allocated;
size_t used = CONTEXT;

struct Limits {
  const char *arch;
  int major, minor, shared, shared_all, threads; // bytes a block may take, bytes and threads of a multiprocessor
};

const Limits &limits()
{
  static const Limits all[] = {{"sm_75", 7, 5, 64 << 10, 64 << 10, 1024},
                               {"sm_80", 8, 0, 163 << 10, 164 << 10, 2048},
                               {"sm_86", 8, 6, 99 << 10, 100 << 10, 1536},
                               {"sm_89", 8, 9, 99 << 10, 100 << 10, 1536},
                               {"sm_90", 9, 0, 227 << 10, 228 << 10, 2048}};
  const char *name = getenv("RHEOPLEX_EMULATED_DEVICE");
  for (const Limits &l : all)
    if (!strcmp(name && *name ? name : "sm_90", l.arch)) return l;
  fprintf(stderr, "emulated device: RHEOPLEX_EMULATED_DEVICE: got %s, expected sm_75, sm_80, sm_86, sm_89 or sm_90\n",
          name);
  abort();
}

struct Function {
  const RhxEmuKernel *kernel;
  int dynamic; // bytes of shared memory that a launch may ask for
};

struct Module {
  void *library;
  int file; // open for debuggers
  const RhxEmuKernel *kernel;
  std::deque<Function> function; // addresses stay
};

size_t image_size(const void *image)
{
  Elf64_Ehdr h;
  memcpy(&h, image, sizeof(h));
  return memcmp(h.e_ident, ELFMAG, SELFMAG) ? 0 : h.e_shoff + (size_t)h.e_shnum * h.e_shentsize;
}

bool visible()
{
  const char *devices = getenv("CUDA_VISIBLE_DEVICES");
  return !devices || (devices[0] >= '0' && devices[0] <= '9');
}
} // namespace

/* ---- The device ---- */

API cuInit(unsigned) { return visible() ? OK : NO_DEVICE; }
API cuDriverGetVersion(int *version) { return *version = 13000, OK; }
API cuGetErrorName(int code, const char **text)
{
  *text = code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == NO_DEVICE   ? "CUDA_ERROR_NO_DEVICE"
          : code == INVALID     ? "CUDA_ERROR_INVALID_VALUE"
          : code == NO_BINARY   ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
                                : "CUDA_ERROR_UNKNOWN";
  return OK;
}
API cuGetErrorString(int code, const char **text)
{
  *text = code == OUT_OF_MEMORY ? "out of memory"
          : code == NO_DEVICE   ? "no CUDA-capable device is detected"
          : code == INVALID     ? "invalid argument"
          : code == NO_BINARY   ? "no kernel image is available for execution on the device"
                                : "unknown error";
  return OK;
}
// As many as RHX_EMULATED_DEVICES says, of which a process uses one.
API cuDeviceGetCount(int *count)
{
  const char *devices = getenv("RHX_EMULATED_DEVICES");
  return *count = !visible() ? 0 : devices ? atoi(devices) : 1, OK;
}
API cuDeviceGet(int *device, int ordinal) { return *device = ordinal, OK; }
// A process that sees one device of the node, CUDA_VISIBLE_DEVICES, sees it as its first.
API cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
  const char *devices = getenv("CUDA_VISIBLE_DEVICES");
  memset(uuid, 0, 16);
  uuid[0] = (unsigned char)(1 + device + (devices ? atoi(devices) : 0));
  return OK;
}
API cuDeviceGetName(char *name, int length, int)
{
  snprintf(name, length, "NVIDIA device, emulated");
  return OK;
}
API cuDeviceGetAttribute(int *value, int attribute, int)
{
  const Limits &l = limits();
  *value = attribute == 16   ? MULTIPROCESSORS
           : attribute == 75 ? l.major
           : attribute == 76 ? l.minor
           : attribute == 97 ? l.shared
                             : -1;
  return *value < 0 ? INVALID : OK;
}
API cuDeviceTotalMem_v2(size_t *bytes, int) { return *bytes = MEMORY, OK; }
API cuDevicePrimaryCtxRetain(void **context, int) { return *context = &runtime, OK; }
API cuDevicePrimaryCtxRelease_v2(int) { return OK; }
API cuCtxSetCurrent(void *) { return OK; }

/* ---- Memory: each piece ends before a page that nobody may touch, and none is used after it was freed ---- */

API cuMemGetInfo_v2(size_t *unused, size_t *all)
{
  *all = MEMORY;
  *unused = MEMORY - used;
  return OK;
}
static void *allocate(size_t bytes)
{
  const size_t page = 4096, room = (bytes + page - 1) / page * page;
  char *p = (char *)mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  mprotect(p + room, page, PROT_NONE);
  memset(p, 0xff, room);
  p += room - (bytes + 15) / 16 * 16;
  allocated[p] = bytes;
  return p;
}
static bool release(void *p)
{
  auto at = allocated.find(p);
  if (at == allocated.end()) return false;
  char *const begin = (char *)((uintptr_t)p & ~(uintptr_t)4095);
  munmap(begin, (char *)p - begin + (at->second + 15) / 16 * 16 + 4096);
  allocated.erase(at);
  return true;
}
API cuMemAlloc_v2(Pointer *ptr, size_t bytes)
{
  if (bytes > MEMORY - used) return OUT_OF_MEMORY;
  void *p = allocate(bytes);
  if (!p) return OUT_OF_MEMORY;
  used += bytes;
  *ptr = (Pointer)p;
  return OK;
}
API cuMemFree_v2(Pointer ptr)
{
  auto at = allocated.find((void *)ptr);
  if (at == allocated.end()) return INVALID;
  used -= at->second;
  return release((void *)ptr) ? OK : INVALID;
}
API cuMemHostAlloc(void **ptr, size_t bytes, unsigned) { return (*ptr = allocate(bytes)) ? OK : OUT_OF_MEMORY; }
API cuMemFreeHost(void *ptr) { return release(ptr) ? OK : INVALID; }

static Node copy(void *to, const void *from, size_t bytes)
{
  return {Node::COPY, {}, to, from, bytes, 0, nullptr, nullptr};
}
API cuMemcpyHtoDAsync_v2(Pointer to, const void *from, size_t bytes, void *s)
{
  return enqueue(s, copy((void *)to, from, bytes)), OK;
}
API cuMemcpyDtoHAsync_v2(void *to, Pointer from, size_t bytes, void *s)
{
  return enqueue(s, copy(to, (void *)from, bytes)), OK;
}
API cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t bytes, void *s)
{
  return enqueue(s, copy((void *)to, (void *)from, bytes)), OK;
}
API cuMemsetD8Async(Pointer to, unsigned char value, size_t bytes, void *s)
{
  return enqueue(s, {Node::SET, {}, (void *)to, nullptr, bytes, value, nullptr, nullptr}), OK;
}

/* ---- Programs ---- */

API cuModuleLoadData(void **module, const void *image)
{
  const size_t bytes = image_size(image);
  const int file = bytes ? memfd_create("program", MFD_CLOEXEC) : -1;
  if (file < 0 || write(file, image, bytes) != (ssize_t)bytes) return BAD_IMAGE;
  void *library =
      dlopen(("/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  RhxEmuTable *table = library ? (RhxEmuTable *)dlsym(library, "rhx_emu_kernels") : nullptr;
  if (!table) {
    close(file);
    fprintf(stderr, "emulated device: %s\n", dlerror());
    return BAD_IMAGE;
  }
  const char *const arch = (const char *)dlsym(library, "rhx_emu_arch");
  if (!arch || strcmp(arch, limits().arch)) {
    dlclose(library);
    close(file);
    return NO_BINARY;
  }
  runtime.barrier = barrier;
  runtime.meet = meet;
  runtime.fail = fail;
  *module = new Module{library, file, table(&runtime), {}};
  return OK;
}
API cuModuleUnload(void *module)
{
  dlclose(((Module *)module)->library);
  close(((Module *)module)->file);
  delete (Module *)module;
  return OK;
}
API cuModuleGetFunction(void **function, void *module, const char *name)
{
  Module *m = (Module *)module;
  for (Function &f : m->function)
    if (!strcmp(f.kernel->name, name)) return *function = &f, OK;
  for (const RhxEmuKernel *k = m->kernel; k->name; k++)
    if (!strcmp(k->name, name)) {
      m->function.push_back({k, USUAL_SHARED});
      return *function = &m->function.back(), OK;
    }
  return NOT_FOUND;
}
API cuModuleGetGlobal_v2(Pointer *ptr, size_t *bytes, void *module, const char *name)
{
  Dl_info info;
  const Elf64_Sym *symbol;
  void *at = dlsym(((Module *)module)->library, name);
  if (!at || !dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT)) return NOT_FOUND;
  *ptr = (Pointer)at;
  *bytes = symbol->st_size;
  return OK;
}
API cuFuncGetAttribute(int *value, int attribute, void *) { return *value = attribute == 4 ? 32 : 0, OK; }
API cuFuncSetAttribute(void *function, int attribute, int value)
{
  if (attribute != 8) return OK;
  if (value > limits().shared) return INVALID;
  return ((Function *)function)->dynamic = value, OK;
}
API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared)
{
  const Limits &l = limits();
  *blocks = RESIDENT;
  if (shared > (size_t)((Function *)function)->dynamic) *blocks = 0;
  if ((shared + RESERVED) * *blocks > (size_t)l.shared_all) *blocks = l.shared_all / (shared + RESERVED);
  if (threads * *blocks > l.threads) *blocks = l.threads / threads;
  return OK;
}
struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  void *stream, *attribute;
  unsigned nattributes;
};
static int launch(const LaunchConfig &c, void *function, void **arguments)
{
  const Function *f = (const Function *)function;
  const RhxEmuKernel *k = f->kernel;
  const RhxEmuIndex g{c.grid[0], c.grid[1], c.grid[2]}, b{c.block[0], c.block[1], c.block[2]};
  if (!g.x || !g.y || !g.z || !b.x || b.x * b.y * b.z > 1024) return INVALID;
  if (c.shared > (unsigned)f->dynamic || (c.nattributes && limits().major < 9)) return INVALID;
  Launch launch{k, g, b, c.shared, std::shared_ptr<void>(k->copy(arguments), free), c.nattributes > 0};
  return enqueue(c.stream, {Node::KERNEL, launch, nullptr, nullptr, 0, 0, nullptr, nullptr}), OK;
}
API cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **)
{
  return launch({{gx, gy, gz}, {bx, by, bz}, shared, stream, nullptr, 0}, function, arguments);
}
API cuLaunchKernelEx(const LaunchConfig *c, void *function, void **arguments, void **) // the one attribute: overlapped
{
  return launch(*c, function, arguments);
}

/* ---- Streams, graphs, events ---- */

API cuStreamCreate(void **stream, unsigned) { return *stream = new Stream, OK; }
API cuStreamDestroy_v2(void *stream) { return delete (Stream *)stream, OK; }
API cuStreamSynchronize(void *stream) { return stream && ((Stream *)stream)->graph ? INVALID : OK; }
API cuStreamBeginCapture_v2(void *stream, int) { return ((Stream *)stream)->graph = std::make_shared<Graph>(), OK; }
API cuStreamEndCapture(void *stream, void **graph)
{
  Stream *s = (Stream *)stream;
  if (!s->graph) return INVALID;
  *graph = new GraphPointer(std::move(s->graph));
  s->graph = nullptr;
  return OK;
}
API cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long)
{
  return *exec = new GraphPointer(*(GraphPointer *)graph), OK;
}
API cuGraphLaunch(void *exec, void *stream)
{
  if (stream && ((Stream *)stream)->graph) return INVALID;
  return run(**(GraphPointer *)exec), OK;
}
API cuGraphExecDestroy(void *exec) { return delete (GraphPointer *)exec, OK; }
API cuGraphDestroy(void *graph) { return delete (GraphPointer *)graph, OK; }

API cuStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id, void **graph, void *const **nodes,
                              size_t *n)
{
  Stream *s = (Stream *)stream;
  *status = s->graph != nullptr;
  if (id) *id = 1;
  if (graph) *graph = &s->graph;
  if (nodes) *nodes = nullptr;
  if (n) *n = 0;
  return OK;
}
// For the emulated NCCL: work that joins the stream.
extern "C" __attribute__((visibility("default"))) void rhx_emu_enqueue(void *stream, std::function<void()> call)
{
  enqueue(stream, {Node::CALL, {}, nullptr, nullptr, 0, 0, nullptr, nullptr, std::move(call)});
}

API cuStreamUpdateCaptureDependencies(void *, void **, size_t, unsigned) { return OK; }
API cuStreamBeginCaptureToGraph(void *stream, void *graph, void *const *, const void *, size_t, int)
{
  return ((Stream *)stream)->graph = *(GraphPointer *)graph, OK;
}
API cuGraphConditionalHandleCreate(unsigned long long *handle, void *graph, void *, unsigned initial, unsigned)
{
  Graph *g = ((GraphPointer *)graph)->get();
  g->condition.push_back({initial, initial});
  *handle = (unsigned long long)&g->condition.back().value;
  return OK;
}

struct NodeParameters { // CUgraphNodeParams, its conditional member
  int type, zero[3];
  unsigned long long loop;
  int kind;
  unsigned size;
  void **body;
};
API cuGraphAddNode(void **node, void *graph, void *const *, size_t, NodeParameters *p)
{
  static std::deque<GraphPointer> bodies; // addresses stay
  static std::deque<void *> handed;
  Graph *g = ((GraphPointer *)graph)->get();
  if (p->type != 13 || p->kind != 1 || p->size != 1) return INVALID;
  bodies.push_back(std::make_shared<Graph>());
  handed.push_back(&bodies.back());
  p->body = &handed.back();
  g->node.push_back({Node::LOOP, {}, nullptr, nullptr, 0, 0, (unsigned *)p->loop, bodies.back()});
  *node = g;
  return OK;
}

typedef std::chrono::steady_clock Clock;
API cuEventCreate(void **event, unsigned) { return *event = new Clock::time_point, OK; }
API cuEventRecord(void *event, void *) { return *(Clock::time_point *)event = Clock::now(), OK; }
API cuEventSynchronize(void *) { return OK; }
API cuEventElapsedTime(float *milliseconds, void *begin, void *end)
{
  *milliseconds =
      std::chrono::duration<float, std::milli>(*(Clock::time_point *)end - *(Clock::time_point *)begin).count();
  return OK;
}
API cuEventDestroy_v2(void *event) { return delete (Clock::time_point *)event, OK; }
