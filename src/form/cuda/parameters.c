#include "form/cuda/source.h"
#include "form/inside_impl.h"
#include "petsc_compat.h"

/* A program of a form on a device, both borrowed. */
struct _RhxFormProgram {
  RhxDevice device;
  RhxDeviceProgram program;
};

static PetscErrorCode set_global(RhxDevice device, RhxDeviceProgram program, const char *name, const void *host,
                                 size_t bytes)
{
  void *ptr;
  size_t size;
  PetscFunctionBegin;
  PetscCall(RhxDeviceProgramGetGlobal(program, name, &ptr, &size));
  PetscCheck(size == bytes, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Parameters '%s' of the device program have %zu bytes, expected %zu", name, size, bytes);
  PetscCall(RhxDeviceCopy(device, ptr, host, bytes, RHX_COPY_TO_DEVICE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the order of find_parts. */
static PetscErrorCode send(RhxForm form, RhxDevice device, RhxDeviceProgram program)
{
  double slip[RHX_MAX_MODES];
  char name[64];
  PetscInt number = 0;
  PetscFunctionBegin;
  for (PetscInt m = 0; m < form->nmodes; number++) {
    const RhxPlugin *law = form->mode[m].law;
    PetscInt last = m;
    char *par;
    while (last < form->nmodes && form->mode[last].law == law) last++;
    PetscCall(PetscMalloc1((last - m) * law->param_size, &par));
    for (PetscInt k = m; k < last; k++) {
      PetscCall(PetscMemcpy(par + (k - m) * law->param_size, form->mode[k].par, law->param_size));
      slip[k] = form->mode[k].slip;
    }
    PetscCall(PetscSNPrintf(name, sizeof(name), "rhx_par_%" PetscInt_FMT, number));
    PetscCall(set_global(device, program, name, par, (last - m) * law->param_size));
    PetscCall(PetscFree(par));
    m = last;
  }
  if (form->nmodes) PetscCall(set_global(device, program, "rhx_slip", slip, sizeof(double) * form->nmodes));
  if (form->viscous) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "rhx_par_%" PetscInt_FMT, number++));
    PetscCall(set_global(device, program, name, form->viscous_par, form->viscous->param_size));
  }
  for (PetscInt k = 0; k < form->nowners; k++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "rhx_par_%" PetscInt_FMT, number++));
    PetscCall(set_global(device, program, name, form->owner[k].par, form->owner[k].plugin->param_size));
  }
  for (PetscInt k = 0; k < form->nstabilisers; k++) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "rhx_par_%" PetscInt_FMT, number++));
    PetscCall(set_global(device, program, name, form->stabiliser[k].par, form->stabiliser[k].plugin->param_size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode send_all(RhxForm form)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < form->in->nprograms; k++)
    PetscCall(send(form, form->in->program[k].device, form->in->program[k].program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceSetParameters(RhxForm form, RhxDevice device, RhxDeviceProgram program)
{
  struct _RhxFormInside *in = form->in;
  PetscFunctionBegin;
  PetscCall(PetscRealloc(sizeof(*in->program) * (in->nprograms + 1), &in->program));
  in->program[in->nprograms++] = (struct _RhxFormProgram){device, program};
  in->send = send_all;
  PetscCall(send(form, device, program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormDeviceDestroyProgram(RhxForm form, RhxDeviceProgram *program)
{
  struct _RhxFormInside *in = form->in;
  PetscInt k = 0;
  PetscFunctionBegin;
  while (k < in->nprograms && in->program[k].program != *program) k++;
  if (*program && k < in->nprograms) in->program[k] = in->program[--in->nprograms];
  PetscCall(RhxDeviceProgramDestroy(program));
  PetscFunctionReturn(PETSC_SUCCESS);
}
