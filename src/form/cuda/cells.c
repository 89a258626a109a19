#include "form/cuda/cells.h"
#include "petsc_compat.h"
#include "space/colour.h"

PetscErrorCode RhxDeviceCellsExpectOpen(RhxSpace space, const RhxCells *ce)
{
  int twice = 0;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < ce->n; e++)
    for (PetscInt a = 0; a < ce->nn; a++)
      for (PetscInt b = 0; b < a; b++) twice |= RhxCellsNode(ce, e, a) == RhxCellsNode(ce, e, b);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &twice, 1, MPI_INT, MPI_MAX, space->comm));
  PetscCheck(!twice, space->comm, PETSC_ERR_SUP,
             "A cell has a node twice, as in a periodic mesh of one cell across: the device's derivatives need at "
             "least two");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The host's lane groups as plain arrays. */
PetscErrorCode RhxDeviceCellsCreate(RhxDevice device, RhxSpace space, const RhxCells *ce, RhxDeviceCells *out)
{
  const PetscInt dim = space->dim, nn = ce->nn;
  PetscInt *conn;
  PetscReal *coord;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)ce->n * nn, &conn, (size_t)ce->n * nn * dim, &coord));
  for (PetscInt e = 0; e < ce->n; e++)
    for (PetscInt a = 0; a < nn; a++) {
      const size_t from = (size_t)(e / RHX_LANES) * nn + a, to = (size_t)e * nn + a;
      conn[to] = RhxCellsNode(ce, e, a);
      for (PetscInt d = 0; d < dim; d++) coord[to * dim + d] = ce->x[(from * dim + d) * RHX_LANES + e % RHX_LANES];
    }
  out->n = ce->n;
  out->nn = nn;
  PetscCall(RhxDeviceUpload(device, conn, sizeof(*conn) * ce->n * nn, "the connectivity", &out->conn));
  PetscCall(RhxDeviceUpload(device, coord, sizeof(*coord) * ce->n * nn * dim, "the element positions", &out->coord));
  PetscCall(PetscFree2(conn, coord));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceCellsDestroy(RhxDevice device, RhxDeviceCells *cells)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceFree(device, cells->conn));
  PetscCall(RhxDeviceFree(device, cells->coord));
  *cells = (RhxDeviceCells){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceColoursCreate(RhxDevice device, RhxSpace space, const RhxCells *cells, RhxDeviceColours *out)
{
  RhxColouring co;

  PetscFunctionBegin;
  PetscCall(RhxSpaceColourCells(space, cells, &co));
  PetscCall(RhxDeviceUpload(device, co.element, sizeof(*co.element) * cells->n, "the colours", &out->element));
  PetscCall(PetscMalloc1(co.ncolours + 1, &out->start));
  PetscCall(PetscArraycpy(out->start, co.start, co.ncolours + 1));
  out->n = co.ncolours;
  PetscCall(RhxColouringDestroy(&co));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDeviceColoursDestroy(RhxDevice device, RhxDeviceColours *colours)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceFree(device, colours->element));
  PetscCall(PetscFree(colours->start));
  *colours = (RhxDeviceColours){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}
