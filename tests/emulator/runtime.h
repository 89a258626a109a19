/* What the emulated driver and the programs that the emulated compiler makes share. Everything runs in one thread: blocks one
 * after the other, the threads of a block as fibers that change places where they wait for each other. */
#ifndef RHX_EMULATOR_RUNTIME_H
#define RHX_EMULATOR_RUNTIME_H
#include <cstddef>
#include <cstdint>

struct RhxEmuIndex {
  unsigned x, y, z;
};

struct RhxEmuCopy { // asynchronous, until the thread waits
  void *to;
  const void *from;
  size_t bytes;
};

#define RHX_EMU_SHARED (256 * 1024)
#define RHX_EMU_COPIES 4096

struct RhxEmuThread {
  RhxEmuIndex index;
  unsigned lane; // of its warp
  unsigned ncopies;
  RhxEmuCopy copy[RHX_EMU_COPIES];
};

struct RhxEmuRuntime {
  RhxEmuThread *thread; // the one that runs
  RhxEmuIndex grid, block, at;
  bool waited;                             // the kernel, for those before it
  unsigned nshared;                        // bytes of the launch
  alignas(16) char shared[RHX_EMU_SHARED]; // dynamic
  void (*barrier)(int line);               // of the source
  // Every lane of the mask brings a value; the values of all lanes, valid until this lane's next meeting.
  const uint64_t *(*meet)(unsigned mask, uint64_t value);
  void (*fail)(const char *what);
};

// One a kernel, in the table that a program exports as rhx_emu_kernels, ended by a NULL name.
struct RhxEmuKernel {
  const char *name;
  void *(*copy)(void **arguments); // the arguments of a launch, to be freed
  void (*run)(const void *copied); // one thread
};

extern "C" typedef const RhxEmuKernel *RhxEmuTable(RhxEmuRuntime *runtime);
#endif
