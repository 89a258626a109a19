#include "form/cuda/momentum.h"
#include "form/cuda/cells.h"
#include "form/cuda/matrix_impl.h"
#include "form/cuda/source.h"
#include "form/implicit_impl.h"
#include "kernels/implicit.h"

#define THREADS 128 /* of kernels/cell.cuh */

/* One cell type; memory of the device. */
typedef struct {
  RhxDeviceCells cells;
  RhxDeviceColours colour; /* none where values are added by atomics */
  void *at;
  RhxDeviceProgram program;
  RhxDeviceFunction add;
} Type;

struct _p_RhxFormMomentum {
  RhxForm form; /* borrowed, as the device */
  RhxDevice device;
  RhxFieldGroup group;
  double viscous;
  PetscInt ntypes;
  Type *type;
};

static PetscErrorCode create_source(RhxForm form, RhxFieldGroup group, const RhxCells *ce, RhxDeviceSource *source)
{
  const char *kernels = group == RHX_GROUP_MODES ? "kernels/transport.cuh" : "kernels/momentum.cuh";
  PetscFunctionBegin;
  PetscCall(RhxFormDeviceSourceIn(form, ce, PETSC_FALSE, PETSC_FALSE, "kernels/real.cuh", kernels, source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMomentumCompile(RhxForm form, RhxFieldGroup group, const RhxCells *ce, const char *arch,
                                      RhxDeviceBinary *binary)
{
  RhxDeviceSource source;
  PetscFunctionBegin;
  PetscCall(create_source(form, group, ce, &source));
  PetscCall(RhxDeviceCompile(form->comm, arch, source, binary));
  PetscCall(RhxDeviceSourceDestroy(&source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_program(RhxFormMomentum m, const RhxCells *ce, Type *type)
{
  RhxDeviceSource source;
  PetscFunctionBegin;
  PetscCall(create_source(m->form, m->group, ce, &source));
  PetscCall(RhxDeviceProgramCreate(m->device, source, &type->program));
  PetscCall(RhxDeviceSourceDestroy(&source));
  PetscCall(RhxDeviceProgramGetFunction(
      type->program, m->group == RHX_GROUP_MODES ? "rhx_transport_matrix" : "rhx_momentum", &type->add));
  PetscCall(RhxFormDeviceSetParameters(m->form, m->device, type->program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* at[n][nn][nn]: entries of the elements. */
static PetscErrorCode upload_places(RhxFormMomentum m, const RhxCells *ce, Type *type)
{
  const RhxNodeGraph *graph = &m->form->consistent.graph;
  const PetscInt nn = ce->nn;
  const size_t n = (size_t)ce->n * nn * nn;
  PetscInt *at, *to;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &at));
  to = at;
  for (PetscInt e = 0; e < ce->n; e++)
    for (PetscInt a = 0; a < nn; a++)
      for (PetscInt b = 0; b < nn; b++) *to++ = RhxNodeGraphFind(graph, RhxCellsNode(ce, e, a), RhxCellsNode(ce, e, b));
  PetscCall(RhxDeviceUpload(m->device, at, sizeof(*at) * n, "the map of the matrix of momentum", &type->at));
  PetscCall(PetscFree(at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_type(RhxFormMomentum m, const RhxCells *ce, Type *type)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceCellsCreate(m->device, m->form->space, ce, &type->cells));
  PetscCall(upload_places(m, ce, type));
  if (m->form->assembly != RHX_ASSEMBLY_ATOMIC)
    PetscCall(RhxDeviceColoursCreate(m->device, m->form->space, ce, &type->colour));
  PetscCall(create_program(m, ce, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMomentumCreate(RhxForm form, RhxDevice device, RhxFieldGroup group, RhxFormMomentum *out)
{
  RhxFormMomentum m;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  m = *out;
  m->form = form;
  m->device = device;
  m->group = group;
  m->viscous = RhxFormImplicitViscosity(form);
  m->ntypes = form->space->ntypes;
  PetscCall(PetscCalloc1(m->ntypes, &m->type));
  for (PetscInt t = 0; t < m->ntypes; t++) PetscCall(make_type(m, &form->space->cells[t], &m->type[t]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMomentumDestroy(RhxFormMomentum *out)
{
  RhxFormMomentum m = *out;
  PetscFunctionBegin;
  if (!m) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt t = 0; t < m->ntypes; t++) {
    Type *type = &m->type[t];
    PetscCall(RhxDeviceCellsDestroy(m->device, &type->cells));
    PetscCall(RhxDeviceColoursDestroy(m->device, &type->colour));
    PetscCall(RhxDeviceFree(m->device, type->at));
    PetscCall(RhxFormDeviceDestroyProgram(m->form, &type->program));
  }
  PetscCall(PetscFree(m->type));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n elements of a type, from `first` on in its list, or all. */
static PetscErrorCode run(RhxFormMomentum m, const Type *type, PetscInt first, PetscInt n, RhxMomentumPass pass)
{
  const PetscInt elements = THREADS / 32 * (32 / type->cells.nn); /* a block */
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  pass.at = type->at;
  pass.cells.n = (int)n;
  pass.cells.conn = type->cells.conn;
  pass.cells.coord = type->cells.coord;
  pass.cells.element = type->colour.element ? (const int *)type->colour.element + first : NULL;
  PetscCall(RhxDeviceLaunch(m->device, type->add,
                            (RhxLaunch){{(unsigned)((n + elements - 1) / elements)}, {THREADS}, 0},
                            RHX_ARGUMENTS(&pass)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormMomentumAdd(RhxFormMomentum m, PetscInt mode, const void *clock, const void *x, const void *aux,
                                  void *values, void *hoop)
{
  const RhxMomentumPass pass = {
      .cells = {.clock = clock, .x = x, .aux = aux, .rho = m->form->rho, .convection = m->form->convection},
      .value = values,
      .hoop = hoop,
      .viscous = m->viscous,
      .mode = (int)mode};
  PetscFunctionBegin;
  for (PetscInt t = 0; t < m->ntypes; t++) {
    const Type *type = &m->type[t];
    const RhxDeviceColours *co = &type->colour;
    if (!co->n) PetscCall(run(m, type, 0, type->cells.n, pass));
    for (PetscInt c = 0; c < co->n; c++) PetscCall(run(m, type, co->start[c], co->start[c + 1] - co->start[c], pass));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
