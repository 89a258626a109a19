/* Takes the place of kernels/ptx.cuh. An asynchronous copy is made when the thread waits for it, not before. */
#ifndef RHX_PTX_CUH
#define RHX_PTX_CUH

static inline void rhx_launch_dependents() {}
static inline void rhx_wait_prior() { rhx_emu->waited = true; }
static inline double rhx_approximate_reciprocal(double x) { return 1.0 / x * (1.0 - 1e-7); }
static inline double rhx_approximate_rsqrt(double x) { return 1.0 / sqrt(x) * (1.0 + 1e-7); }

/* The address of dynamic shared memory, from 16 on. */
static inline unsigned rhx_shared_address(const void *at)
{
  return (unsigned)((const char *)at - rhx_emu->shared) + 16;
}

template <int BYTES> static inline void rhx_copy_async(unsigned to, const void *from)
{
  RhxEmuThread *t = rhx_emu->thread;
  if (t->ncopies == RHX_EMU_COPIES) rhx_emu->fail("too many asynchronous copies");
  if (to - 16 + BYTES > rhx_emu->nshared) rhx_emu->fail("an asynchronous copy beyond shared memory");
  if ((to | (uintptr_t)from) % BYTES) rhx_emu->fail("an asynchronous copy that is not aligned");
  t->copy[t->ncopies++] = {rhx_emu->shared + (to - 16), from, BYTES};
}
template <int BYTES> static inline void rhx_copy_async_near(unsigned to, const void *from)
{
  rhx_copy_async<BYTES>(to, from);
}

static inline void rhx_copy_wait()
{
  RhxEmuThread *t = rhx_emu->thread;
  for (unsigned k = 0; k < t->ncopies; k++) memcpy(t->copy[k].to, t->copy[k].from, t->copy[k].bytes);
  t->ncopies = 0;
}

#endif
