/* Estimated errors of a state by its mesh, over the domain and in each element. */
#include "diagnostics/resolution.h"
#include "diagnostics/near_impl.h"
#include "output/field_file.h"
#include "petsc_compat.h"

typedef struct {
  RhxResolution found; /* made with the first row */
  RhxVtuField *field;  /* [parts]; owned */
} Options;

static PetscErrorCode setup(RhxDiagnostic *d)
{
  static const char *const what[] = {"error", "mean_error", "worst"};
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  Options *o = d->own;
  char name[48], column[64];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(RhxResolutionCount(run->form), &o->field));
  for (PetscInt k = 0; k < RhxResolutionCount(run->form); k++) {
    RhxResolutionName(run->form, k, sizeof(name), name);
    o->field[k] = (RhxVtuField){.components = 1, .cell = PETSC_TRUE};
    PetscCall(PetscSNPrintf(o->field[k].name, sizeof(o->field[k].name), "%s_error", name));
    for (int i = 0; i < 3; i++) {
      PetscCall(PetscSNPrintf(column, sizeof(column), "%s_%s", name, what[i]));
      PetscCall(RhxDiagnosticAddColumnUnit(d, column, "1"));
    }
    for (PetscInt i = 0; i < RhxDiagnosticGetDimension(d); i++) {
      PetscCall(PetscSNPrintf(column, sizeof(column), "%s_worst_at_%c", name, "xyz"[i]));
      PetscCall(RhxDiagnosticAddColumnUnit(d, column, "m"));
    }
  }
  PetscCall(RhxFieldFileAdd(run->output, d->maker, d->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill(void *ctx, PetscInt k, double *out)
{
  const RhxResolution *r = ctx;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(out, r->share + (size_t)k * r->ncells, r->ncells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_cells(RhxDiagnostic *d, Options *o, double t)
{
  const RhxDiagnosticsRun *run = RhxDiagnosticGetRun(d);
  RhxVtu *vtu;

  PetscFunctionBegin;
  PetscCall(RhxVtuCreate(run->form->space, &vtu));
  PetscCall(RhxFieldFileWrite(run->output, d->name, vtu, t, o->found.n, o->field, fill, &o->found));
  PetscCall(RhxVtuDestroy(&vtu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *out)
{
  const RhxForm form = RhxDiagnosticGetRun(d)->form;
  Options *o = d->own;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(RhxDiagnosticGetLocalPart(d, 0, form->space->bs, &x));
  if (!o->found.n) PetscCall(RhxResolutionCreate(form, &o->found));
  PetscCall(RhxResolutionFind(&o->found, x));
  PetscCall(PetscFree(x));
  for (PetscInt k = 0; k < o->found.n; k++) {
    *out++ = RhxResolvedRelative(&o->found.part[k]);
    *out++ = o->found.part[k].mean;
    *out++ = o->found.part[k].local;
    for (PetscInt i = 0; i < RhxDiagnosticGetDimension(d); i++) *out++ = o->found.part[k].at[i];
  }
  if (step->last) PetscCall(write_cells(d, o, step->t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(RhxDiagnostic *d)
{
  PetscFunctionBegin;
  PetscCall(RhxFieldFileSay(RhxDiagnosticGetRun(d)->output, d->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RhxDiagnostic *d)
{
  Options *o = d->own;

  PetscFunctionBegin;
  if (o->found.n) PetscCall(RhxResolutionDestroy(&o->found));
  PetscCall(PetscFree(o->field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxDiagnosticType RhxDiagnosticType_resolution = {
    .entry = {sizeof(RhxDiagnosticType), "resolution",
              "estimated errors by the mesh, over the sizes, of the velocity's gradient, of the stress of each mode "
              "and of scalar fields, and the places of the worst elements: columns <field>_error, <field>_worst_at_x; "
              "at the end "
              "<case>_<name>.vtu with those of the elements"},
    .size = sizeof(Options),
    .setup = setup,
    .evaluate = evaluate,
    .end = end,
    .destroy = destroy};
