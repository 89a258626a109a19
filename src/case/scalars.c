/* Scalar fields beyond their bounds. */
#include "boundary/scalar.h"
#include "case/impl.h"
#include "diagnostics/diagnostics.h"
#include "form/taken.h"
#include <math.h>
#include <stdio.h>

#define INFLOW 0.02   /* of all that flows in: worth a word */
#define LOST 1e6      /* beyond a bound, in sizes of the field: clearly lost */
#define WORTH 1e-3    /* likewise, from where on what would make it less is named */
#define ROUNDING 1e-8 /* likewise, which is none */
#define WORSE 1.1     /* times what was told of it: it is told again */
#define GROWN 1e12    /* sizes within the bounds: a field that has none grows so only if it is lost */

static void place(PetscInt dim, const double *x, size_t size, char *text)
{
  if (dim == 2)
    snprintf(text, size, "(%.3g, %.3g)", x[0], x[1]);
  else
    snprintf(text, size, "(%.3g, %.3g, %.3g)", x[0], x[1], x[2]);
}

static void bound(double value, size_t size, char *text)
{
  snprintf(text, size, value <= PETSC_NINFINITY ? "-inf" : value >= PETSC_INFINITY ? "inf" : "%g", value);
}

/* The usual value, a bound or what the run began with, whichever is largest. */
static double size_of(RhxCase rc, PetscInt k, const RhxField *f)
{
  const double bounds =
      fmax(f->lower > PETSC_NINFINITY ? fabs(f->lower) : 0.0, f->upper < PETSC_INFINITY ? fabs(f->upper) : 0.0);

  return fmax(rc->form->scalar[k].set.scale, fmax(bounds, rc->report.began[k]));
}

static PetscErrorCode refuse_lost(RhxCase rc, PetscInt k, const RhxField *f, double t, const RhxScalarHealth *h)
{
  const double size = size_of(rc, k, f);
  const PetscBool over = (PetscBool)(h->greatest - f->upper > LOST * size || h->greatest > GROWN * size);
  char at[64];

  PetscFunctionBegin;
  if (!over && !(f->lower - h->least > LOST * size || -h->least > GROWN * size)) PetscFunctionReturn(PETSC_SUCCESS);
  place(rc->space->dim, over ? h->greatest_at : h->least_at, sizeof(at), at);
  SETERRQ(
      rc->comm, PETSC_ERR_FP,
      "the run is clearly lost: got %s of %g at %s m, t = %g s, expected values of the size of %g, its usual value, "
      "bound or start, whichever is largest; is the time step within its limits, and -field_%s_scale a usual value?",
      f->name, over ? h->greatest : h->least, at, t, size, f->name);
}

/* For the first time, clearly worse than before, or at the end. */
static PetscBool is_news(RhxCase rc, PetscInt k, const RhxField *f, const RhxScalarHealth *h, PetscBool last)
{
  const double beyond = fmax(f->lower - h->least, h->greatest - f->upper);

  if (beyond <= ROUNDING * size_of(rc, k, f) || (!last && beyond <= WORSE * rc->report.beyond[k])) return PETSC_FALSE;
  rc->report.beyond[k] = beyond;
  return PETSC_TRUE;
}

/* Once a run: the stabiliser that at layers halves it or better (theory.md, section 5). */
static PetscErrorCode advise(RhxCase rc, PetscInt k, const RhxField *f, const RhxScalarHealth *h, size_t size,
                             char *text)
{
  const double beyond = fmax(f->lower - h->least, h->greatest - f->upper);
  char names[400];

  PetscFunctionBegin;
  text[0] = '\0';
  if (rc->report.advised || !(beyond > WORTH * size_of(rc, k, f))) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormAdviseCapturing(rc->form, sizeof(names), names));
  rc->report.advised = PETSC_TRUE;
  if (names[0])
    snprintf(text, size,
             "; it is less at layers that are carried, with -stabiliser %s, which widens them, or on a finer mesh",
             names);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fields that have no value at an open label, "temperature, concentration", and the options that give one; "": all have, or it is not open. */
