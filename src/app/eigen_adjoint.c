/* Adjoint modes as .vtu. */
#include "app/eigen.h"
#include "output/quantity.h"
#include "output/vtu.h"
#include "petsc_compat.h"
#include <math.h>

typedef struct {
  RhxSpace space;
  RhxVtu *vtu;
  double rho;
  PetscInt swirl;                    /* component of the node block, -1: none */
  PetscScalar *mode[2], *adjoint[2]; /* [nlocal][bs] real, imaginary */
} Parts;

/* u+ of node i: of swirl, whose momentum is divided by rho, too. */
static void adjoint_velocity(const Parts *p, int k, PetscInt i, double u[3])
{
  const PetscScalar *node = p->adjoint[k] + (size_t)i * p->space->bs;

  for (PetscInt c = 0; c < 3; c++) u[c] = c < p->space->dim ? node[c] : 0.0;
  if (p->swirl >= 0) u[2] = node[p->swirl] / p->rho;
}

/* rho |u| |u+| of node i, u complex. */
static double sensitivity(const Parts *p, PetscInt i)
{
  double u = 0.0, a = 0.0;

  for (int k = 0; k < 2; k++) {
    const PetscScalar *node = p->mode[k] + (size_t)i * p->space->bs;
    double adjoint[3];

    adjoint_velocity(p, k, i, adjoint);
    for (PetscInt c = 0; c < 3; c++) a += PetscSqr(adjoint[c]);
    for (PetscInt c = 0; c < p->space->dim; c++) u += PetscSqr(node[c]);
    if (p->swirl >= 0) u += PetscSqr(node[p->swirl]);
  }
  return p->rho * sqrt(u * a);
}

/* Field f of node i, as many numbers as a file holds of one; n: the number. */
static PetscInt field_of(const Parts *p, const RhxField *f, int k, PetscInt i, double *to)
{
  const PetscScalar *from = p->adjoint[k] + (size_t)i * p->space->bs + f->offset;

  if (f->kind == RHX_VECTOR) {
    adjoint_velocity(p, k, i, to);
    return 3;
  }
  if (f->kind == RHX_TENSOR) {
    RhxTensorToParaView(f->components, 0.0, from, to);
    return 6;
  }
  *to = *from;
  return 1;
}

/* The structural sensitivity, then each field's real and imaginary part. */
static PetscErrorCode fill(void *ctx, PetscInt which, double *values)
{
  const Parts *p = ctx;
  const RhxSpace sp = p->space;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->vtu->npoints; i++) {
    const PetscInt node = p->vtu->node[i];
    if (which)
      values += field_of(p, &sp->field[(which - 1) / 2], (which - 1) % 2, node, values);
    else
      values[i] = sensitivity(p, node);
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
    field[k + 1].components = f->kind == RHX_VECTOR ? 3 : f->kind == RHX_TENSOR ? 6 : 1;
    if (f->kind == RHX_TENSOR) field[k + 1].component = RhxTensorComponents;
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
  p.swirl = form->swirl < 0 ? -1 : form->first_scalar + form->swirl;
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
