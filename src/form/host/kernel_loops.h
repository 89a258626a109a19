/* A part of kernel.c: every loop over elements is a function of its own for each cell type, number of points and, where the
 * compiler is to know it, of modes. In one function inlining, registers and the stack of one loop would hang on the others. */
#ifndef RHX_KERNEL_LOOPS_H
#define RHX_KERNEL_LOOPS_H

#define OWN(name, loop, ...) \
  static __attribute__((noinline)) void name(const RhxPass *pass, const RhxCells *ce) { loop(__VA_ARGS__, pass, ce); }
#define LOOP(name, nn, nq, closed) OWN(name##_##nn##_##nq, name##_cells, nn, nq)
/* closed: of simplices with one point, without modes and with two auxiliary vectors; without: not known to be that. */
#define LOOP_BY_MODES(name, nn, nq, closed)                                    \
  OWN(name##_##nn##_##nq##_without, name##_cells, nn, nq, 0, -1)               \
  OWN(name##_##nn##_##nq##_one, name##_cells, nn, nq, 1, -1)                   \
  OWN(name##_##nn##_##nq##_any, name##_cells, nn, nq, -1, -1)                  \
  RHX_INLINED void name##_##nn##_##nq(const RhxPass *pass, const RhxCells *ce) \
  {                                                                            \
    const PetscInt nm = pass->form->nmodes;                                    \
    if (RHX_KIND == RHX_KIND_COMPLEX || nm > 1 || pass->form->nscalars)        \
      name##_##nn##_##nq##_any(pass, ce);                                      \
    else if (nm == 1)                                                          \
      name##_##nn##_##nq##_one(pass, ce);                                      \
    else if (pass->form->naux == 2 * DIM)                                      \
      name##_##nn##_##nq##_##closed(pass, ce);                                 \
    else                                                                       \
      name##_##nn##_##nq##_without(pass, ce);                                  \
  }
#define LOOP_IF_CLOSED(name, nn, nq, closed)                                   \
  OWN(name##_##nn##_##nq##_without, name##_cells, nn, nq, -1, -1)              \
  RHX_INLINED void name##_##nn##_##nq(const RhxPass *pass, const RhxCells *ce) \
  {                                                                            \
    const RhxForm form = pass->form;                                           \
    if (!form->nmodes && !form->nscalars && form->naux == 2 * DIM)             \
      name##_##nn##_##nq##_##closed(pass, ce);                                 \
    else                                                                       \
      name##_##nn##_##nq##_without(pass, ce);                                  \
  }
#if DIM == 2
#define EACH_TYPE(DO, name) DO(name, 3, 1, closed) DO(name, 3, 3, without) DO(name, 4, 4, without)
#define CLOSED(name) OWN(name##_3_1_closed, name##_cells, 3, 1, 0, 2 * DIM)
#else
#define EACH_TYPE(DO, name) DO(name, 4, 1, closed) DO(name, 4, 4, without) DO(name, 8, 8, without)
#define CLOSED(name) OWN(name##_4_1_closed, name##_cells, 4, 1, 0, 2 * DIM)
#endif
CLOSED(residual)
CLOSED(project)
EACH_TYPE(LOOP_BY_MODES, residual)
EACH_TYPE(LOOP_BY_MODES, project)
#if !TANGENT
EACH_TYPE(LOOP, divergence)
EACH_TYPE(LOOP, gradient)
CLOSED(momentum)
EACH_TYPE(LOOP_IF_CLOSED, momentum)
EACH_TYPE(LOOP, transport)
EACH_TYPE(LOOP, totals)
#endif
#define LOOP_OF(nn, nq, name, ...) name##_##nn##_##nq(__VA_ARGS__)

#endif
