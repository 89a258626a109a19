#include "form/relaxation.h"
#include "petsc_compat.h"
#include "scheme/scaling_impl.h"
#include <math.h>

struct _RhxScaling {
  RhxEquations eq;   /* borrowed */
  Vec unknown, row;  /* C, R */
  Vec work;          /* [global] */
  double *of, *rows; /* [bs] of a node's components: C, and R where they are free */
};

/* What a flow is measured by. */
typedef struct {
  double size, h,
      area;        /* m: of the domain, of a cell; m^(dim - 1), axisymmetric m^2: measure of the domain over its size */
  double eta, U;   /* Pa s, m/s */
  double pressure; /* Pa, across a cell, */
  double stress;   /* and across the domain */
  PetscBool ordinary; /* of order one: the flow is left in the units of its case */
} Measures;

static double power_of_two(double v) { return v > 0.0 && v <= PETSC_MAX_REAL ? exp2(round(log2(v))) : 1.0; }

/* ---- What the flow is measured by ---- */

static PetscErrorCode measure_mesh(RhxSpace sp, Measures *m)
{
  double side[3], box = 1.0, volume = 0.0;
  PetscFunctionBegin;
  PetscCall(RhxSpaceGetExtent(sp, side));
  for (PetscInt i = 0; i < sp->nowned; i++) volume += sp->mass[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &volume, 1, MPI_DOUBLE, MPI_SUM, sp->comm));
  for (PetscInt d = 0; d < sp->dim; d++) box *= side[d];
  if (!sp->axisymmetric) box = volume;
  m->size = pow(box, 1.0 / (double)sp->dim);
  m->h = pow(box / (double)sp->nglobal, 1.0 / (double)sp->dim);
  m->area = volume / m->size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fastest velocity that is given; else that which a given pressure drives, against friction or inertia, whichever is slower; else
 * that of one relaxation time or, without, of a Reynolds number of 1. */
static PetscErrorCode find_velocity(RhxEquations eq, Measures *m)
{
  const double rho = eq->form->rho;
  double pressure, lambda, eta_s, eta_p;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetFastest(eq->bc, eq->t, eq->t, &m->U, NULL));
  if (m->U > 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryGetGivenPressure(eq->bc, eq->t, &pressure));
  PetscCall(RhxFormRelaxationTime(eq->form, &lambda));
  PetscCall(RhxFormViscosity(eq->form, &eta_s, &eta_p));
  m->U = eta_s + eta_p > 0.0 ? pressure * m->size / (eta_s + eta_p) : PETSC_MAX_REAL;
  if (rho > 0.0) m->U = PetscMin(m->U, PetscSqrtReal(pressure / rho));
  if (!(m->U > 0.0)) m->U = lambda > 0.0 ? m->size / lambda : rho > 0.0 ? (eta_s + eta_p) / (rho * m->size) : 0.0;
  if (!(m->U > 0.0)) m->U = 1.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define ORDINARY 100.0 /* from 1/100 to 100 */

static PetscBool is_ordinary(double v) { return (PetscBool)(v <= ORDINARY && v * ORDINARY >= 1.0); }

