/* Matrices assembled on the device, straight into the value array of compressed rows: scalar matrices of the space, and the
 * tangent of the form for any subset of fields,
 *   J = d R(rows) / d x(columns) + shift (d R / d xdot + M),
 * R: the weak residual, of elements and faces; auxiliary fields (projections) and the sources are held. M: rho in velocity,
 * 1 in modes, 0 in pressure. Boundary values are the caller's.
 *
 * Rows are those of the space's nodes in order, nr components each; columns likewise with nc. The pattern couples all
 * components of nodes that share an element. On several ranks the rows of ghosts are this rank's part of them, which PETSc adds
 * to their owners' (MatSetValuesCOO): elements belong to one rank each, so an overlap would assemble those of the cut twice.
 *
 * -assembly_matrix: `owner` stores element matrices for a range of nodes and lets a warp sum each node's rows, in the order of
 * the elements: each value is written once, the same bits every time. `colour`: a launch a colour and column adds without
 * atomics. `atomic`: all elements at once. */
#ifndef RHX_DEVICE_MATRIX_H
#define RHX_DEVICE_MATRIX_H
#include "device/device.h"
#include "form/form.h"
#include <petscmat.h>

typedef enum { RHX_MATRIX_TANGENT, RHX_MATRIX_LAPLACIAN, RHX_MATRIX_MASS } RhxMatrixKind;
typedef enum { RHX_MASS_NONE, RHX_MASS_LUMPED, RHX_MASS_CONSISTENT } RhxMatrixMass; /* M of the tangent */

typedef struct {
  RhxMatrixKind kind;
  RhxMatrixMass mass;
  PetscInt nrows, ncols; /* fields of the space, by number; 0: all. Scalar matrices have none. */
  PetscInt row[RHX_MAX_MODES + RHX_MAX_SCALARS + 2], col[RHX_MAX_MODES + RHX_MAX_SCALARS + 2];
  PetscBool rate, source; /* whether xdot and the sources take part */
} RhxMatrixSpec;

/* ---- The pattern, which needs no device ---- */

typedef struct {
  PetscInt n, *start,
      *node;      /* blocks of node i's row, ghosts too: nodes node[start[i]] to node[start[i + 1] - 1], ascending */
  PetscInt width; /* most blocks in a row */
  PetscInt ntypes;
  unsigned short **at; /* of each cell type [elements][nn][nn]: block number in the row of a of the node of b */
} RhxMatrixMap;

PetscErrorCode RhxMatrixMapCreate(RhxSpace space, RhxMatrixMap *map);
PetscErrorCode RhxMatrixMapDestroy(RhxMatrixMap *map);

/* ---- Assembly ---- */

typedef struct _p_RhxFormMatrix *RhxFormMatrix;
typedef struct _p_RhxMatrixRows *RhxMatrixRows; /* form/cuda/rows.h */

PetscErrorCode RhxFormMatrixRegisterOptions(void); /* -assembly_matrix; RhxFormRegisterOptions calls it */
/* Makes the maps; the program is compiled with the first assembly, or by RhxFormMatrixSetUp. Collective. */
PetscErrorCode RhxFormMatrixCreate(RhxForm form, RhxDevice device, const RhxMatrixSpec *spec, RhxFormMatrix *m);
PetscErrorCode RhxFormMatrixSetUp(RhxFormMatrix m);
PetscErrorCode RhxFormMatrixDestroy(RhxFormMatrix *m);
PetscErrorCode RhxFormMatrixView(RhxFormMatrix m, PetscViewer viewer); /* kernels with registers and spills */
/* nr, nc: components of a node's rows and columns; values in the array. Any may be NULL. */
PetscErrorCode RhxFormMatrixGetSize(RhxFormMatrix m, PetscInt *nr, PetscInt *nc, PetscInt *nvalues);
PetscErrorCode RhxFormMatrixGetMap(RhxFormMatrix m, const RhxMatrixMap **map); /* borrowed */
/* Instead of the option's; the next assembly compiles its program. */
PetscErrorCode RhxFormMatrixSetAssembly(RhxFormMatrix m, RhxAssembly assembly);

/* The state at which a tangent is taken; device memory as in RhxFormDeviceResidual. Scalar matrices need none. */
typedef struct {
  const void *clock, *x, *xdot, *aux, *source;
  double shift;
  int follows; /* as in form/host/tangent.h */
} RhxMatrixPoint;

/* values[nvalues] on the device, row by row: row r of node i begins at (start[i] nr + r (start[i + 1] - start[i])) nc. */
PetscErrorCode RhxFormMatrixValues(RhxFormMatrix m, const RhxMatrixPoint *at, void *values);
/* A matrix of node blocks with the pattern, values zero: AIJCUSPARSE where PETSc has CUDA, to which values go on the device, else
 * AIJ, to which they are copied. */
PetscErrorCode RhxFormMatrixCreateMat(RhxFormMatrix m, Mat *A);
/* Values into such a matrix, in place of those that it has. Collective. */
PetscErrorCode RhxFormMatrixAssemble(RhxFormMatrix m, const RhxMatrixPoint *at, Mat A);

/* Then, before A is changed: block[n][nr][nc] is added to that of each local node at its own row. Collective. */
PetscErrorCode RhxFormMatrixAddBlocks(RhxFormMatrix m, PetscInt n, const PetscInt *node, const PetscScalar *block,
                                      Mat A);

/* The program for one cell type without a device, for the compiler alone. Collective. */
PetscErrorCode RhxFormMatrixCompile(RhxForm form, const RhxCells *cells, const RhxMatrixSpec *spec,
                                    RhxAssembly assembly, const char *arch, RhxDeviceBinary *binary);
#endif
