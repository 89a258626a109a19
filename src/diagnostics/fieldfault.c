/* Which plugin of scalar fields makes what no flow has of the values at nodes: a factor of the laws that is not above 0, a diffusivity below 0, a source
 * that is no number. Of the flow its values there are known, the material's, and no gradient, rate or time. */
#include "diagnostics/diagnostics.h"
#include "diagnostics/pointnode_impl.h"
#include "form/scalars.h"
#include "petsc_compat.h"
#include <math.h>

#define BESIDE 1e-9 /* m, and of its place: a point beside a node, for quadrature meets no point of a 1/r */

typedef struct {
  RhxForm form;
  const RhxPointLaw *point;
  const PetscScalar *c; /* [nscalars] at the node */
  PetscInt node;
  double eta_s; /* of the laws where it is the same at all rates, Pa s */
  RhxPointNode at;
  char text[512];
} Search;

/* Keeps the first. what: the plugin makes, of field k, or of all of the plugin's by its first. */
static void note(Search *se, const RhxFormScalars *owner, PetscInt k, const char *what, double got,
                 const char *expected)
{
  const RhxSpace sp = se->form->space;
  const PetscReal *x = sp->x + (size_t)se->node * sp->dim;
  const RhxScalarRow *row = se->form->scalar[k].row;
  char at[96], unit[32];

  snprintf(at, sizeof(at), sp->dim > 2 ? "%g, %g, %g" : "%g, %g", x[0], x[1], sp->dim > 2 ? x[2] : 0.0);
  snprintf(unit, sizeof(unit), "%s%s", strcmp(row->unit, "1") ? " " : "", strcmp(row->unit, "1") ? row->unit : "");
  snprintf(se->text, sizeof(se->text),
           "the plugin '%s' itself gives %g for %s at (%s) m, where '%s' is %g%s: expected %s", owner->plugin->name,
           got, what, at, row->name, (double)se->c[k], unit, expected);
}

static void look_at_shift(Search *se, const RhxFormScalars *owner)
{
  static const char *const what[] = {"the factor of the laws' times", "the factor of the solvent's viscosity"};
  double factor[2] = {1.0, 1.0};

  if (!(owner->plugin->flags & RHX_SHIFTS)) return;
  se->point->shift(owner->plugin, owner->par, se->form->rho, (int)se->form->nscalars, (int)owner->first, se->c, factor);
  for (int i = 0; i < 2 && !se->text[0]; i++)
    if (!(factor[i] > 0.0 && isfinite(factor[i]))) note(se, owner, owner->first, what[i], factor[i], "one above 0");
}

/* The viscosity at the node of a law that knows no rate; else unknown. */
static double find_viscosity(const Search *se)
{
  static const double rate[] = {0.0, 1.0, 1e3};
  double eta[3] = {0.0, 0.0, 0.0}, L[9] = {0.0};

  for (int i = 0; i < 3 && se->form->viscous; i++) {
    L[1] = rate[i]; /* du/dy */
    se->point->viscosity(se->form->viscous, se->form->viscous_par, L, &eta[i]);
  }
  return eta[0] == eta[1] && eta[1] == eta[2] ? eta[0] : RhxPointUnknown();
}

PetscErrorCode RhxPointNodeSet(RhxForm form, PetscInt node, const PetscScalar *block, const PetscScalar *c,
                               double eta_s, RhxPointNode *at)
{
  const RhxSpace sp = form->space;
  const PetscScalar *u = block + RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY);

  PetscFunctionBegin;
  *at = (RhxPointNode){.rho = form->rho, .convection = form->convection, .n = (int)form->nscalars, .c = c};
  at->p = block[RhxFieldsStart(sp->fields, RHX_GROUP_PRESSURE)];
  PetscCall(RhxFormShift(form, c, at->shift));
  at->eta_s = eta_s * at->shift[0] * at->shift[1];
  for (PetscInt d = 0; d < 3; d++) {
    at->x[d] = d < sp->dim ? sp->x[(size_t)node * sp->dim + d] : RhxPointUnknown();
    at->u[d] = d < sp->dim ? u[d] : RhxPointUnknown();
  }
  at->polymer = form->nmodes > 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_fault(int is_source, double v)
{
  return (PetscBool)(is_source ? !isfinite(v) : v < 0.0 || isinf(v));
}

