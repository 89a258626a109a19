/* What the units of the case, U and D, say of it: Reynolds and Weissenberg numbers, and whether mesh and conditions are in them. */
#include "case/impl.h"
#include "form/relaxation.h"
#include "petsc_compat.h"

#define APART 100.0 /* a given velocity and U */
#define LONG 1000.0 /* the mesh in D */
#define SHORT 0.1

PetscErrorCode RhxCaseDescribeUnits_Private(RhxCase rc, size_t size, char *text)
{
  const double U = rc->option.velocity, D = rc->option.length;
  double eta, longest;
  char wi[64] = "";

  PetscFunctionBegin;
  PetscCall(RhxFormViscosityAt(rc->form, U / D, &eta));
  PetscCall(RhxFormRelaxationTime(rc->form, &longest));
  if (rc->form->nmodes) PetscCall(PetscSNPrintf(wi, sizeof(wi), ", Wi %.3g (lambda U/D)", longest * U / D));
  PetscCall(PetscSNPrintf(text, size, "units U = %.6g m/s, D = %.6g m: Re %.3g (rho U D/eta)%s", U, D,
                          rc->form->rho * U * D / eta, wi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The longest side of the box around the nodes, m. */
static PetscErrorCode find_extent(RhxCase rc, double *extent)
{
  const RhxSpace sp = rc->space;
  double end[2][3]; /* -least, largest coordinates */

  PetscFunctionBegin;
  for (int k = 0; k < 6; k++) end[k / 3][k % 3] = -PETSC_MAX_REAL;
  for (PetscInt i = 0; i < sp->nowned; i++)
    for (PetscInt d = 0; d < sp->dim; d++) {
      end[0][d] = PetscMax(end[0][d], -sp->x[i * sp->dim + d]);
      end[1][d] = PetscMax(end[1][d], sp->x[i * sp->dim + d]);
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, end, 6, MPI_DOUBLE, MPI_MAX, sp->comm));
  *extent = 0.0;
  for (PetscInt d = 0; d < sp->dim; d++) *extent = PetscMax(*extent, end[0][d] + end[1][d]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode warn_of_length(RhxCase rc)
{
  const double D = rc->option.length;
  double extent = 0.0;

  PetscFunctionBegin;
  PetscCall(find_extent(rc, &extent));
  if (extent <= LONG * D && extent >= SHORT * D) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
      PetscFPrintf(rc->comm, PETSC_STDERR,
                   "rheoplex: warning: the mesh is %.3g m long, %.3g times -case_length, %.3g m: expected 0.1 to 1000 "
                   "times, by the -case_length of a gap or a diameter, by which the time step is chosen and a run is "
                   "judged, or -mesh_scale 0.001 for a mesh in mm\n",
                   extent, extent / D, D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseWarnOfUnits_Private(RhxCase rc, double t, double end)
{
  const double U = rc->option.velocity;
  double speed;

  PetscFunctionBegin;
  PetscCall(warn_of_length(rc));
  PetscCall(RhxBoundaryGetFastest(rc->bc, t, end, &speed));
  if (!(speed > 0.0) || (speed <= APART * U && speed * APART >= U)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(
      rc->comm, PETSC_STDERR,
      "rheoplex: warning: the fastest velocity that is given, %.3g m/s, is %.3g times -case_velocity, %.3g "
      "m/s: expected a -case_velocity of its size, by which the time step is chosen and a run is judged, or "
      "flow rates in m^3/s\n",
      speed, speed / U, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}
