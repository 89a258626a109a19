/* Which plugin of scalar fields makes what no flow has of the values at nodes: a factor of the laws that is not above 0, a diffusivity below 0, a source
 * that is no number. */
#include "diagnostics/diagnostics.h"
#include "law/pointlaw.h"
#include "petsc_compat.h"
#include <math.h>

typedef struct {
  RhxForm form;
  const RhxPointLaw *point;
  const PetscScalar *c; /* [nscalars] at the node */
  PetscInt node;
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
  snprintf(unit, sizeof(unit), strcmp(row->unit, "1") ? " %s" : "", row->unit);
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

/* What reads more of the flow than values has a diffusivity that is no number here. */
static void look_at_field(Search *se, const RhxFormScalars *owner, PetscInt k)
{
  const RhxForm form = se->form;
  const int number = (int)form->scalar[k].number;
  const double D = se->point->diffusivity(owner->plugin, owner->par, form->rho, (int)form->nscalars, (int)owner->first,
                                          se->c, number),
               s = se->point->source(owner->plugin, owner->par, form->rho, (int)form->nscalars, (int)owner->first,
                                     se->c, number);

  if (D < 0.0 || isinf(D)) note(se, owner, k, "the diffusivity", D, "0 or more");
  if (!se->text[0] && !isfinite(s)) note(se, owner, k, "the source in a fluid at rest", s, "a finite number");
}

static void search(Search *se, const PetscScalar *x)
{
  const RhxForm form = se->form;
  PetscBool finite;

  for (se->node = 0; se->node < form->space->nowned && !se->text[0]; se->node++) {
    se->c = x + (size_t)se->node * form->space->bs + form->first_scalar;
    finite = PETSC_TRUE;
    for (PetscInt k = 0; k < form->nscalars; k++) finite = (PetscBool)(finite && isfinite(se->c[k]));
    for (PetscInt i = 0; finite && i < form->nowners && !se->text[0]; i++) look_at_shift(se, form->owner + i);
    for (PetscInt k = 0; finite && k < form->nscalars && !se->text[0]; k++)
      look_at_field(se, form->owner + form->scalar[k].owner, k);
    if (se->text[0]) break;
  }
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
  search(&se, values);
  PetscCall(VecRestoreArrayRead(x, &values));
  PetscCallMPI(MPI_Comm_rank(form->comm, &rank));
  first = se.text[0] ? rank : PETSC_MPI_INT_MAX;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, form->comm));
  if (first != PETSC_MPI_INT_MAX) PetscCallMPI(MPI_Bcast(se.text, sizeof(se.text), MPI_CHAR, first, form->comm));
  PetscCall(PetscStrncpy(text, se.text, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}
