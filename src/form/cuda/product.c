#include "form/cuda/product.h"
#include "form/cuda/cells.h"
#include "form/cuda/face_tangent.h"
#include "form/cuda/source.h"
#include "kernels/pass.h"

#define THREADS 128 /* of kernels/cell.cuh */

typedef enum { KERNEL_PRODUCT, KERNEL_PROJECT, KERNEL_MASS, NKERNELS } Kernel;

typedef struct {
  RhxDeviceCells cells;
  RhxDeviceColours colour;
  RhxDeviceProgram program;
  RhxDeviceFunction kernel[NKERNELS];
} Type;

struct _p_RhxFormProduct {
  RhxForm form; /* borrowed, as the device */
  RhxDevice device;
  PetscInt ntypes;
  Type *type;
  RhxFaceTangent faces;
};

static PetscErrorCode create_type(RhxFormProduct p, const RhxCells *cells, PetscBool source, Type *type)
{
  static const char *const name[NKERNELS] = {"rhx_product", "rhx_product_project", "rhx_product_mass"};
  RhxDeviceSource text;

  PetscFunctionBegin;
  PetscCall(RhxDeviceCellsExpectOpen(p->form->space, cells));
  PetscCall(RhxDeviceCellsCreate(p->device, p->form->space, cells, &type->cells));
  PetscCall(RhxDeviceColoursCreate(p->device, p->form->space, cells, &type->colour));
  PetscCall(RhxProductSource(p->form, cells, source, &text));
  PetscCall(RhxDeviceProgramCreate(p->device, text, &type->program));
  PetscCall(RhxDeviceSourceDestroy(&text));
  for (int k = 0; k < NKERNELS; k++)
    if (k != KERNEL_PROJECT || p->form->naux)
      PetscCall(RhxDeviceProgramGetFunction(type->program, name[k], &type->kernel[k]));
  PetscCall(RhxFormDeviceSetParameters(p->form, p->device, type->program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormProductCreate(RhxForm form, RhxDevice device, PetscBool source, RhxFormProduct *out)
{
  RhxFormProduct p;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  p->form = form;
  p->device = device;
  p->ntypes = form->space->ntypes;
  PetscCall(PetscCalloc1(p->ntypes, &p->type));
  for (PetscInt t = 0; t < p->ntypes; t++) PetscCall(create_type(p, &form->space->cells[t], source, &p->type[t]));
  PetscCall(RhxFaceTangentCreate(form, device, form->needs_rate, source, NULL, NULL, &p->faces));
  *out = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormProductDestroy(RhxFormProduct *out)
{
  RhxFormProduct p = *out;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt t = 0; t < p->ntypes; t++) {
    PetscCall(RhxDeviceCellsDestroy(p->device, &p->type[t].cells));
    PetscCall(RhxDeviceColoursDestroy(p->device, &p->type[t].colour));
    PetscCall(RhxFormDeviceDestroyProgram(p->form, &p->type[t].program));
  }
  PetscCall(RhxFaceTangentDestroy(&p->faces));
  PetscCall(PetscFree(p->type));
  PetscCall(PetscFree(*out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(RhxFormProduct p, Kernel kernel, RhxProductPass pass)
{
  PetscFunctionBegin;
  for (PetscInt t = 0; t < p->ntypes; t++) {
    const Type *type = &p->type[t];
    const RhxDeviceColours *co = &type->colour;
    const PetscInt elements = THREADS / 32 * (32 / type->cells.nn); /* a block */
    pass.at.conn = type->cells.conn;
    pass.at.coord = type->cells.coord;
    for (PetscInt c = 0; c < co->n; c++) {
      const PetscInt n = co->start[c + 1] - co->start[c];
      pass.at.n = (int)n;
      pass.at.element = (const int *)co->element + co->start[c];
      if (n)
        PetscCall(RhxDeviceLaunch(p->device, type->kernel[kernel],
                                  (RhxLaunch){{(unsigned)((n + elements - 1) / elements)}, {THREADS}, 0},
                                  RHX_ARGUMENTS(&pass)));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormProductAdd(RhxFormProduct p, const RhxMatrixPoint *at, const void *v, const void *a, void *r)
{
  const RhxProductPass pass = {.at = RhxMatrixPassAt(p->form, at, r), .v = v, .a = a};

  PetscFunctionBegin;
  PetscCall(run(p, KERNEL_PRODUCT, pass));
  PetscCall(RhxFaceTangentProduct(p->faces, at, v, a, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormProductProject(RhxFormProduct p, const RhxMatrixPoint *at, const void *scale, const void *v,
                                     void *a)
{
  RhxProductPass pass = {.at = RhxMatrixPassAt(p->form, at, a), .v = v, .scale = scale};

  PetscFunctionBegin;
  if (!p->form->naux) PetscFunctionReturn(PETSC_SUCCESS);
  pass.at.aux = pass.at.xdot = NULL;
  PetscCall(run(p, KERNEL_PROJECT, pass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormProductMass(RhxFormProduct p, double factor, const void *v, void *r)
{
  const RhxMatrixPoint at = {.shift = factor};
  const RhxProductPass pass = {.at = RhxMatrixPassAt(p->form, &at, r), .v = v};

  PetscFunctionBegin;
  PetscCall(run(p, KERNEL_MASS, pass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormProductCompile(RhxForm form, const RhxCells *cells, const char *arch, RhxDeviceBinary *binary)
{
  RhxDeviceSource text;

  PetscFunctionBegin;
  PetscCall(RhxProductSource(form, cells, (PetscBool)(form->source != NULL), &text));
  PetscCall(RhxDeviceCompile(form->comm, arch, text, binary));
  PetscCall(RhxDeviceSourceDestroy(&text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
