/* Life cycle of the boundary conditions, their checks, and what others ask of them. */
#include "boundary/coming_impl.h"
#include "boundary/coupling_impl.h"
#include "boundary/drive_impl.h"
#include "boundary/duct_impl.h"
#include "boundary/gap_impl.h"
#include "boundary/memory_impl.h"
#include "boundary/profile_impl.h"
#include "boundary/scalar_impl.h"
#include "boundary/types/outlet.h"
#include "boundary/types/shared.h"
#include "boundary/warmth_impl.h"

PetscErrorCode RhxBoundaryCreate(RhxForm form, RhxBoundary *boundary)
{
  RhxBoundary bc;

  PetscFunctionBegin;
  PetscCall(PetscNew(&bc));
  PetscCall(PetscNew(&bc->source));
  PetscCall(PetscNew(&bc->initial));
  bc->form = form;
  bc->comm = form->comm;
  *boundary = bc;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetFromOptions(RhxBoundary bc)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRead(bc->comm, &RhxInitialTable, NULL, bc->initial));
  PetscCall(RhxOptionTableRead(bc->comm, &RhxSourceTable, NULL, bc->source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A label before it that its options cannot tell it from. */
static PetscErrorCode check_case(RhxBoundary bc, const char *label)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < bc->ncond; k++)
    PetscCheck(strcasecmp(bc->cond[k].label, label), bc->comm, PETSC_ERR_USER_INPUT,
               "the mesh has the labels '%s' and '%s': expected names that differ by more than case, which options "
               "such as -bc_%s_type ignore",
               bc->cond[k].label, label, label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One condition per label with faces, with its options. */
static PetscErrorCode read_labels(RhxBoundary bc)
{
  const char *const *names;
  PetscInt n, nfaces;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetLabels(bc->space->mesh, &n, &names));
  PetscCall(PetscCalloc1(n, &bc->cond));
  for (PetscInt i = 0; i < n; i++) {
    RhxCondition *c = &bc->cond[bc->ncond];
    PetscCall(RhxMeshGetLabelFaceCount(bc->space->mesh, names[i], &nfaces));
    if (nfaces == 0) continue;
    PetscCall(check_case(bc, names[i]));
    bc->ncond++;
    c->bc = bc;
    c->label = names[i];
    c->nfaces = nfaces;
    PetscCall(RhxSpaceGetFaces(bc->space, names[i], &c->faces));
    c->nnodes = c->faces->nnodes;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &c->nnodes, 1, MPIU_INT, MPI_SUM, bc->comm));
    PetscCall(RhxConditionRead(bc, c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts faces of several conditions; pair: the conditions of such a face. */
static PetscErrorCode count_shared(RhxBoundary bc, PetscInt *count, PetscInt *pair)
{
  PetscInt *face, *cond, n = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt g = 0; g < bc->cond[i].faces->ngroups; g++) n += bc->cond[i].faces->group[g].n;
  PetscCall(PetscMalloc2(n, &face, n, &cond));
  n = 0;
  for (PetscInt i = 0; i < bc->ncond; i++)
    for (PetscInt g = 0; g < bc->cond[i].faces->ngroups; g++) {
      const RhxFaceGroup *group = &bc->cond[i].faces->group[g];
      for (PetscInt f = 0; f < group->n; f++, n++) {
        face[n] = group->face[f];
        cond[n] = i;
      }
    }
  PetscCall(PetscSortIntWithArray(n, face, cond));
  for (PetscInt k = 1; k < n; k++)
    if (face[k] == face[k - 1]) {
      (*count)++;
      *pair = PetscMax(*pair, PetscMin(cond[k - 1], cond[k]) * bc->ncond + PetscMax(cond[k - 1], cond[k]));
    }
  PetscCall(PetscFree2(face, cond));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A face under two labels would have two conditions. */
static PetscErrorCode check_shared_faces(RhxBoundary bc)
{
  PetscInt shared[3] = {0, -1, -1}; /* faces, the labels of the last one */
  char text[1024];

  PetscFunctionBegin;
  PetscCall(count_shared(bc, &shared[0], &shared[1]));
  PetscCallMPI(MPI_Allreduce(&shared[1], &shared[2], 1, MPIU_INT, MPI_MAX, bc->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, shared, 1, MPIU_INT, MPI_SUM, bc->comm));
  if (shared[0] == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryLabelsText(bc, text, sizeof(text)));
  SETERRQ(bc->comm, PETSC_ERR_ARG_WRONG,
          "got %" PetscInt_FMT
          " boundary faces under two labels ('%s' and '%s'), expected one label and one condition a "
          "face; %s",
          shared[0], bc->cond[shared[2] / bc->ncond].label, bc->cond[shared[2] % bc->ncond].label, text);
}

/* A condition holds on the boundary only: a label that goes on inside would not do there what it says. */
static PetscErrorCode check_inner_faces(RhxBoundary bc)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    PetscInt inner;
    PetscCall(RhxMeshGetLabelInnerFaceCount(bc->space->mesh, bc->cond[i].label, &inner));
    PetscCheck(inner == 0, bc->comm, PETSC_ERR_ARG_WRONG,
               "label '%s' has %" PetscInt_FMT " faces inside the domain besides %" PetscInt_FMT
               " boundary faces, expected boundary faces only (a condition inside needs a mesh that is cut open there)",
               bc->cond[i].label, inner, bc->cond[i].nfaces);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_labels(RhxBoundary bc)
{
  PetscInt unlabelled;
  char text[1024];

  PetscFunctionBegin;
  PetscCall(RhxConditionCheckLabels(bc));
  PetscCall(RhxMeshGetUnlabelledFaceCount(bc->space->mesh, &unlabelled));
  PetscCall(RhxBoundaryLabelsText(bc, text, sizeof(text)));
  PetscCheck(unlabelled == 0, bc->comm, PETSC_ERR_ARG_WRONG,
             "got %" PetscInt_FMT
             " boundary faces without a label, expected every boundary face of the mesh to have one "
             "(a physical group of Gmsh, between regions too where -mesh_regions leaves some out); %s",
             unlabelled, text);
  PetscCall(check_inner_faces(bc));
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(RhxConditionCheck(bc, &bc->cond[i]));
  PetscCall(check_shared_faces(bc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Formulas of one option of a label, and whether they hold t. */
static PetscErrorCode label_formulas(RhxBoundary bc, RhxCondition *c, const char *row, const char *text,
                                     PetscInt nlists, PetscInt n, const char *names, RhxFormula *f, PetscBool *time)
{
  char option[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_%s", c->label, row));
  PetscCall(RhxFormulaListCreate(bc->comm, option, text, nlists, n, names, f));
  for (PetscInt i = 0; i < nlists * n; i++) {
    PetscBool depends;
    PetscCall(RhxFormulaDependsOnTime(f[i], &depends));
    *time = (PetscBool)(*time || depends);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode label_waveform(RhxBoundary bc, const RhxCondition *c, const char *row, const char *text,
                                     const RhxWaveformRows *given, RhxWaveform *w, PetscBool *time)
{
  char option[256];
  PetscBool depends;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_%s", c->label, row));
  PetscCall(RhxWaveformCreate(bc->comm, option, text, given, w));
  PetscCall(RhxWaveformWarn(bc->comm, *w));
  PetscCall(RhxWaveformDependsOnTime(*w, &depends));
  *time = (PetscBool)(*time || depends);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_formulas(RhxBoundary bc, RhxCondition *c)
{
  PetscInt dim = bc->space->dim, ntens = bc->space->ntens, nmodes = bc->form->nmodes;
  const PetscBool rows = RhxWaveformIsFile(c->opt->pressure);
  char option[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_pressure", c->label));
  PetscCall(RhxWaveformCheckRows(bc->comm, option, c->opt->pressure, &c->opt->pressure_rows));
  if (c->opt->velocity[0] && !c->motion) {
    const PetscInt n = c->gives & RHX_TYPE_SWIRL ? 3 : dim;
    PetscCall(
        label_formulas(bc, c, "velocity", c->opt->velocity, 1, n, RhxVectorNames(n), c->velocity, &c->velocity_time));
  }
  PetscCall(
      label_waveform(bc, c, "flow_rate", c->opt->flow_rate, &c->opt->flow_rate_rows, &c->flow_rate, &c->velocity_time));
  if (rows)
    PetscCall(label_waveform(bc, c, "pressure", c->opt->pressure, &c->opt->pressure_rows, &c->pressure_rows,
                             &c->pressure_time));
  if (c->opt->pressure[0] && !rows)
    PetscCall(label_formulas(bc, c, "pressure", c->opt->pressure, 1, 1, "p", &c->pressure, &c->pressure_time));
  if (c->opt->traction[0])
    PetscCall(label_formulas(bc, c, "traction", c->opt->traction, 1, dim, dim == 2 ? "tx,ty" : "tx,ty,tz",
                             c->traction_formula, &c->traction_time));
  if (c->opt->stress[0] && nmodes) {
    c->nstress = nmodes * ntens;
    PetscCall(PetscCalloc1(c->nstress, &c->stress));
    PetscCall(label_formulas(bc, c, "stress", c->opt->stress, nmodes, ntens, RhxTensorNames(ntens), c->stress,
                             &c->stress_time));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetScheme(RhxBoundary bc, unsigned provides)
{
  PetscFunctionBegin;
  bc->scheme_pressure = (PetscBool)((provides & RHX_PROVIDES_PRESSURE) != 0);
  bc->scheme_inflow = (PetscBool)((provides & RHX_PROVIDES_INFLOW) != 0);
  if (bc->scheme_pressure) PetscCall(RhxFormAsk(bc->form, RHX_ASK_DISSIPATION, "", ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundarySetUp(RhxBoundary bc)
{
  PetscFunctionBegin;
  if (bc->setup) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(bc->form->space, bc->comm, PETSC_ERR_ORDER, "RhxBoundarySetUp: got a form that is not set up");
  bc->space = bc->form->space;
  PetscCall(read_labels(bc));
  PetscCall(check_labels(bc));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    PetscCall(create_formulas(bc, &bc->cond[i]));
    PetscCall(RhxConditionSetUpGeometry(bc, &bc->cond[i]));
  }
  PetscCall(RhxBoundarySetUpNodes(bc));
  PetscCall(RhxBoundaryCheckAxis(bc));
  PetscCall(RhxBoundaryCheckParts(bc));
  for (PetscInt i = 0; i < bc->ncond; i++) {
    PetscCall(RhxConditionSetUpProfile(bc, &bc->cond[i]));
    PetscCall(RhxConditionSetUpFaces(bc, &bc->cond[i]));
    PetscCall(RhxConditionSetUpState(&bc->cond[i]));
  }
  PetscCall(RhxBoundarySetUpOpen(bc));
  PetscCall(RhxBoundarySetUpFollowing(bc));
  PetscCall(RhxDriveSetUp(bc));
  PetscCall(RhxBoundarySetUpSources(bc));
  bc->setup = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_values(RhxBoundary bc, const RhxCondition *c, PetscViewer viewer)
{
  static const char *const polymer[] = {"auto", "developed", "formula", "rest", "free", "zero", "open"};
  const RhxConditionOptions *o = c->opt;
  PetscBool maximum = (PetscBool)(o->maximum_velocity >= 0);
  static const char *const profile[] = {"", "parabola", "developed flow", "Womersley flow", "points of a file"};
  const char *what = profile[o->profile];
  char text[128], rows[128], motion[320]; /* PETSc writes 1 as "1." */

  PetscFunctionBegin;
  PetscCall(RhxWaveformDescribe(c->pressure_rows, "Pa", sizeof(rows), rows));
  if (c->flow_rate) {
    PetscCall(RhxWaveformDescribe(c->flow_rate, bc->space->dim == 3 || bc->space->axisymmetric ? "m^3/s" : "m^2/s",
                                  sizeof(text), text));
    PetscCall(PetscViewerASCIIPrintf(viewer, ", %s with flow rate \"%s\"%s", what, o->flow_rate, text));
  } else if (o->profile_file[0])
    PetscCall(PetscViewerASCIIPrintf(viewer, ", %s \"%s\"", what, o->profile_file));
  else if (RhxOutletIsArriving(c))
    PetscCall(PetscViewerASCIIPrintf(viewer, ", developed flow of the flux that arrives"));
  else if (o->profile != RHX_PROFILE_FORMULA) {
    snprintf(text, sizeof(text),
             c->duct ? "%s with %s %g m/s over its faces" : "%s with %s %g m/s over half width %g m", what,
             maximum ? "maximum" : "mean", maximum ? o->maximum_velocity : o->mean_velocity, c->geo.half);
    PetscCall(PetscViewerASCIIPrintf(viewer, ", %s", text));
  }
  PetscCall(RhxWaveformDescribe(c->motion, "m/s", sizeof(motion), motion));
  if (o->velocity[0]) PetscCall(PetscViewerASCIIPrintf(viewer, ", velocity \"%s\"%s", o->velocity, motion));
  if (o->pressure[0] ||
      ((c->gives & (RHX_TYPE_PRESSURE | RHX_TYPE_WEAK_PRESSURE)) && c->type->pressure == RhxConditionPressure))
    PetscCall(PetscViewerASCIIPrintf(viewer, ", pressure \"%s\"%s", o->pressure[0] ? o->pressure : "0", rows));
  if (c->gives & RHX_TYPE_WEAK_PRESSURE) PetscCall(PetscViewerASCIIPrintf(viewer, " by the traction"));
  if (o->traction[0]) PetscCall(PetscViewerASCIIPrintf(viewer, ", traction \"%s\"", o->traction));
  snprintf(text, sizeof(text), ", backflow %g", o->backflow);
  if (o->backflow > 0) PetscCall(PetscViewerASCIIPrintf(viewer, "%s", text));
  if (o->tangential) PetscCall(PetscViewerASCIIPrintf(viewer, ", along its normal"));
  if (c->type->flags & RHX_TYPE_OPEN)
    PetscCall(PetscViewerASCIIPrintf(viewer, ", form %s", o->form ? "symmetric" : "gradient"));
  if (bc->form->nmodes && c->type->polymer)
    PetscCall(PetscViewerASCIIPrintf(viewer, ", polymer %s", polymer[o->polymer]));
  if (o->polymer_at == RHX_POLYMER_AT_FLUX) PetscCall(PetscViewerASCIIPrintf(viewer, " in the flux"));
  if (c->memory) PetscCall(PetscViewerASCIIPrintf(viewer, ", with the history of the flow"));
  if (bc->form->nmodes && (c->gives & RHX_TYPE_OPEN) && o->polymer_inflow)
    PetscCall(PetscViewerASCIIPrintf(viewer, ", of what comes in %s", polymer[o->polymer_inflow]));
  if (bc->form->nmodes && o->stress[0]) PetscCall(PetscViewerASCIIPrintf(viewer, " %s", o->stress));
  snprintf(text, sizeof(text), ", raised over %g s", o->ramp);
  if (o->ramp > 0) PetscCall(PetscViewerASCIIPrintf(viewer, "%s", text));
  if (c->type->view) PetscCall(c->type->view((RhxCondition *)c, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryIsClosed(RhxBoundary bc, PetscBool *closed)
{
  PetscFunctionBegin;
  *closed = PETSC_TRUE;
  for (PetscInt i = 0; i < bc->ncond; i++)
    if (bc->cond[i].gives & (RHX_TYPE_PRESSURE | RHX_TYPE_OPEN)) *closed = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetOnlyGiven(RhxBoundary bc, const char **label)
{
  PetscBool closed;

  PetscFunctionBegin;
  *label = NULL;
  PetscCall(RhxBoundaryIsClosed(bc, &closed));
  for (PetscInt i = 0; i < bc->ncond && closed && !bc->source->pressure[0] && !*label; i++)
    if (bc->cond[i].gives & RHX_TYPE_INWARD) *label = bc->cond[i].label;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGiveAll(RhxBoundary bc, double now, double t, PetscScalar *x, PetscBool *all)
{
  PetscFunctionBegin;
  PetscCall(RhxBoundaryIsClosed(bc, all));
  if (bc->source->pressure[0]) *all = PETSC_FALSE;
  if (!*all) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArrayzero(x, (size_t)bc->space->nowned * bc->space->bs));
  PetscCall(RhxBoundarySetTime(bc, t));
  PetscCall(RhxBoundaryImpose(bc, RHX_BC_VELOCITY, x));
  PetscCall(RhxBoundarySetTime(bc, now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryView(RhxBoundary bc, PetscViewer viewer)
{
  char rows[128];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const RhxCondition *c = &bc->cond[i];
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %" PetscInt_FMT " faces, %" PetscInt_FMT " nodes, %s", c->label,
                                     c->nfaces, c->nnodes, c->type->entry.name));
    PetscCall(view_values(bc, c, viewer));
    PetscCall(RhxConditionViewScalars(bc, c, viewer));
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  }
  PetscCall(RhxWaveformDescribe(RhxDriveGetAim(bc), "m/s", sizeof(rows), rows));
  if (bc->drive_force)
    PetscCall(PetscViewerASCIIPrintf(viewer, "mean velocity \"%s\"%s along %s by a force that is found\n",
                                     bc->source->mean_velocity, rows, bc->source->mean_direction));
  if (bc->pressure_free)
    PetscCall(PetscViewerASCIIPrintf(viewer, "pressure: free up to a constant (no label gives it)\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetPressureNodes(RhxBoundary bc, PetscInt *n, const PetscInt **nodes, PetscBool *free)
{
  PetscFunctionBegin;
  if (n) *n = bc->npressure;
  if (nodes) *nodes = bc->pressure_node;
  if (free) *free = bc->pressure_free;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetPressureValues(RhxBoundary bc, const PetscScalar **values)
{
  PetscFunctionBegin;
  *values = bc->fixed[RHX_GROUP_PRESSURE].val;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetMoving(RhxBoundary bc, const char **label, const char **type)
{
  PetscFunctionBegin;
  *label = NULL;
  for (PetscInt i = 0; i < bc->ncond && !*label; i++) {
    const RhxConditionType *t = bc->cond[i].type;
    if (t->tangent || t->follow || RhxOutletIsArriving(&bc->cond[i]) || !t->advance) continue;
    *label = bc->cond[i].label;
    *type = t->entry.name;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryGetLossy(RhxBoundary bc, const char **label)
{
  PetscFunctionBegin;
  *label = NULL;
  for (PetscInt i = 0; i < bc->ncond && !*label; i++)
    if ((bc->cond[i].gives & RHX_TYPE_OPEN) && (bc->cond[i].gives & RHX_TYPE_PRESSURE)) *label = bc->cond[i].label;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_label(RhxBoundary bc, const char *label, const RhxCondition **condition)
{
  const char **names, *nearest;
  char hint[160] = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; i < bc->ncond; i++) {
    *condition = &bc->cond[i];
    if (!strcmp(bc->cond[i].label, label)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(bc->ncond, &names));
  for (PetscInt i = 0; i < bc->ncond; i++) names[i] = bc->cond[i].label;
  nearest = RhxNearest(label, bc->ncond, names);
  if (nearest) snprintf(hint, sizeof(hint), "; did you mean '%s'?", nearest);
  PetscCall(PetscFree(names));
  SETERRQ(bc->comm, PETSC_ERR_ARG_WRONG, "got the label '%s', which has no boundary faces%s", label, hint);
}

PetscErrorCode RhxBoundaryGetVelocityNodes(RhxBoundary bc, const char *label, PetscInt *n, const PetscInt **nodes)
{
  const RhxCondition *c;

  PetscFunctionBegin;
  PetscCall(find_label(bc, label, &c));
  *n = c->v.n;
  *nodes = c->v.node;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryIsTight(RhxBoundary bc, const char *label, PetscBool *tight, PetscBool *wall)
{
  const RhxCondition *c;

  PetscFunctionBegin;
  PetscCall(find_label(bc, label, &c));
  *tight = c->gives & (RHX_TYPE_SYMMETRY | RHX_TYPE_NORMAL) ? PETSC_TRUE : PETSC_FALSE;
  *wall = c->gives & RHX_TYPE_NO_SLIP ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryIsPlane(RhxBoundary bc, const char *label, PetscBool *plane, PetscBool *open)
{
  const RhxCondition *c;

  PetscFunctionBegin;
  PetscCall(find_label(bc, label, &c));
  *plane = (PetscBool)((c->gives & RHX_TYPE_SYMMETRY) != 0);
  *open = (PetscBool)((c->gives & RHX_TYPE_OPEN) != 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryHasShear(RhxBoundary bc, const char *label, PetscBool *shear)
{
  const RhxCondition *c;

  PetscFunctionBegin;
  PetscCall(find_label(bc, label, &c));
  *shear =
      (PetscBool)(!(c->gives & RHX_TYPE_SYMMETRY) && (!(c->gives & RHX_TYPE_NORMAL) || (c->gives & RHX_TYPE_TRACTION)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_condition(RhxBoundary bc, RhxCondition *c)
{
  PetscFunctionBegin;
  if (c->type && c->type->destroy) PetscCall(c->type->destroy(c));
  PetscCall(PetscFree(c->own));
  PetscCall(PetscFree(c->kept));
  for (PetscInt d = 0; d < 3; d++) PetscCall(RhxFormulaDestroy(&c->velocity[d]));
  for (PetscInt d = 0; d < 3; d++) PetscCall(RhxFormulaDestroy(&c->traction_formula[d]));
  PetscCall(RhxWaveformDestroy(&c->flow_rate));
  PetscCall(RhxWaveformDestroy(&c->pressure_rows));
  PetscCall(RhxWaveformDestroy(&c->motion));
  PetscCall(RhxDevelopedDestroy(&c->developed));
  PetscCall(RhxGapDestroy(&c->gap));
  PetscCall(RhxWomersleyDestroy(&c->womersley));
  PetscCall(RhxDuctDestroy(&c->duct));
  PetscCall(RhxSectionDestroy(&c->section));
  PetscCall(PetscFree(c->sampled));
  PetscCall(PetscFree2(c->geo.distance, c->geo.share));
  PetscCall(RhxFormulaDestroy(&c->pressure));
  for (PetscInt i = 0; i < c->nstress; i++) PetscCall(RhxFormulaDestroy(&c->stress[i]));
  PetscCall(PetscFree(c->stress));
  PetscCall(PetscFree(c->opt));
  PetscCall(RhxConditionDestroyScalars(bc, c));
  PetscCall(RhxConditionDestroyWarmth(c));
  PetscCall(RhxConditionDestroyComing(c));
  PetscCall(RhxMemoryDestroy(&c->memory));
  PetscCall(RhxConditionDestroyFaces(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryDestroy(RhxBoundary *boundary)
{
  RhxBoundary bc = *boundary;

  PetscFunctionBegin;
  if (!bc) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxBoundaryDestroyNodes(bc));
  PetscCall(RhxBoundaryDestroySymmetry(bc));
  PetscCall(RhxBoundaryDestroySources(bc));
  for (PetscInt i = 0; i < bc->ncond; i++) PetscCall(destroy_condition(bc, &bc->cond[i]));
  PetscCall(PetscFree(bc->cond));
  PetscCall(PetscFree(bc->source));
  PetscCall(PetscFree(bc->initial));
  PetscCall(PetscFree(bc->drive));
  PetscCall(RhxDriveDestroy(bc));
  PetscCall(PetscFree(bc));
  *boundary = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
