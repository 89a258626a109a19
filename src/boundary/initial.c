/* Initial state and sources of the equations, by formula. */
#include "boundary/coupling_impl.h"
#include "boundary/drive_impl.h"
#include "boundary/impl.h"
#include "boundary/scalar_impl.h"
#include "boundary/timescale.h"
#include "plugin/length.h"

/* Formulas of one option for components at `offset` of row list `list`; nothing where the text is empty. */
static PetscErrorCode source_rows(RhxBoundary bc, const char *option, const char *text, PetscInt list, PetscInt offset,
                                  PetscInt nlists, PetscInt n, const char *names)
{
  RhxFormula *f;

  PetscFunctionBegin;
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(nlists, bc->comm, PETSC_ERR_ARG_WRONG, "-%s: got formulas for a flow without polymer", option);
  PetscCall(PetscCalloc1(nlists * n, &f));
  PetscCall(RhxFormulaListCreate(bc->comm, option, text, nlists, n, names, f));
  for (PetscInt i = 0; i < nlists * n; i++) {
    RhxSourceFormula *row = &bc->row[list][offset + i];
    PetscBool time, place;
    row->whole = f[i];
    PetscCall(RhxFormulaDependsOnTime(f[i], &time));
    PetscCall(RhxFormulaDependsOnPlace(f[i], &place));
    if (time && place) PetscCall(RhxFormulaSeparate(bc->comm, f[i], RHX_PRODUCTS, row->product, &row->n));
    bc->source_time = (PetscBool)(bc->source_time || time);
  }
  PetscCall(PetscFree(f));
  bc->has_source = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetUpSources(RhxBoundary bc)
{
  RhxSpace space = bc->space;
  RhxForm form = bc->form;
  const char *vector = RhxVectorNames(space->dim), *tensor = RhxTensorNames(space->ntens);
  PetscInt velocity = RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY);
  PetscInt pressure = RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE);
  PetscInt modes = RhxFieldsStart(space->fields, RHX_GROUP_MODES);
  char option[RHX_OPTION_LENGTH], text[RHX_STRING_LENGTH];

  PetscFunctionBegin;
  bc->nrows = space->bs;
  for (PetscInt l = 0; l < 2; l++) PetscCall(PetscCalloc1(bc->nrows, &bc->row[l]));
  PetscCall(source_rows(bc, "form_body_force", bc->source->body_force, 0, velocity, 1, space->dim,
                        space->dim == 2 ? "fx,fy" : "fx,fy,fz"));
  PetscCall(source_rows(bc, "form_source_velocity", bc->source->velocity, 1, velocity, 1, space->dim, vector));
  PetscCall(source_rows(bc, "form_source_pressure", bc->source->pressure, 0, pressure, 1, 1, "p"));
  PetscCall(source_rows(bc, "form_source_stress", bc->source->stress, 0, modes, form->nmodes, space->ntens, tensor));
  for (PetscInt k = 0; k < form->nscalars; k++) {
    const RhxField *f = RhxFieldsGet(space->fields, RHX_GROUP_SCALARS, k);
    PetscCall(RhxScalarTextRead(bc->comm, "form_source_", form->scalar[k].row, text));
    PetscCall(PetscSNPrintf(option, sizeof(option), "form_source_%s", f->name));
    PetscCall(source_rows(bc, option, text, 0, f->offset, 1, 1, f->name));
  }
  if (bc->drive_force) bc->has_source = PETSC_TRUE;
  if (bc->has_source) PetscCall(RhxFormNeedSource(form, &bc->sources));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* to[nlocal] += the formula at t; its parts in space are evaluated once. */