/* A source or a diffusivity that no fluid has by what is known there: whatever the gradients are, and beside the node too. */
static PetscBool find_rate(Search *se, PetscInt k, int is_source, double *v)
{
  const RhxFormScalars *owner = se->form->owner + se->form->scalar[k].owner;
  const int number = (int)se->form->scalar[k].number;
  RhxPointNode at = se->at;

  at.first = (int)owner->first;
  at.unknown = RhxPointUnknown();
  *v = se->point->of_node(owner->plugin, owner->par, &at, number, is_source);
  if (!is_fault(is_source, *v) || RhxPointIsUnknown(*v)) return PETSC_FALSE;
  for (int i = 0; i < 4; i++) {
    at.unknown = i % 2 ? 1.0 : -1.0;
    if (RhxPointIsUnknown(se->at.eta_s)) at.eta_s = at.unknown;
    for (int d = 0; d < 3; d++) at.x[d] = se->at.x[d] + (i / 2 ? BESIDE : -BESIDE) * (1.0 + fabs(se->at.x[d]));
    if (!is_fault(is_source, se->point->of_node(owner->plugin, owner->par, &at, number, is_source))) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static void look_at_field(Search *se, PetscInt k)
{
  const RhxFormScalars *owner = se->form->owner + se->form->scalar[k].owner;
  double v;

  if (find_rate(se, k, 0, &v))
    note(se, owner, k, "the diffusivity", v, "0 or more");
  else if (find_rate(se, k, 1, &v))
    note(se, owner, k, "the source", v, "a finite number");
}

static PetscErrorCode search(Search *se, const PetscScalar *x)
{
  const RhxForm form = se->form;
  const PetscInt bs = form->space->bs;
  PetscBool finite;

  PetscFunctionBegin;
  se->eta_s = find_viscosity(se);
  for (se->node = 0; se->node < form->space->nowned; se->node++) {
    const PetscScalar *block = x + (size_t)se->node * bs;
    finite = PETSC_TRUE;
    for (PetscInt k = 0; k < bs; k++) finite = (PetscBool)(finite && isfinite(block[k]));
    if (!finite) continue;
    se->c = block + form->first_scalar;
    for (PetscInt i = 0; i < form->nowners && !se->text[0]; i++) look_at_shift(se, form->owner + i);
    PetscCall(RhxPointNodeSet(se->form, se->node, block, se->c, se->eta_s, &se->at));
    for (PetscInt k = 0; k < form->nscalars && !se->text[0]; k++) look_at_field(se, k);
    if (se->text[0]) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the source of field k at the node change with its value? What is not known there is taken for 1. */
static PetscErrorCode source_moves(Search *se, PetscInt k, const PetscScalar *block, PetscBool *moves)
{
  const RhxFormScalars *owner = se->form->owner + se->form->scalar[k].owner;
  PetscScalar other[RHX_MAX_SCALARS];
  double rate[2];

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(other, block + se->form->first_scalar, se->form->nscalars));
  for (int i = 0; i < 2; i++) {
    se->c = other;
    PetscCall(RhxPointNodeSet(se->form, se->node, block, se->c, se->eta_s, &se->at));
    se->at.first = (int)owner->first;
    se->at.unknown = 1.0;
    if (RhxPointIsUnknown(se->at.eta_s)) se->at.eta_s = 1.0;
    rate[i] = se->point->of_node(owner->plugin, owner->par, &se->at, (int)se->form->scalar[k].number, 1);
    other[k] += 0.01 * (1.0 + fabs(other[k]));
  }
  *moves = (PetscBool) !(rate[0] == rate[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSourceMoves(RhxForm form, PetscInt k, Vec x, PetscBool *moves)
{
  const PetscScalar *values;
  PetscMPIInt any;
  Search se = {.form = form};

  PetscFunctionBegin;
  *moves = PETSC_FALSE;
  se.point = RhxPointLawGet((int)form->space->dim, (int)form->space->ntens, RHX_KIND_DOUBLE);
  se.eta_s = find_viscosity(&se);
  PetscCall(VecGetArrayRead(x, &values));
  for (se.node = 0; se.node < form->space->nowned && !*moves; se.node++)
    PetscCall(source_moves(&se, k, values + (size_t)se.node * form->space->bs, moves));
  PetscCall(VecRestoreArrayRead(x, &values));
  any = *moves ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, form->comm));
  *moves = (PetscBool)(any != 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFindFieldFault(RhxForm form, Vec x, size_t size, char *text)
{
  const PetscScalar *values;
  PetscMPIInt rank, first;
  Search se = {.form = form};

  PetscFunctionBegin;
  text[0] = '\0';
  if (!form->nscalars) PetscFunctionReturn(PETSC_SUCCESS);
  se.point = RhxPointLawGet((int)form->space->dim, (int)form->space->ntens, RHX_KIND_DOUBLE);
  PetscCall(VecGetArrayRead(x, &values));
  PetscCall(search(&se, values));
  PetscCall(VecRestoreArrayRead(x, &values));
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  first = se.text[0] ? rank : PETSC_MPI_INT_MAX;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, form->comm));
  if (first != PETSC_MPI_INT_MAX) PetscCallMPI(MPI_Bcast(se.text, sizeof(se.text), MPI_CHAR, first, form->comm));
  PetscCall(PetscStrncpy(text, se.text, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}