static PetscErrorCode measure(RhxEquations eq, Measures *m)
{
  const double rho = eq->form->convection != 0.0 ? eq->form->rho : 0.0;
  PetscFunctionBegin;
  PetscCall(measure_mesh(eq->form->space, m));
  PetscCall(find_velocity(eq, m));
  PetscCall(RhxFormViscosityAt(eq->form, m->U / m->size, &m->eta));
  m->pressure = m->eta * m->U / m->h + rho * m->U * m->U;
  m->stress = PetscMax(m->eta * m->U / m->size, rho * m->U * m->U);
  m->ordinary = (PetscBool)(is_ordinary(m->size) && is_ordinary(m->U) && is_ordinary(m->stress));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Units ---- */

static void set(RhxScaling sg, const RhxField *f, double unknown, double row)
{
  for (PetscInt c = f->offset; c < f->offset + f->components; c++) {
    sg->of[c] = power_of_two(unknown);
    sg->rows[c] = row > 0.0 && row <= PETSC_MAX_REAL ? 1.0 / row : 1.0;
  }
}

static PetscErrorCode set_fields(RhxScaling sg, const Measures *m)
{
  const RhxForm form = sg->eq->form;
  const RhxFields fields = form->space->fields;
  const double rate = m->U / m->h, flux = m->U * m->area;
  const double tensor = form->representation == RHX_STRESS ? m->stress : 1.0;
  PetscFunctionBegin;
  if (m->ordinary) {
    for (PetscInt c = 0; c < form->space->bs; c++) sg->of[c] = sg->rows[c] = 1.0;
    if (form->swirl >= 0) sg->rows[form->first_scalar + form->swirl] = form->rho;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  set(sg, RhxFieldsGet(fields, RHX_GROUP_VELOCITY, 0), m->U, m->stress * m->area);
  set(sg, RhxFieldsGet(fields, RHX_GROUP_PRESSURE, 0), m->pressure, flux);
  for (PetscInt k = 0; k < form->nmodes; k++) {
    double lambda;
    PetscCall(RhxFormRelaxationTimeOf(form, k, &lambda));
    set(sg, RhxFieldsGet(fields, RHX_GROUP_MODES, k), form->scale[k] * lambda * rate / (1.0 + lambda * rate),
        tensor * flux);
  }
  for (PetscInt k = 0; k < form->nscalars; k++) {
    const double scale = k == form->swirl ? m->U : form->scalar[k].set.scale;
    const double row = k == form->swirl ? m->stress * m->area / form->rho : scale * flux; /* its momentum over rho */
    set(sg, RhxFieldsGet(fields, RHX_GROUP_SCALARS, k), scale, row);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_driven(RhxScaling sg, const Measures *m, PetscScalar *unknown, PetscScalar *row)
{
  const RhxDriven driven = sg->eq->driven;
  PetscFunctionBegin;
  if (!driven || driven->at < 0) PetscFunctionReturn(PETSC_SUCCESS);
  unknown[driven->at] = m->ordinary ? 1.0 : power_of_two(m->U);
  row[driven->at] = m->ordinary ? 1.0 : 1.0 / (driven->row * m->U);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_vectors(RhxScaling sg, const Measures *m)
{
  const RhxSpace sp = sg->eq->form->space;
  PetscScalar *unknown, *row;
  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(sg->unknown, &unknown));
  PetscCall(VecGetArrayWrite(sg->row, &row));
  for (PetscInt k = 0; k < sp->nowned * sp->bs; k++) {
    unknown[k] = sg->of[k % sp->bs];
    row[k] = sg->eq->given[k] ? 1.0 / sg->of[k % sp->bs] : sg->rows[k % sp->bs];
  }
  PetscCall(set_driven(sg, m, unknown, row));
  PetscCall(VecRestoreArrayWrite(sg->row, &row));
  PetscCall(VecRestoreArrayWrite(sg->unknown, &unknown));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalingCreate(RhxEquations eq, RhxScaling *out)
{
  const PetscInt bs = eq->form->space->bs;
  double *weight;
  RhxScaling sg;
  Measures m;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  sg = *out;
  sg->eq = eq;
  PetscCall(VecDuplicate(eq->value, &sg->unknown));
  PetscCall(VecDuplicate(eq->value, &sg->row));
  PetscCall(VecDuplicate(eq->value, &sg->work));
  PetscCall(PetscMalloc2(bs, &sg->of, bs, &sg->rows));
  PetscCall(PetscMalloc1(bs, &weight));
  PetscCall(measure(eq, &m));
  PetscCall(set_fields(sg, &m));
  PetscCall(set_vectors(sg, &m));
  for (PetscInt c = 0; c < bs; c++) weight[c] = 1.0 / (sg->of[c] * sg->rows[c]);
  if (eq->oblique) RhxObliqueWeigh(eq->oblique, weight);
  PetscCall(PetscFree(weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalingDestroy(RhxScaling *sg)
{
  PetscFunctionBegin;
  if (!*sg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&(*sg)->unknown));
  PetscCall(VecDestroy(&(*sg)->row));
  PetscCall(VecDestroy(&(*sg)->work));
  PetscCall(PetscFree2((*sg)->of, (*sg)->rows));
  PetscCall(PetscFree(*sg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Vectors and matrices ---- */

PetscErrorCode RhxScalingToState(RhxScaling sg, Vec z, Vec x)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseMult(x, z, sg->unknown));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalingFromState(RhxScaling sg, Vec x, Vec z)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseDivide(z, x, sg->unknown));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalingRows(RhxScaling sg, Vec f)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseMult(f, f, sg->row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalingRowsBack(RhxScaling sg, Vec f)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseDivide(f, f, sg->row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalingNorm(RhxScaling sg, Vec f, double *norm)
{
  PetscReal n;
  PetscFunctionBegin;
  PetscCall(VecPointwiseMult(sg->work, f, sg->row));
  PetscCall(VecNorm(sg->work, NORM_2, &n));
  *norm = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalingMatrix(RhxScaling sg, Mat P)
{
  PetscFunctionBegin;
  PetscCall(MatDiagonalScale(P, sg->row, sg->unknown));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double RhxScalingUnit(RhxScaling sg, PetscInt c) { return sg->of[c]; }

static PetscErrorCode multiply(Mat J, Vec v, Vec y)
{
  RhxScaling sg;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(J, &sg));
  PetscCall(RhxScalingToState(sg, v, sg->work));
  PetscCall(MatMult(sg->eq->J, sg->work, y));
  PetscCall(RhxScalingRows(sg, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxScalingCreateJacobian(RhxScaling sg, Mat *J)
{
  const RhxEquations eq = sg->eq;
  const PetscInt n = eq->form->space->nowned * eq->form->space->bs;
  PetscFunctionBegin;
  if (eq->J == eq->P) {
    PetscCall(PetscObjectReference((PetscObject)eq->P));
    *J = eq->P;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatCreateShell(eq->form->comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, sg, J));
  PetscCall(MatShellSetOperation(*J, MATOP_MULT, (void (*)(void))multiply));
#if defined(PETSC_HAVE_CUDA)
  if (eq->ops->device) PetscCall(MatSetVecType(*J, VECCUDA));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
