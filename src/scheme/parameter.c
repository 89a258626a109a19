#include "scheme/parameter.h"
#include "petsc_compat.h"
#include "scheme/newton_impl.h"
#include <math.h>
#include <stdlib.h>

/* -1: it is no list of finite numbers. */
static PetscInt read_list(const char *text, double value[RHX_MAX_MODES])
{
  for (PetscInt n = 0; n < RHX_MAX_MODES; n++) {
    char *end;
    value[n] = strtod(text, &end);
    if (end == text || (*end && *end != ',') || !isfinite(value[n])) return -1;
    if (!*end) return n + 1;
    text = end + 1;
  }
  return -1;
}

void RhxParameterRead(const char *option, const char *text, PetscInt mode, RhxParameter *p, double *value)
{
  const PetscInt n = read_list(text, p->fixed);
  snprintf(p->option, sizeof(p->option), "%s", option);
  p->time = PETSC_FALSE;
  p->n = PetscMax(n, 0);
  if (mode >= n || n < 1) p->n = 0;
  if (!p->n) return;
  *value = p->fixed[PetscMax(mode, 0)];
  for (PetscInt m = 0; m < n && mode < 0; m++) *value = PetscMax(*value, p->fixed[m]);
  if (mode < 0 && n > 1 && !(*value > 0.0)) p->n = 0;
  for (PetscInt m = 0; m < n; m++) {
    p->factor[m] = n == 1 || m == mode ? 1.0 : mode < 0 ? p->fixed[m] / *value : 0.0;
    if (p->factor[m] != 0.0 || mode < 0) p->fixed[m] = 0.0;
  }
}

PetscErrorCode RhxParameterSet(RhxScheme sc, const RhxParameter *p, double value)
{
  char option[260], text[25 * RHX_MAX_MODES];
  size_t used = 0;
  PetscBool same;
  PetscFunctionBegin;
  for (PetscInt m = 0; m < p->n; m++)
    used +=
        (size_t)snprintf(text + used, sizeof(text) - used, "%s%.16g", m ? "," : "", p->fixed[m] + p->factor[m] * value);
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", p->option));
  PetscCall(PetscOptionsSetValue(NULL, option, text));
  PetscCall(RhxFormReadParameters(sc->form, &same));
  PetscCheck(same, sc->form->comm, PETSC_ERR_USER_INPUT,
             "-scheme_steady_continuation, -sensitivity or -eigen_critical: got %s = %s, where the stabilisers project "
             "other fields than with what the case gives it, expected values where they project the same",
             p->option, text);
  PetscCall(RhxOpsTakeParameters(sc->ops));
  PetscCall(RhxBoundaryRenew(sc->bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
