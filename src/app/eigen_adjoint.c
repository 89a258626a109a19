/* Adjoint modes as .vtu. */
#include "app/eigen.h"
#include "output/vtu.h"
#include "petsc_compat.h"
#include <math.h>

typedef struct {
  RhxSpace space;
  RhxVtu *vtu;
  double rho;
  PetscScalar *mode[2], *adjoint[2]; /* [nlocal][bs] real, imaginary */
} Parts;

/* rho |u| |u+| of node i, u complex. */
static double sensitivity(const Parts *p, PetscInt i)
{
  double u = 0.0, a = 0.0;
  for (PetscInt c = 0; c < p->space->dim; c++)
    for (int k = 0; k < 2; k++) {
      const size_t at = (size_t)i * p->space->bs + c;
      u += PetscSqr(p->mode[k][at]);
      a += PetscSqr(p->adjoint[k][at]);
    }
  return p->rho * sqrt(u * a);
}

/* The structural sensitivity, then each field's real and imaginary part; vectors with three components. */
static PetscErrorCode fill(void *ctx, PetscInt which, double *values)
{
  const Parts *p = ctx;
  const RhxSpace sp = p->space;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->vtu->npoints; i++) {
    const PetscInt node = p->vtu->node[i];
    if (!which) {
      values[i] = sensitivity(p, node);
      continue;
    }
    const RhxField *f = &sp->field[(which - 1) / 2];
    const PetscInt n = f->kind == RHX_VECTOR ? 3 : f->components;
    for (PetscInt c = 0; c < n; c++)
      values[(size_t)i * n + c] =
          c < f->components ? p->adjoint[(which - 1) % 2][(size_t)node * sp->bs + f->offset + c] : 0.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode name_fields(RhxSpace sp, RhxVtuField *field)
{
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(field[0].name, "structural_sensitivity", sizeof(field[0].name)));
  field[0].components = 1;
  for (PetscInt k = 0; k < 2 * sp->nfields; k++) {
    const RhxField *f = &sp->field[k / 2];
    PetscCall(PetscSNPrintf(field[k + 1].name, sizeof(field[k + 1].name), "adjoint_%.40s_%s", f->name,
                            k % 2 ? "imaginary" : "real"));
    field[k + 1].components = f->kind == RHX_VECTOR ? 3 : f->components;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode spread(RhxSpace sp, Vec v, PetscScalar **local)
{
  const PetscScalar *a;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)sp->nlocal * sp->bs, local));
  PetscCall(VecGetArrayRead(v, &a));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, a, *local));
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_file(RhxCase rc, Parts *p, PetscInt number)
{
  char suffix[64], file[PETSC_MAX_PATH_LEN];
  const PetscInt n = 1 + 2 * p->space->nfields;
  RhxVtuField *field;
  int err;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_adjoint_%06" PetscInt_FMT ".vtu", number));
  PetscCall(RhxCaseGetPath(rc, suffix, sizeof(file), file));
  PetscCall(PetscCalloc1(n, &field));
  PetscCall(name_fields(p->space, field));
  PetscCall(RhxVtuCreate(p->space, &p->vtu));
  PetscCall(RhxVtuWrite(p->vtu, file, (double)number, n, field, fill, p, &err));
  PetscCheck(!err, p->space->comm, PETSC_ERR_FILE_WRITE, "adjoint modes: '%s' cannot be written (%s)", file,
             strerror(err));
  PetscCall(RhxVtuDestroy(&p->vtu));
  PetscCall(PetscFree(field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppEigenWriteAdjoint(RhxCase rc, PetscInt number, const RhxEigenmode *m)
{
  const Vec mode[2] = {m->re, m->im}, adjoint[2] = {m->adjoint_re, m->adjoint_im};
  RhxForm form;
  Parts p = {0};
  PetscFunctionBegin;
  PetscCall(RhxCaseGetForm(rc, &form));
  p.space = form->space;
  p.rho = form->rho;
  for (int k = 0; k < 2; k++) {
    PetscCall(spread(p.space, mode[k], &p.mode[k]));
    PetscCall(spread(p.space, adjoint[k], &p.adjoint[k]));
  }
  PetscCall(write_file(rc, &p, number));
  for (int k = 0; k < 2; k++) {
    PetscCall(PetscFree(p.mode[k]));
    PetscCall(PetscFree(p.adjoint[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