static PetscErrorCode add_products(RhxBoundary bc, RhxSourceFormula *f, double t, PetscReal *to)
{
  const PetscInt n = bc->space->nlocal, dim = bc->space->dim;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < f->n; k++) {
    RhxProduct *product = &f->product[k];
    PetscReal of_time;
    PetscCall(RhxFormulaEvaluate(product->time, t, 1, 0, NULL, &of_time));
    if (product->place && !product->value) {
      PetscCall(PetscMalloc1(n, &product->value));
      PetscCall(RhxFormulaEvaluate(product->place, 0, n, dim, bc->space->x, product->value));
    }
    for (PetscInt i = 0; i < n; i++) to[i] += product->value ? of_time * product->value[i] : of_time;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* to[nlocal] += the formula at t. Values that its parts cannot hold are those of the whole, which tells what is wrong. */
static PetscErrorCode add_source(RhxBoundary bc, RhxSourceFormula *f, double t, PetscReal *value, PetscReal *to)
{
  const PetscInt n = bc->space->nlocal;
  PetscBool finite = (PetscBool)(f->n > 0);

  PetscFunctionBegin;
  if (!f->whole) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArrayzero(value, n));
  PetscCall(add_products(bc, f, t, value));
  for (PetscInt i = 0; finite && i < n; i++) finite = (PetscBool)!PetscIsInfOrNanReal(value[i]);
  if (!finite) PetscCall(RhxBoundaryFormula(bc, f->whole, t, n, bc->space->x, 1, value));
  for (PetscInt i = 0; i < n; i++) to[i] += value[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the row change with the time, or with the force that keeps a mean velocity? */
static PetscErrorCode row_moves(RhxBoundary bc, PetscInt r, PetscBool *moves)
{
  const PetscInt velocity = RhxFieldsStart(bc->space->fields, RHX_GROUP_VELOCITY);

  PetscFunctionBegin;
  *moves = (PetscBool)(bc->drive_force && r >= velocity && r < velocity + bc->space->dim);
  for (PetscInt l = 0; l < 2; l++) {
    PetscBool time = PETSC_FALSE;
    if (bc->row[l][r].whole) PetscCall(RhxFormulaDependsOnTime(bc->row[l][r].whole, &time));
    *moves = (PetscBool)(*moves || time);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySources(RhxBoundary bc, double t)
{
  PetscInt n = bc->space->nlocal, bs = bc->space->bs;
  PetscReal *value;

  PetscFunctionBegin;
  if (!bc->has_source) PetscFunctionReturn(PETSC_SUCCESS);
  if (bc->drive_force && bc->evaluated && !(t != bc->t && bc->source_time)) { /* no more than the force has changed */
    RhxDriveAdd(bc, bc->sources);
    bc->sources_moved = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(2 * n, &value));
  for (PetscInt r = 0; r < bs; r++) {
    PetscBool moves;
    PetscCall(row_moves(bc, r, &moves));
    if (!moves && (bc->evaluated || (!bc->row[0][r].whole && !bc->row[1][r].whole))) continue;
    PetscCall(PetscArrayzero(value, n));
    for (PetscInt l = 0; l < 2; l++) PetscCall(add_source(bc, &bc->row[l][r], t, value + n, value));
    for (PetscInt i = 0; i < n; i++) bc->sources[i * bs + r] = value[i];
    RhxBoundaryNoteSource(bc, r, value);
  }
  PetscCall(PetscFree(value));
  if (bc->drive_force) RhxDriveKeepRest(bc, bc->sources);
  if (bc->drive_force) RhxDriveAdd(bc, bc->sources);
  bc->sources_moved = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDestroySources(RhxBoundary bc)
{
  PetscFunctionBegin;
  for (PetscInt l = 0; l < 2; l++) {
    for (PetscInt r = 0; bc->row[l] && r < bc->nrows; r++) {
      PetscCall(RhxProductsDestroy(&bc->row[l][r].n, bc->row[l][r].product));
      PetscCall(RhxFormulaDestroy(&bc->row[l][r].whole));
    }
    PetscCall(PetscFree(bc->row[l]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x[i][offset ...] by formulas that live only here. */
static PetscErrorCode set_by_formula(RhxBoundary bc, const char *option, const char *text, double t, PetscInt offset,
                                     PetscInt nlists, PetscInt n, const char *names, PetscScalar *x)
{
  RhxFormula *f;
  RhxSpace space = bc->space;

  PetscFunctionBegin;
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(nlists, bc->comm, PETSC_ERR_ARG_WRONG, "-%s: got formulas for a flow without polymer", option);
  PetscCall(PetscCalloc1(nlists * n, &f));
  PetscCall(RhxFormulaListCreate(bc->comm, option, text, nlists, n, names, f));
  for (PetscInt i = 0; i < nlists * n; i++) {
    PetscCall(RhxBoundaryFormula(bc, f[i], t, space->nowned, space->x, space->bs, x + offset + i));
    PetscCall(RhxFormulaDestroy(&f[i]));
  }
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state holds c on entry, the unknown afterwards. */
static PetscErrorCode unknown_of_conformation(RhxBoundary bc, PetscScalar *x)
{
  RhxSpace space = bc->space;
  PetscErrorCode ierr = PETSC_SUCCESS;
  PetscInt n = bc->failure[0] ? 0 : space->nowned; /* c may not be finite */
  PetscReal c[6];

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL)); /* raised on all ranks by RhxBoundaryRaise */
  for (PetscInt i = 0; i < n && !ierr; i++)
    for (PetscInt k = 0; k < bc->form->nmodes && !ierr; k++) {
      PetscScalar *s = x + i * space->bs + RhxFieldsGet(space->fields, RHX_GROUP_MODES, k)->offset;
      PetscCall(PetscArraycpy(c, s, space->ntens));
      ierr = RhxFormUnknown(bc->form, k, c, s);
      if (ierr) PetscCall(RhxBoundaryNote(bc, ierr, "-initial_conformation", space->x + i * space->dim));
    }
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Node and mode of this rank whose conformation has the smallest eigenvalue; -inf: it is no number. */
static PetscErrorCode least_positive(RhxBoundary bc, const PetscScalar *x, double *least, PetscInt *node,
                                     PetscInt *mode)
{
  RhxSpace space = bc->space;
  PetscInt n = bc->failure[0] ? 0 : space->nowned; /* the state may not be finite */

  PetscFunctionBegin;
  *least = PETSC_INFINITY;
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < bc->form->nmodes; k++) {
      double w;
      PetscCall(RhxFormSmallestEigenvalue(
          bc->form, k, x + i * space->bs + RhxFieldsGet(space->fields, RHX_GROUP_MODES, k)->offset, &w));
      if (w >= *least) continue;
      *least = PetscIsNanReal(w) ? PETSC_NINFINITY : w;
      *node = i;
      *mode = k;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Notes the worst node of all ranks whose conformation is not positive definite: no law means anything there. */
static PetscErrorCode check_positive(RhxBoundary bc, const char *option, const PetscScalar *x)
{
  struct {
    double value;
    int rank;
  } least;
  PetscInt node = 0, mode = 0;
  PetscMPIInt rank;
  char place[128], where[256];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(bc->comm, &rank));
  PetscCall(least_positive(bc, x, &least.value, &node, &mode));
  least.rank = rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, bc->comm));
  if (least.value > 0 || least.rank != rank) PetscFunctionReturn(PETSC_SUCCESS);
  RhxBoundaryPlace(bc, bc->space->x + node * bc->space->dim, place, sizeof(place));
  snprintf(where, sizeof(where), "%s at %s", option, place);
  RhxBoundaryNotPositive(bc, where, mode, least.value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Number in [-1, 1) that depends on the position and component alone (SplitMix64 of their bits). */
static PetscReal noise(PetscInt dim, const PetscReal *x, PetscInt component)
{
  unsigned long long h = 0x9E3779B97F4A7C15ull * (unsigned long long)(component + 1), bits;
  for (PetscInt d = 0; d < dim; d++) {
    double v = x[d] + 0.0; /* -0 and 0 are one position */
    memcpy(&bits, &v, sizeof(bits));
    h += bits + 0x9E3779B97F4A7C15ull;
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
    h ^= h >> 31;
  }
  return (PetscReal)(h >> 11) * 0x1p-52 - 1;
}

static void perturb(RhxBoundary bc, PetscScalar *x)
{
  RhxSpace space = bc->space;
  PetscInt modes = RhxFieldsStart(space->fields, RHX_GROUP_MODES), end = RhxFieldsEnd(space->fields, RHX_GROUP_MODES);

  for (PetscInt i = 0; i < space->nowned; i++)
    for (PetscInt r = 0; r < end; r++) {
      PetscReal scale = r < modes ? 1 : bc->form->scale[(r - modes) / space->ntens];
      x[i * space->bs + r] += bc->initial->perturbation * scale * noise(space->dim, space->x + i * space->dim, r);
    }
}

PetscErrorCode RhxBoundaryInitialState(RhxBoundary bc, double t, PetscBool weighs, PetscScalar *x)
{
  RhxSpace space = bc->space;
  const RhxInitialOptions *o = bc->initial;
  PetscInt nmodes = bc->form->nmodes, modes = RhxFieldsStart(space->fields, RHX_GROUP_MODES);
  const char *tensor = RhxTensorNames(space->ntens);
  PetscReal rest[6];

  PetscFunctionBegin;
  PetscCheck(!o->stress[0] || !o->conformation[0], bc->comm, PETSC_ERR_ARG_WRONG,
             "-initial_conformation: got formulas, and -initial_stress too, expected one of the two");
  PetscCall(PetscArrayzero(x, space->nowned * space->bs));
  for (PetscInt k = 0; k < nmodes; k++) {
    PetscCall(RhxFormRest(bc->form, k, rest));
    for (PetscInt i = 0; i < space->nowned; i++)
      PetscCall(PetscArraycpy(x + i * space->bs + RhxFieldsGet(space->fields, RHX_GROUP_MODES, k)->offset, rest,
                              space->ntens));
  }
  PetscCall(set_by_formula(bc, "initial_velocity", o->velocity, t, RhxFieldsStart(space->fields, RHX_GROUP_VELOCITY), 1,
                           space->dim, RhxVectorNames(space->dim), x));
  PetscCall(set_by_formula(bc, "initial_pressure", o->pressure, t, RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE), 1,
                           1, "p", x));
  PetscCall(set_by_formula(bc, "initial_stress", o->stress, t, modes, nmodes, space->ntens, tensor, x));
  PetscCall(set_by_formula(bc, "initial_conformation", o->conformation, t, modes, nmodes, space->ntens, tensor, x));
  PetscCall(RhxBoundaryInitialScalars(bc, t, x));
  if (o->conformation[0]) PetscCall(unknown_of_conformation(bc, x));
  if (o->stress[0] || o->conformation[0])
    PetscCall(check_positive(bc, o->stress[0] ? "-initial_stress" : "-initial_conformation", x));
  if (o->perturbation > 0) {
    perturb(bc, x);
    PetscCall(check_positive(bc, "-initial_perturbation", x));
  }
  PetscCall(RhxBoundaryRaise(bc));
  PetscCall(RhxBoundarySetTime(bc, t));                 /* all that is given is finite */
  PetscCall(RhxBoundaryImpose(bc, RHX_BC_VELOCITY, x)); /* a flux is that of what is given, too */
  PetscCall(RhxBoundaryMeetFluxes(bc, t, x));
  PetscCall(RhxBoundarySetTime(bc, t));
  if (!o->pressure[0]) PetscCall(RhxBoundaryInitialPressure(bc, t, weighs, x));
  PetscCall(RhxBoundaryImposeInflow(bc, x));
  PetscCall(RhxBoundaryImpose(bc, RHX_BC_ALL, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode warn_of_time(RhxBoundary bc, const char *option, const char *text, double t, PetscInt nlists,
                                   PetscInt n, const char *names)
{
  PetscBool depends = PETSC_FALSE;
  char start[32];
  RhxFormula *f;

  PetscFunctionBegin;
  if (!text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(nlists * n, &f));
  PetscCall(RhxFormulaListCreate(bc->comm, option, text, nlists, n, names, f));
  for (PetscInt i = 0; i < nlists * n; i++) {
    if (!depends) PetscCall(RhxFormulaDependsOnTime(f[i], &depends));
    PetscCall(RhxFormulaDestroy(&f[i]));
  }
  PetscCall(PetscFree(f));
  snprintf(start, sizeof(start), "%g", t);
  if (depends)
    PetscCall(PetscFPrintf(bc->comm, PETSC_STDERR,
                           "rheoplex: warning: -%s: got \"%s\", in which t is the time of the start alone, %s s: "
                           "expected formulas in x, y, z; what changes in time is given by -bc_<label>_... or "
                           "-form_body_force\n",
                           option, text, start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryWarnOfInitialTime(RhxBoundary bc, double t)
{
  const RhxSpace space = bc->space;
  const RhxInitialOptions *o = bc->initial;
  const char *tensor = RhxTensorNames(space->ntens);

  PetscFunctionBegin;
  PetscCall(warn_of_time(bc, "initial_velocity", o->velocity, t, 1, space->dim, RhxVectorNames(space->dim)));
  PetscCall(warn_of_time(bc, "initial_pressure", o->pressure, t, 1, 1, "p"));
  PetscCall(warn_of_time(bc, "initial_stress", o->stress, t, bc->form->nmodes, space->ntens, tensor));
  PetscCall(warn_of_time(bc, "initial_conformation", o->conformation, t, bc->form->nmodes, space->ntens, tensor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryWarnOfInitial(RhxBoundary bc, double t)
{
  const RhxSpace space = bc->space;
  PetscScalar *x;

  PetscFunctionBegin;
  if (!bc->initial->pressure[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)space->nowned * space->bs + 1, &x));
  PetscCall(set_by_formula(bc, "initial_pressure", bc->initial->pressure, t,
                           RhxFieldsStart(space->fields, RHX_GROUP_PRESSURE), 1, 1, "p", x));
  PetscCall(RhxBoundaryWarnOfLevels(bc, t, x));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
