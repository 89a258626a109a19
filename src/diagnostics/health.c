#include "diagnostics/diagnostics.h"
#include "kernels/step.h"
#include "petsc_compat.h"
#include <math.h>
#include <stdio.h>

static double trace(PetscInt ntens, const PetscScalar *c) { return c[0] + c[1] + (ntens == 3 ? 1 : c[2]); }

#define CHUNK 256 /* nodes whose conformation is held at a time */

static PetscErrorCode check_mode(RhxForm form, PetscInt mode, const PetscScalar *x, RhxConformationHealth *h,
                                 PetscInt *where)
{
  RhxSpace space = form->space;
  PetscInt ntens = space->ntens;
  PetscScalar c[CHUNK * 6];

  PetscFunctionBegin;
  for (PetscInt start = 0; start < space->nowned; start += CHUNK) {
    PetscInt n = PetscMin(CHUNK, space->nowned - start);
    PetscCall(RhxFormConformation(form, mode, n, x + (size_t)start * space->bs, c));
    for (PetscInt i = 0; i < n; i++) {
      double e = RhxMinEigenvalue(ntens, c + i * ntens);
      if (isnan(e)) e = -INFINITY;
      h->max_trace = fmax(h->max_trace, trace(ntens, c + i * ntens));
      if (!(e > 0)) h->nbad++;
      if (*where >= 0 && !(e < h->min_eigenvalue)) continue;
      h->min_eigenvalue = e;
      h->mode = mode;
      *where = start + i;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConformationCheck(RhxForm form, Vec x, RhxConformationHealth *health)
{
  RhxSpace space = form->space;
  const PetscScalar *values;
  PetscInt where = -1;
  PetscMPIInt rank;
  struct {
    double value;
    int rank;
  } least;

  PetscFunctionBegin;
  *health = (RhxConformationHealth){.min_eigenvalue = INFINITY, .mode = -1};
  if (!form->nmodes) {
    health->min_eigenvalue = 1;
    health->max_trace = 3;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayRead(x, &values));
  for (PetscInt m = 0; m < form->nmodes; m++) PetscCall(check_mode(form, m, values, health, &where));
  PetscCall(VecRestoreArrayRead(x, &values));
  for (PetscInt d = 0; where >= 0 && d < space->dim; d++) health->x[d] = space->x[where * space->dim + d];
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  least.value = health->min_eigenvalue;
  least.rank = rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, form->comm));
  health->min_eigenvalue = least.value;
  PetscCallMPI(MPI_Bcast(health->x, 3, MPI_DOUBLE, least.rank, form->comm));
  PetscCallMPI(MPI_Bcast(&health->mode, 1, MPIU_INT, least.rank, form->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &health->max_trace, 1, MPI_DOUBLE, MPI_MAX, form->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &health->nbad, 1, MPIU_INT, MPI_SUM, form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* First entry that is not finite or beyond 1e100, or n. Blocks without one cost a sum: RHX_LOST is 0 unless one is lost. */
static PetscInt first_bad(PetscInt n, const PetscScalar *x)
{
  for (PetscInt start = 0; start < n; start += 64) {
    PetscInt end = PetscMin(n, start + 64);
    double a[4] = {0, 0, 0, 0};
    PetscInt i = start;
    for (; i + 4 <= end; i += 4)
      for (int k = 0; k < 4; k++) a[k] += RHX_LOST(x[i + k]);
    for (; i < end; i++) a[0] += RHX_LOST(x[i]);
    if (a[0] + a[1] + a[2] + a[3] == 0) continue;
    for (i = start; i < end; i++)
      if (RHX_LOST(x[i]) != 0.0) return i;
  }
  return n;
}

static const RhxField *field_of(RhxSpace space, PetscInt component)
{
  for (PetscInt f = 0; f < space->nfields; f++)
    if (component >= space->field[f].offset && component < space->field[f].offset + space->field[f].components)
      return &space->field[f];
  return NULL;
}

static double size_of(double x) { return x == x ? fabs(x) : HUGE_VAL; }

/* Where the field of the entry `bad` is largest, for from there the growth has spread; NaN is as large as infinity. */
static PetscInt worst_bad(RhxSpace space, PetscInt bad, const PetscScalar *x)
{
  const RhxField *field = field_of(space, bad % space->bs);
  for (PetscInt node = bad / space->bs; field && node < space->nowned; node++)
    for (PetscInt k = node * space->bs + field->offset; k < node * space->bs + field->offset + field->components; k++)
      if (size_of(x[k]) > size_of(x[bad])) bad = k;
  return bad;
}

static void describe(RhxSpace space, PetscInt entry, double value, double t, double dt, double wi, char message[512])
{
  const RhxField *field = field_of(space, entry % space->bs);
  PetscInt node = entry / space->bs, n;

  n = snprintf(message, 512, "the state is not finite: %s is %g at (", field ? field->name : "state", value);
  for (PetscInt d = 0; d < space->dim; d++)
    n += snprintf(message + n, 512 - n, "%s%g", d ? ", " : "", space->x[node * space->dim + d]);
  snprintf(message + n, 512 - n, ") m, t = %g s, dt = %g s, largest local Wi %g", t, dt, wi);
}

PetscErrorCode RhxCheckFinite(RhxForm form, Vec x, double t, double dt, double wi, PetscBool *finite, char message[512])
{
  RhxSpace space = form->space;
  PetscInt n = space->nowned * space->bs, bad;
  const PetscScalar *values;
  PetscMPIInt rank;
  struct {
    double value;
    int rank;
  } most = {-1.0, 0};

  PetscFunctionBegin;
  message[0] = 0;
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  PetscCall(VecGetArrayRead(x, &values));
  bad = first_bad(n, values);
  if (bad < n) {
    bad = worst_bad(space, bad, values);
    most.value = size_of(values[bad]);
    describe(space, bad, values[bad], t, dt, wi, message);
  }
  PetscCall(VecRestoreArrayRead(x, &values));
  most.rank = rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, form->comm));
  *finite = (PetscBool)(most.value < 0.0);
  if (!*finite) PetscCallMPI(MPI_Bcast(message, 512, MPI_CHAR, most.rank, form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFindLargest(RhxForm form, RhxFieldGroup group, Vec x, double place[3])
{
  const RhxSpace space = form->space;
  const PetscInt begin = RhxFieldsStart(space->fields, group), end = RhxFieldsEnd(space->fields, group);
  struct {
    double value;
    int rank;
  } most = {-1.0, 0};
  const PetscScalar *values;
  PetscInt at = 0;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  PetscCall(VecGetArrayRead(x, &values));
  for (PetscInt i = 0; i < space->nowned; i++) {
    double sum = 0.0;
    for (PetscInt c = begin; c < end; c++) sum += PetscSqr(values[(size_t)i * space->bs + c]);
    if (size_of(sum) <= most.value) continue;
    most.value = size_of(sum);
    at = i;
  }
  PetscCall(VecRestoreArrayRead(x, &values));
  most.rank = rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, form->comm));
  for (PetscInt d = 0; d < 3; d++) place[d] = rank == most.rank && d < space->dim ? space->x[at * space->dim + d] : 0.0;
  PetscCallMPI(MPI_Bcast(place, 3, MPI_DOUBLE, most.rank, form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
