#include "form/cuda/totals.h"
#include "form/cuda/cells.h"
#include "form/cuda/log.h"
#include "form/cuda/matrix_impl.h"
#include "form/cuda/source.h"
#include "kernels/totals.h"

#define THREADS 128 /* of kernels/cell.cuh */

/* One cell type; memory of the device. */
typedef struct {
  RhxDeviceCells cells;
  RhxDeviceProgram program;
  RhxDeviceFunction add, join;
  PetscInt nblocks;
} Type;

struct _p_RhxFormTotals {
  RhxForm form; /* borrowed, as the device */
  RhxDevice device;
  PetscInt ntypes, nparts;
  Type *type;
  void *part, *out; /* [RHX_NTOTALS][nparts], [RHX_NTOTALS]; out is in the memory of part */
};

static PetscErrorCode create_source(RhxForm form, const RhxCells *cells, PetscBool source, RhxDeviceSource *text)
{
  PetscFunctionBegin;
  PetscCall(RhxFormDeviceSourceIn(form, cells, PETSC_FALSE, source, "kernels/real.cuh", "kernels/totals.cuh", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormTotalsCompile(RhxForm form, const RhxCells *cells, const char *arch, RhxDeviceBinary *binary)
{
  RhxDeviceSource text;
  PetscFunctionBegin;
  PetscCall(create_source(form, cells, (PetscBool)(form->source != NULL), &text));
  PetscCall(RhxDeviceCompile(form->comm, arch, text, binary));
  PetscCall(RhxDeviceSourceDestroy(&text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_type(RhxFormTotals s, const RhxCells *cells, PetscBool source, Type *type)
{
  const PetscInt elements = THREADS / 32 * (32 / cells->nn); /* a block */
  RhxDeviceSource text;
  PetscFunctionBegin;
  PetscCall(RhxDeviceCellsCreate(s->device, s->form->space, cells, &type->cells));
  type->nblocks = (cells->n + elements - 1) / elements;
  PetscCall(create_source(s->form, cells, source, &text));
  PetscCall(RhxDeviceProgramCreate(s->device, text, &type->program));
  PetscCall(RhxDeviceSourceDestroy(&text));
  PetscCall(RhxDeviceProgramGetFunction(type->program, "rhx_totals", &type->add));
  PetscCall(RhxDeviceProgramGetFunction(type->program, "rhx_totals_join", &type->join));
  PetscCall(RhxFormDeviceSetParameters(s->form, s->device, type->program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormTotalsCreate(RhxForm form, RhxDevice device, PetscBool source, RhxFormTotals *out)
{
  RhxFormTotals s;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  s = *out;
  s->form = form;
  s->device = device;
  s->ntypes = form->space->ntypes;
  PetscCall(PetscCalloc1(s->ntypes, &s->type));
  for (PetscInt t = 0; t < s->ntypes; t++) {
    PetscCall(make_type(s, &form->space->cells[t], source, &s->type[t]));
    s->nparts += s->type[t].nblocks;
  }
  PetscCall(RhxDeviceMalloc(device, sizeof(double) * RHX_NTOTALS * (size_t)(s->nparts + 1), "totals", &s->part));
  s->out = (double *)s->part + (size_t)s->nparts * RHX_NTOTALS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormTotalsDestroy(RhxFormTotals *out)
{
  RhxFormTotals s = *out;
  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt t = 0; t < s->ntypes; t++) {
    PetscCall(RhxDeviceCellsDestroy(s->device, &s->type[t].cells));
    PetscCall(RhxFormDeviceDestroyProgram(s->form, &s->type[t].program));
  }
  PetscCall(RhxDeviceFree(s->device, s->part));
  PetscCall(PetscFree(s->type));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormTotalsGet(RhxFormTotals s, const void *clock, const void *x, const void *source, double *total)
{
  const RhxMatrixPoint at = {.clock = clock, .x = x, .source = source};
  RhxMatrixPass pass = RhxMatrixPassAt(s->form, &at, NULL);
  int first = 0, nparts = (int)s->nparts;
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(total, RHX_NTOTALS));
  if (!nparts) PetscFunctionReturn(PETSC_SUCCESS); /* no elements here */
  for (PetscInt t = 0; t < s->ntypes; t++) {
    const Type *type = &s->type[t];
    const RhxLaunch shape = {{(unsigned)type->nblocks}, {THREADS}, 0};
    pass.n = (int)type->cells.n;
    pass.conn = type->cells.conn;
    pass.coord = type->cells.coord;
    if (type->nblocks)
      PetscCall(RhxDeviceLaunch(s->device, type->add, shape, RHX_ARGUMENTS(&pass, &first, &nparts, &s->part)));
    first += (int)type->nblocks;
  }
  PetscCall(RhxDeviceLaunch(s->device, s->type[0].join, (RhxLaunch){{RHX_NTOTALS}, {THREADS}, 0},
                            RHX_ARGUMENTS(&nparts, &s->part, &s->out)));
  PetscCall(RhxDeviceCopy(s->device, total, s->out, sizeof(*total) * RHX_NTOTALS, RHX_COPY_TO_HOST));
  PetscCall(RhxFormDeviceLogPass(&(RhxPass){.form = s->form}, RHX_PASS_TOTALS, s->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}
