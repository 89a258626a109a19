/* What the files of the device's matrices share. */
#ifndef RHX_DEVICE_MATRIX_IMPL_H
#define RHX_DEVICE_MATRIX_IMPL_H
#include "form/cuda/matrix.h"
#include "kernels/pass.h"
#include "petsc_compat.h"
#include "space/colour.h"

#define RHX_MAX_COMPONENTS (4 + 6 * RHX_MAX_MODES + RHX_MAX_SCALARS) /* of a node block */

/* Components of the node block that give rows and columns. */
typedef struct {
  PetscInt nr, nc;
  int row[RHX_MAX_COMPONENTS], col[RHX_MAX_COMPONENTS];
} RhxMatrixBlock;

PetscErrorCode RhxMatrixBlockSetUp(RhxForm form, const RhxMatrixSpec *spec, RhxMatrixBlock *block);
PetscErrorCode RhxMatrixSource(RhxForm form, const RhxCells *cells, const RhxMatrixSpec *spec,
                               const RhxMatrixBlock *block, RhxAssembly assembly, RhxDeviceSource *source);

/* Of products, kernels/product.cuh. */
PetscErrorCode RhxProductSource(RhxForm form, const RhxCells *cells, PetscBool source, RhxDeviceSource *out);

/* What all passes of derivatives are given; at NULL: of none. */
static inline RhxMatrixPass RhxMatrixPassAt(RhxForm form, const RhxMatrixPoint *at, void *out)
{
  RhxMatrixPass pass = {.out = out, .rho = form->rho, .convection = form->convection};
  if (!at) return pass;
  pass.clock = at->clock;
  pass.x = at->x;
  pass.xdot = at->xdot;
  pass.aux = at->aux;
  pass.source = at->source;
  pass.shift = at->shift;
  pass.follows = at->follows;
  return pass;
}

/* A range of nodes that owners sum at one time: their elements of each type and the contributions of each node. */
typedef struct {
  PetscInt first, n;      /* nodes */
  PetscInt *nelements;    /* [ntypes] */
  size_t *element, *list; /* [ntypes] where the range begins in the type's arrays */
} RhxMatrixRange;

/* For the owners of one type: arrays of all ranges one after the other. */
typedef struct {
  size_t nelement, nlist, nentry;
  int *element;       /* element numbers, ascending in a range */
  int *list;          /* [nodes of the range + 1] first entry of a node, counted from the type's start */
  int *entry;         /* number in the range's elements * nn + local node */
  unsigned short *at; /* [nentry][nn] block of the row */
} RhxMatrixOwners;

/* Ranges whose stored element matrices, nvalues of each pair of an element's nodes, fit into `bytes`. */
PetscErrorCode RhxMatrixOwnersCreate(RhxSpace space, const RhxMatrixMap *map, PetscInt nvalues, size_t bytes,
                                     PetscInt *nranges, RhxMatrixRange **range, RhxMatrixOwners **owners);
PetscErrorCode RhxMatrixOwnersDestroy(PetscInt ntypes, PetscInt *nranges, RhxMatrixRange **range,
                                      RhxMatrixOwners **owners);
#endif