static PetscErrorCode list_lacking(RhxCase rc, const char *label, char names[512], char options[1024])
{
  PetscBool plane, open, given;

  PetscFunctionBegin;
  names[0] = options[0] = '\0';
  PetscCall(RhxBoundaryIsPlane(rc->bc, label, &plane, &open));
  for (PetscInt k = 0; open && k < rc->form->nscalars; k++) {
    const char *name = rc->form->scalar[k].row->name, *between = names[0] ? ", " : "";
    const size_t used = strlen(names), said = strlen(options);
    PetscCall(RhxBoundaryBringsScalar(rc->bc, label, k, &given));
    if (given || k == rc->form->swirl) continue;
    snprintf(names + used, 512 - used, "%s%s", between, name);
    snprintf(options + said, 1024 - said, "%s-bc_%s_%s", between, label, name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Told once: what comes in without a value has that of the fluid which was there, and in the steady state any. */
static PetscErrorCode look_at_inflow(RhxCase rc, double t)
{
  const PetscInt n = rc->space->nlabels;
  double *out, *in, all = 0.0;
  char when[64];

  PetscFunctionBegin;
  if (rc->report.inflow) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(n, &out, n, &in));
  PetscCall(RhxCaseGetFluxes_Private(rc, rc->x, out, in));
  for (PetscInt i = 0; i < n; i++) all += in[i];
  for (PetscInt i = 0; i < n; i++) {
    const char *label = rc->space->faces[i].label;
    char lacking[512], options[1024];
    PetscCall(list_lacking(rc, label, lacking, options));
    if (!lacking[0] || !(in[i] > INFLOW * all)) continue;
    rc->report.inflow = PETSC_TRUE;
    snprintf(when, sizeof(when), "t = %g s, %.0f %%", t, 100.0 * in[i] / all);
    PetscCall(
        PetscFPrintf(rc->comm, PETSC_STDERR,
                     "rheoplex: warning: fluid comes in through '%s' at %s of what flows in, whose %s no condition "
                     "gives: it stays what the run began with, and by -scheme steady may be any; expected "
                     "%s \"inflow ...\", or \"value ...\" where it comes in all the time\n",
                     label, when, lacking, options));
  }
  PetscCall(PetscFree2(out, in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxReportScalars(RhxCase rc, const RhxStepInfo *info, PetscBool last)
{
  PetscFunctionBegin;
  if (!rc->form->nscalars) PetscFunctionReturn(PETSC_SUCCESS);
  if (info) PetscCall(RhxSchemeStoreState(rc->ts));
  if (info) PetscCall(look_at_inflow(rc, info->t));
  for (PetscInt k = 0; k < rc->form->nscalars; k++) {
    const RhxField *f = RhxFieldsGet(rc->space->fields, RHX_GROUP_SCALARS, k);
    char text[1024], advice[512], from[32], to[32], least[64], greatest[64];
    RhxScalarHealth h;

    PetscCall(RhxScalarCheck(rc->form, k, rc->x, &h));
    if (!info) {
      rc->report.began[k] = fmax(fabs(h.least), fabs(h.greatest));
      rc->report.least[k] = h.least;
      rc->report.greatest[k] = h.greatest;
    }
    if (!info) continue;
    PetscCall(refuse_lost(rc, k, f, info->t, &h));
    if (!h.nbad) continue;
    place(rc->space->dim, h.least_at, sizeof(least), least);
    place(rc->space->dim, h.greatest_at, sizeof(greatest), greatest);
    bound(f->lower, sizeof(from), from);
    bound(f->upper, sizeof(to), to);
    PetscCall(advise(rc, k, f, &h, sizeof(advice), advice));
    snprintf(text, sizeof(text),
             "%s is beyond its bounds [%s, %s] at %d of %d nodes: least %.6g at %s m, greatest %.6g at %s m%s", f->name,
             from, to, (int)h.nbad, (int)rc->space->nglobal, h.least, least, h.greatest, greatest, advice);
    PetscCheck(rc->form->scalar[k].set.bounds == RHX_BOUNDS_REPORT, rc->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "t = %g s: %s (-field_%s_bounds stop)", info->t, text, f->name);
    if (is_news(rc, k, f, &h, last)) PetscCall(PetscPrintf(rc->comm, "         %s\n", text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
