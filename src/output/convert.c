/* A state of other laws: the flow, modes by their conformation, and scalar fields by their names. */
#include "law/eigenvalue.h"
#include "law/pointlaw.h"
#include "output/fit_impl.h"
#include "petsc_compat.h"
#include "plugin/registry.h"
#include <stdio.h>
#include <string.h>

/* Where modes begin in a block of the file. */
static PetscInt first_mode(const RhxFit *fit) { return RhxFieldsStart(fit->form->space->fields, RHX_GROUP_MODES); }

/* Place of the list's name k; NULL: there are fewer. */
static const char *name_at(const char *list, PetscInt k)
{
  while (list && k--) list = (list = strchr(list, ',')) ? list + 1 : NULL;
  return list && *list ? list : NULL;
}

/* Columns of scalar fields that both have: in the file they follow the modes. */
static void take_scalars(RhxFit *fit, const RhxHead *head)
{
  const RhxSpace space = fit->form->space;
  const PetscInt behind = first_mode(fit) + head->modes * head->ntens;

  for (PetscInt k = 0; k < fit->form->nscalars; k++) {
    const RhxField *field = RhxFieldsGet(space->fields, RHX_GROUP_SCALARS, k);
    const size_t n = strlen(field->name);
    const char *name;
    for (PetscInt j = 0; (name = name_at(head->fields, 2 + head->modes + j)) && behind + j < head->block; j++)
      if (!strncmp(name, field->name, n) && (!name[n] || name[n] == ',')) fit->column[field->offset] = behind + j;
  }
}

void RhxFitLoosely(RhxFit *fit, const char *file, const RhxHead *head, char message[RHX_MESSAGE])
{
  const RhxSpace space = fit->form->space;
  const PetscInt n = fit->take == RHX_RESTART_CONFORMATION && head->ntens == space->ntens ? head->modes : 0;

  if (message[0]) return;
  if (strncmp(head->fields, "velocity,pressure", 17) || head->modes < 0 || head->modes > RHX_MAX_MODES ||
      (head->ntens != 3 && head->ntens != 4 && head->ntens != 6) ||
      head->block < first_mode(fit) + head->modes * head->ntens) {
    snprintf(message, RHX_MESSAGE,
             "checkpoint %.400s does not fit this case: got fields \"%.200s\" in %d values a node, expected velocity, "
             "pressure and the modes first (option -case_restart)",
             file, head->fields, head->block);
    return;
  }
  fit->nconverted = PetscMin(n, space->nmodes);
  fit->lacking[0] = '\0';
  for (PetscInt a = 0; a < space->bs; a++)
    fit->column[a] = a < first_mode(fit) + fit->nconverted * space->ntens ? a : -1;
  if (fit->take == RHX_RESTART_CONFORMATION) take_scalars(fit, head);
  for (PetscInt f = 0; f < space->nfields; f++)
    if (fit->column[space->field[f].offset] < 0) RhxHeadAppend(fit->lacking, space->field[f].name);
}

/* Conformation of the file's unknown s of a mode; of a stress by the modulus of the case's law. */
static PetscErrorCode conformation(const RhxFit *fit, const RhxHead *head, PetscInt mode, const PetscScalar *s,
                                   double *c)
{
  const RhxForm form = fit->form;
  const PetscInt nt = form->space->ntens, ndiag = nt == 3 ? 2 : 3;
  const RhxPointLaw *law = RhxPointLawGet((int)form->space->dim, (int)nt, RHX_KIND_DOUBLE);
  const double L[9] = {0};
  double prop[3], rest[6];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < nt; k++) rest[k] = k < ndiag;
  if (!strcmp(head->representation, "logconf"))
    law->exponential(s, c);
  else if (!strcmp(head->representation, "stress")) {
    law->properties(form->mode[mode].law, form->mode[mode].par, L, rest, prop);
    for (PetscInt k = 0; k < nt; k++) c[k] = rest[k] + s[k] / prop[2];
  } else
    PetscCall(PetscArraycpy(c, s, nt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFitConvert(const RhxFit *fit, const char *file, const RhxHead *head, Vec x, char message[RHX_MESSAGE])
{
  const RhxForm form = fit->form;
  const RhxSpace space = form->space;
  const PetscBool both_stress =
      (PetscBool)(form->representation == RHX_STRESS && !strcmp(head->representation, "stress"));
  PetscScalar *a;
  double c[6], least;

  PetscFunctionBegin;
  if (both_stress || !fit->nconverted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(x, &a));
  for (PetscInt i = 0; i < space->nowned && !message[0]; i++)
    for (PetscInt m = 0; m < fit->nconverted && !message[0]; m++) {
      PetscScalar *s = a + (size_t)i * space->bs + first_mode(fit) + m * space->ntens;
      PetscCall(conformation(fit, head, m, s, c));
      least = RhxMinEigenvalue(space->ntens, c);
      if (form->representation == RHX_LOGCONF && !(least > 0))
        snprintf(
            message, RHX_MESSAGE,
            "checkpoint %.400s has a conformation without logarithm: got smallest eigenvalue %g of mode %d, expected "
            "above 0 (-case_restart_fields flow takes the flow alone)",
            file, least, (int)m);
      else
        PetscCall(RhxFormUnknown(form, m, c, s));
    }
  PetscCall(VecRestoreArray(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}
