/* Types of conditions, the option tables of the room, and the checks of what a label was given. */
#include "boundary/types.h"
#include "boundary/impl.h"
#include "boundary/scalar_impl.h"
#include <stddef.h>

#define TYPE(name) extern const RhxConditionType RhxConditionType_##name;
#include "boundary/types/list.h"
#include "plugin/length.h"
#undef TYPE
#define TYPE(name) &RhxConditionType_##name,
static const RhxConditionType *const own_types[] = {
#include "boundary/types/list.h"
};
#undef TYPE

RhxCatalogue RhxConditionTypes = {.what = "condition", .size = sizeof(RhxConditionType)};

#define SLOT(member) offsetof(RhxConditionOptions, member)
static const RhxRow condition_rows[] = {
    {"type", RHX_STRING, 0, SLOT(type), "", RHX_ANY, 0, 0, NULL, "1",
     "condition of the label, as `rheoplex list boundary` tells: wall, inlet, outlet, ..., or one of a plugin"},
    {"velocity", RHX_STRING, 0, SLOT(velocity), "", RHX_ANY, 0, 0, NULL, "m/s",
     "formulas of the components in x, y, z, t, \"u,v[,w]\", with swirl the third along theta (outlet: of the profile "
     "whose polymer traction is "
     "prescribed); "
     "on the command line one that begins with '-' needs a blank before it; moving wall, inlet: or the path of a .csv "
     "file with rows \"time,u,v[,w]\" of one period, the velocity of the whole label, joined by periodic cubic "
     "splines"},
    RHX_WAVEFORM_ROWS("velocity", SLOT(velocity_rows), "m/s", "0.001 for mm/s"),
    {"profile", RHX_CHOICE, 0, SLOT(profile), "formula", RHX_ANY, 0, 0, "formula|parabolic|developed|womersley|file",
     "1",
     "velocity by formula, or a profile normal to the label, between its ends (from an end on a symmetry plane) in 2D, "
     "over its circle in 3D: a parabola, or the developed flow of the case's laws, which a flow rate alone means and "
     "which is that between its walls, which may slip or move along the flow each in its way, in axisymmetric flow in "
     "an "
     "annulus too, and in 3D is found over a plane label of any shape; womersley: at inlets, over the same, with a "
     "periodic flow rate of fluids whose shear stress is linear in the shear rate (as of a constant viscosity and of "
     "the upper-convected Maxwell model), between walls at rest; file: at inlets, of points"},
    {"profile_file", RHX_STRING, 0, SLOT(profile_file), "", RHX_ANY, 0, 0, NULL, "m, m/s",
     "path of a .csv file with rows \"x,y[,z],u,v[,w]\", points near the label, in metres after -mesh_scale, and "
     "the velocity there; with a flow rate "
     "their values are scaled to it"},
    {"mean_velocity", RHX_REAL, 0, SLOT(mean_velocity), "none", RHX_GE, 0, 0, "none", "m/s",
     "mean of the profile, of which a parabola on n faces brings 1 - 1/n^2 (flow_rate: all of it)"},
    {"maximum_velocity", RHX_REAL, 0, SLOT(maximum_velocity), "none", RHX_GE, 0, 0, "none", "m/s",
     "maximum of the profile, where no wall that it ends on moves"},
    {"flow_rate", RHX_STRING, 0, SLOT(flow_rate), "", RHX_ANY, 0, 0, NULL, "m^3/s",
     "flux of the profile through the label (2D: m^2/s), inward at an inlet: a formula in t, or a waveform, the path "
     "of a .csv file with rows \"time,value\" of one period, which are joined by a periodic cubic spline, "
     "unless flow_rate_interpolation and flow_rate_rows say otherwise"},
    RHX_WAVEFORM_ROWS("flow_rate", SLOT(flow_rate_rows), "m^3/s", "1e-6 for ml/s, 1.66667e-5 for l/min"),
    {"period", RHX_REAL, 0, SLOT(period), "none", RHX_GT, 0, 0, "none", "s",
     "of the flow rate that profile womersley is for, where it is a formula"},
    {"polymer", RHX_CHOICE, 0, SLOT(polymer), "auto", RHX_ANY, 0, 0, "auto|developed|formula|rest|free|zero|open", "1",
     "inlet: developed (steady state of the law in the profile's gradient), formula, rest or free; outlet: open (the "
     "traction of the flow that arrives, nothing is imposed), traction of the developed stress in the profile given "
     "here or, without one, in the law's developed flow of the flux that arrives (after each step; with the flow by "
     "-scheme steady and monolithic), or zero; "
     "developed has the pressure over the section that a second normal stress difference asks for, of slits, tubes and "
     "annuli, whose mean is -bc_<label>_pressure; auto: developed at inlets and at outlets with a profile, else open"},
    {"polymer_at", RHX_CHOICE, 0, SLOT(polymer_at), "auto", RHX_ANY, 0, 0, "auto|nodes|flux", "1",
     "where an inlet's polymer is given: at its nodes, or in the flux that the flow carries in, which leaves the shear "
     "stress to elastic waves where they are faster than the flow (theory.md, 6); auto: the flux with polymer "
     "developed, else nodes"},
    {"polymer_memory", RHX_CHOICE, 0, SLOT(polymer_memory), "auto", RHX_ANY, 0, 0, "auto|on|off", "1",
     "of an inlet's polymer developed in steps in time: on, its stress is that of the law in time at each node, from "
     "the "
     "start of the run on, in the gradient of the given velocity; off, that of steady flow at the rate of each moment; "
     "auto: on where the flow that is given changes in time, by a ramp too, and a mode has a relaxation time"},
    {"polymer_memory_before", RHX_REAL, 0, SLOT(polymer_memory_before), "0", RHX_GE, 0, 0, NULL, "s",
     "of an inlet with polymer_memory: time before the start of the run over which the flow that is given has gone on, "
     "formulas and waveforms at earlier times, from steady flow on; some relaxation times for the periodic state of a "
     "periodic flow, with profile womersley at least 25 of the longest"},
    {"polymer_inflow", RHX_CHOICE, 0, SLOT(polymer_inflow), "auto", RHX_ANY, 0, 0, "auto|developed|formula|rest|free",
     "1",
     "polymer of the fluid that comes in through an outlet, while some does, given in its flux: developed (the law's "
     "steady state in the profile given here or, without one, in the developed flow of the label's flux), as where the "
     "channel goes on, formula (-bc_<label>_stress), rest, as out of a reservoir, or free (what the label's nodes "
     "have); auto: developed with polymer developed, free with polymer open and tangential free, else rest"},
    {"stress", RHX_STRING, 0, SLOT(stress), "", RHX_ANY, 0, 0, NULL, "unit of the unknown",
     "formulas of the unknown of -polymer_variable with polymer formula (outlet: polymer_inflow formula), 2D "
     "\"xx,yy,xy\" (with out-of-plane component \"xx,yy,zz,xy\"), 3D and with swirl "
     "\"xx,yy,zz,yz,xz,xy\" (files of fields have ParaView's order xx,yy,zz,xy,yz,xz); modes separated by ';'"},
    {"pressure", RHX_STRING, 0, SLOT(pressure), "", RHX_ANY, 0, 0, NULL, "Pa",
     "formula of the pressure, or a waveform, the path of a .csv file with rows \"time,value\" of one period (outlet: "
     "0 unless "
     "given; inlet: free unless given, which is for flows where no other label gives it)"},
    RHX_WAVEFORM_ROWS("pressure", SLOT(pressure_rows), "Pa", "133.322 for mmHg, 0.1 for dyn/cm^2"),
    {"pressure_at", RHX_CHOICE, 0, SLOT(pressure_at), "auto", RHX_ANY, 0, 0, "auto|nodes|traction", "1",
     "where an outlet's pressure is given: at its nodes, where continuity then does not hold, or by its traction "
     "alone, so that what flows in flows out; auto: by the traction, but at nodes where the pressure is by dissipation "
     "or with polymer zero, or developed in a profile"},
    {"pressure_means", RHX_CHOICE, 0, SLOT(pressure_means), "auto", RHX_ANY, 0, 0, "auto|mean|local", "1",
     "what an outlet's pressure is with polymer developed: mean, to which the pressure over the section that a second "
     "normal stress difference asks for is added, of mean 0, also where a formula differs over the label for another "
     "reason, such as weight; local, all of the pressure at each place, which holds that already; auto: mean, and a "
     "run "
     "says so where the formula differs over the label"},
    {"traction", RHX_STRING, 0, SLOT(traction), "", RHX_ANY, 0, 0, NULL, "Pa",
     "formulas of a traction that is added at an outlet, with polymer open to the fluid's own, components "
     "\"tx,ty[,tz]\", outward stress times normal"},
    {"backflow", RHX_REAL, 0, SLOT(backflow), "0", RHX_IN, 0, 1, NULL, "1",
     "share of rho min(u.n, 0) u that is added to an outlet's traction: from 0.5 on what comes back in brings no "
     "energy"},
    {"tangential", RHX_CHOICE, 0, SLOT(tangential), "free", RHX_ANY, 0, 0, "free|zero", "1",
     "velocity in the plane of an outlet: free, or zero, with which a flow that its pressure drives comes in along the "
     "normal and is stable; the pressure stays the one that is given"},
    {"form", RHX_CHOICE, 0, SLOT(form), "gradient", RHX_ANY, 0, 0, "gradient|symmetric", "1",
     "viscous traction that is zero at an outlet: eta_s grad(u).n or 2 eta_s D(u).n (polymer open: the first)"},
    {"ramp", RHX_REAL, 0, SLOT(ramp), "0", RHX_GE, 0, 0, NULL, "s",
     "time over which velocity and stress are raised by (1 - cos(pi t/ramp))/2"},
};
#undef SLOT
enum { nconditionrows = sizeof(condition_rows) / sizeof(condition_rows[0]) };
const RhxOptionTable RhxConditionTable = {"boundary", "bc_*_", nconditionrows, condition_rows};

#define SLOT(member) offsetof(RhxInitialOptions, member)
static const RhxRow initial_rows[] = {
    {"velocity", RHX_STRING, 0, SLOT(velocity), "", RHX_ANY, 0, 0, NULL, "m/s",
     "formulas of the components, \"u,v[,w]\" (0 unless given)"},
    {"pressure", RHX_STRING, 0, SLOT(pressure), "", RHX_ANY, 0, 0, NULL, "Pa",
     "formula (unless given that of a fluid at rest: of outlets, harmonic between them or, under a body force, "
     "hydrostatic; its mean 0 without)"},
    {"stress", RHX_STRING, 0, SLOT(stress), "", RHX_ANY, 0, 0, NULL, "unit of the unknown",
     "formulas of the unknown of -polymer_variable (at rest unless given), components as in -bc_<label>_stress; modes "
     "separated by ';'"},
    {"conformation", RHX_STRING, 0, SLOT(conformation), "", RHX_ANY, 0, 0, NULL, "1",
     "formulas of the conformation in place of -initial_stress"},
    {"perturbation", RHX_REAL, 0, SLOT(perturbation), "0", RHX_GE, 0, 0, NULL, "SI",
     "amplitude of noise added to every velocity, pressure and conformation component; the same on any number of "
     "ranks"},
};
#undef SLOT
const RhxOptionTable RhxInitialTable = {"initial", "initial_", sizeof(initial_rows) / sizeof(initial_rows[0]),
                                        initial_rows};

#define SLOT(member) offsetof(RhxSourceOptions, member)
static const RhxRow source_rows[] = {
    {"body_force", RHX_STRING, 0, SLOT(body_force), "", RHX_ANY, 0, 0, NULL, "N/m^3",
     "formulas of the components in x, y, z, t, \"fx,fy[,fz]\", such as gravity, rho g"},
    {"mean_velocity", RHX_STRING, 0, SLOT(mean_velocity), "", RHX_ANY, 0, 0, NULL, "m/s",
     "mean over a periodic domain of the velocity along -form_mean_direction, kept by a uniform force that is found, "
     "step by step or with the flow (steady, monolithic): a formula in t, or a waveform, the path of a .csv file with "
     "rows "
     "\"time,value\" of one period"},
    RHX_WAVEFORM_ROWS("mean_velocity", SLOT(mean_velocity_rows), "m/s", "0.01 for cm/s"),
    {"mean_direction", RHX_STRING, 0, SLOT(mean_direction), RHX_MEAN_DIRECTION, RHX_ANY, 0, 0, NULL, "1",
     "direction of that mean and its force, \"ex,ey[,ez]\"; components left out are 0"},
    {"source_velocity", RHX_STRING, 0, SLOT(velocity), "", RHX_ANY, 0, 0, NULL, "N/m^3",
     "source of momentum, added to the body force (manufactured solutions)"},
    {"source_pressure", RHX_STRING, 0, SLOT(pressure), "", RHX_ANY, 0, 0, NULL, "1/s",
     "source of continuity: div u = source"},
    {"source_stress", RHX_STRING, 0, SLOT(stress), "", RHX_ANY, 0, 0, NULL, "unit of the unknown/s",
     "source of the unknown's transport equation, whose rate has coefficient 1; components as in -bc_<label>_stress; "
     "modes separated by ';'"},
};
#undef SLOT
const RhxOptionTable RhxSourceTable = {"form", "form_", sizeof(source_rows) / sizeof(source_rows[0]), source_rows};

const char *RhxTensorNames(PetscInt ntens)
{
  return ntens == 3 ? "xx,yy,xy" : ntens == 4 ? "xx,yy,zz,xy" : "xx,yy,zz,yz,xz,xy";
}

const char *RhxVectorNames(PetscInt dim) { return dim == 2 ? "u,v" : "u,v,w"; }

PetscErrorCode RhxBoundaryRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&RhxConditionTable));
  PetscCall(RhxOptionTableRegister(&RhxInitialTable));
  PetscCall(RhxOptionTableRegister(&RhxSourceTable));
  for (size_t i = 0; i < sizeof(own_types) / sizeof(*own_types); i++) PetscCall(RhxConditionRegister(own_types[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionRegister(const RhxConditionType *type)
{
  const struct {
    unsigned flag;
    const char *name;
    PetscBool has;
  } given[] = {{RHX_TYPE_VELOCITY, "velocity", (PetscBool)(type->velocity != NULL)},
               {RHX_TYPE_PRESSURE, "pressure", (PetscBool)(type->pressure != NULL)},
               {RHX_TYPE_STRESS, "stress", (PetscBool)(type->stress != NULL)},
               {RHX_TYPE_TRACTION, "traction", (PetscBool)(type->traction != NULL)},
               {RHX_TYPE_SWIRL, "swirl", (PetscBool)(type->swirl != NULL)}};

  PetscFunctionBegin;
  PetscCall(RhxCatalogueAdd(&RhxConditionTypes, type));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(given); k++) {
    const PetscBool says = (PetscBool)((type->flags & given[k].flag) != 0);
    PetscCheck(!says || given[k].has, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "Condition '%s' has no function %s, which its flags say it gives", type->entry.name, given[k].name);
    PetscCheck(says || !given[k].has || type->gives, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "Condition '%s' has the function %s, which its flags do not say, so that nobody asks for it; expected "
               "the flag too",
               type->entry.name, given[k].name);
  }
  PetscCall(RhxCatalogueAddRows(&RhxConditionTypes, type->entry.name, RhxConditionTable.topic, RhxConditionTable.prefix,
                                type->nrows, type->rows, type->size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RhxConditionType *type_at(PetscInt i) { return (const RhxConditionType *)RhxConditionTypes.entry[i]; }

/* Is `word` one of the words of `list`, which begins and ends with a blank? */
static PetscBool has_word(const char *list, const char *word)
{
  const size_t n = strlen(word);
  for (const char *at = list; at && (at = strstr(at, word)); at += n)
    if (at > list && at[-1] == ' ' && at[n] == ' ') return PETSC_TRUE;
  return PETSC_FALSE;
}

/* What an option of a type takes. */
static void describe(const RhxConditionType *type, const RhxRow *row, char *out, size_t size)
{
  if (row->kind == RHX_STRING)
    snprintf(out, size, strcmp(row->unit, "1") ? "text (%s)" : "text", row->unit);
  else if (!strcmp(row->name, "polymer"))
    snprintf(out, size, "one of%.*s", (int)strlen(type->polymer) - 1, type->polymer);
  else
    RhxRowDescribe(row, out, size);
}

static PetscErrorCode view_row(const RhxConditionType *type, const char *label, const RhxRow *row, PetscViewer viewer)
{
  char takes[256];

  PetscFunctionBegin;
  describe(type, row, takes, sizeof(takes));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  -bc_%s_%s: %s; default %s; %s\n", label, row->name, takes,
                                   row->value && row->value[0] ? row->value : "none", row->help));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its own options first. */
static PetscErrorCode view_type(const RhxConditionType *type, const char *label, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %s\n", type->entry.name, type->entry.help));
  for (int j = 0; j < type->nrows; j++) PetscCall(view_row(type, label, &type->rows[j], viewer));
  for (PetscInt j = 1; j < nconditionrows; j++)
    if (has_word(type->shared, condition_rows[j].name)) PetscCall(view_row(type, label, &condition_rows[j], viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RhxEntry *RhxBoundaryTypeEntry(PetscInt i) { return RhxCatalogueEntry(&RhxConditionTypes, i); }

PetscBool RhxBoundaryHasType(const char *name) { return RhxCatalogueHas(&RhxConditionTypes, name); }

PetscErrorCode RhxBoundaryTypesView(const char *name, PetscViewer viewer)
{
  const void *one = NULL;

  PetscFunctionBegin;
  if (name)
    PetscCall(
        RhxCatalogueFind(PetscObjectComm((PetscObject)viewer), &RhxConditionTypes, "list boundary", name, "", &one));
  for (PetscInt i = 0; i < RhxConditionTypes.n; i++) {
    const RhxConditionType *type = type_at(i);
    if (one && one != type) continue;
    PetscCall(view_type(type, "<label>", viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Names of what each takes. */
static PetscErrorCode view_names(const char *label, PetscViewer viewer)
{
  char known[1024];

  PetscFunctionBegin;
  RhxCatalogueList(&RhxConditionTypes, sizeof(known), known);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  -bc_%s_type: one of %s; -bc_%s_... by it (rheoplex --help <type>):\n",
                                   label, known, label));
  for (PetscInt i = 0; i < RhxConditionTypes.n; i++) {
    const RhxConditionType *type = type_at(i);
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s:", type->entry.name));
    for (int j = 0; j < type->nrows; j++) PetscCall(PetscViewerASCIIPrintf(viewer, " %s", type->rows[j].name));
    for (PetscInt j = 1; j < nconditionrows; j++)
      if (has_word(type->shared, condition_rows[j].name))
        PetscCall(PetscViewerASCIIPrintf(viewer, " %s", condition_rows[j].name));
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryLabelView(const char *label, PetscViewer viewer)
{
  const RhxConditionType *best = NULL;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < RhxConditionTypes.n; i++) {
    const char *name = type_at(i)->entry.name;
    if (!strncmp(label, name, strlen(name)) && (!best || strlen(name) > strlen(best->entry.name))) best = type_at(i);
  }
  if (best) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "-bc_%s_type ", label));
    PetscCall(view_type(best, label, viewer));
  } else
    PetscCall(view_names(label, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxBoundaryLabelsText(RhxBoundary bc, char *text, size_t size)
{
  size_t length = 0;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(text, bc->ncond ? "labels:" : "the mesh has no labelled boundary faces", size));
  for (PetscInt i = 0; i < bc->ncond && length < size; i++) {
    const RhxCondition *c = &bc->cond[i];
    length = strlen(text);
    snprintf(text + length, size - length, "%s %s (%d faces, %s)", i ? "," : "", c->label, (int)c->nfaces,
             c->opt && c->opt->type[0] ? c->opt->type : "no condition");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Length of "_<row>" of one of the rows at the end of an option, 0: none. */
static size_t row_of_option(const char *option, PetscInt nrows, const RhxRow *rows)
{
  size_t best = 0, length = strlen(option);
  for (PetscInt j = 0; j < nrows; j++) {
    size_t n = strlen(rows[j].name) + 1; /* with '_' */
    if (length < 3 + 1 + n || n <= best) continue;
    if (option[length - n] == '_' && !strcmp(option + length - n + 1, rows[j].name)) best = n;
  }
  return best;
}

static PetscBool is_row(const char *name)
{
  PetscBool is = PETSC_FALSE;
  for (PetscInt j = 0; j < nconditionrows; j++) is = (PetscBool)(is || !strcmp(condition_rows[j].name, name));
  for (PetscInt i = 0; i < RhxConditionTypes.n; i++)
    for (int j = 0; j < type_at(i)->nrows; j++) is = (PetscBool)(is || !strcmp(type_at(i)->rows[j].name, name));
  return is;
}

/* Is the option "bc_<label>_<row>" of one of the labels? */
static PetscBool is_of_known_label(RhxBoundary bc, const char *option)
{
  for (PetscInt i = 0; i < bc->ncond; i++) {
    const char *label = bc->cond[i].label;
    const size_t n = strlen(label);
    if (!strncmp(option + 3, label, n) && option[3 + n] == '_' && is_row(option + 4 + n)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The label of an option "bc_<label>_<row>", FALSE if the option has not this form. */
static PetscBool label_of_option(RhxBoundary bc, const char *option, char label[RHX_NAME_LENGTH])
{
  size_t best = row_of_option(option, nconditionrows, condition_rows), length = strlen(option);
  for (PetscInt i = 0; i < RhxConditionTypes.n; i++)
    best = PetscMax(best, row_of_option(option, type_at(i)->nrows, type_at(i)->rows));
  for (PetscInt k = 0; k < bc->form->nscalars; k++) {
    const RhxRow row = {.name = bc->form->scalar[k].row->name};
    best = PetscMax(best, row_of_option(option, 1, &row));
  }
  if (!best || length - 3 - best >= RHX_NAME_LENGTH) return PETSC_FALSE;
  memcpy(label, option + 3, length - 3 - best);
  label[length - 3 - best] = 0;
  return PETSC_TRUE;
}

/* Is it one of the labels "a,b;c,d" of -mesh_periodic, whose faces are inner ones since? */
static PetscErrorCode is_joined(const char *label, PetscBool *joined)
{
  char pairs[RHX_STRING_LENGTH] = "";

  PetscFunctionBegin;
  *joined = PETSC_FALSE;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mesh_periodic", pairs, sizeof(pairs), NULL));
  for (char *at = strtok(pairs, ",; "); at; at = strtok(NULL, ",; "))
    if (!strcmp(at, label)) *joined = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionCheckLabels(RhxBoundary bc)
{
  char *all, *at, option[512], label[RHX_NAME_LENGTH], text[1024];
  PetscInt n, inner;
  PetscBool joined;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  for (at = strstr(all, "-bc_"); at; at = strstr(at + 1, "-bc_")) {
    size_t length = strcspn(at, " \n\t");
    PetscBool known = PETSC_FALSE;
    if ((at != all && at[-1] != ' ') || length >= sizeof(option)) continue;
    memcpy(option, at + 1, length - 1);
    option[length - 1] = 0;
    if (is_of_known_label(bc, option) || !label_of_option(bc, option, label)) continue;
    for (PetscInt i = 0; i < bc->ncond; i++)
      if (!strcmp(bc->cond[i].label, label)) known = PETSC_TRUE;
    if (known) continue;
    PetscCall(PetscFree(all));
    PetscCall(RhxMeshGetLabelFaceCount(bc->space->mesh, label, &n));
    PetscCall(RhxMeshGetLabelInnerFaceCount(bc->space->mesh, label, &inner));
    PetscCall(RhxBoundaryLabelsText(bc, text, sizeof(text)));
    PetscCheck(inner == 0, bc->comm, PETSC_ERR_ARG_WRONG,
               "-%s: got a condition for the label '%s', whose %" PetscInt_FMT
               " faces lie inside the domain; expected a label with boundary faces; %s",
               option, label, inner, text);
    PetscCall(is_joined(label, &joined));
    PetscCheck(
        !joined || n, bc->comm, PETSC_ERR_ARG_WRONG,
        "-%s: got a condition for the label '%s', which -mesh_periodic joins to its other side, so that it has 0 "
        "boundary faces; expected no condition of it, or -mesh_periodic without it; %s",
        option, label, text);
    SETERRQ(bc->comm, PETSC_ERR_ARG_WRONG,
            "-%s: got a condition for the label '%s', which has %" PetscInt_FMT
            " boundary faces; expected a label with boundary faces; %s",
            option, label, n, text);
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_type(RhxBoundary bc, RhxCondition *c)
{
  const void *type;
  char known[1024], text[1024], option[256], tail[1100];

  PetscFunctionBegin;
  PetscCall(RhxBoundaryLabelsText(bc, text, sizeof(text)));
  RhxCatalogueList(&RhxConditionTypes, sizeof(known), known);
  PetscCheck(c->opt->type[0], bc->comm, PETSC_ERR_ARG_WRONG,
             "boundary label '%s' has %" PetscInt_FMT
             " faces and no condition; expected -bc_%s_type with one of %s; %s",
             c->label, c->nfaces, c->label, known, text);
  PetscCheck(!strpbrk(c->opt->type, ", "), bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_type: got two conditions '%s' for one label, expected one of %s; %s", c->label, c->opt->type,
             known, text);
  PetscCall(PetscSNPrintf(option, sizeof(option), "bc_%s_type", c->label));
  PetscCall(PetscSNPrintf(tail, sizeof(tail), "; %s", text));
  PetscCall(RhxCatalogueFind(bc->comm, &RhxConditionTypes, option, c->opt->type, tail, &type));
  c->type = type;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool has_row(const RhxConditionType *type, const char *name)
{
  for (int j = 0; j < type->nrows; j++)
    if (!strcmp(type->rows[j].name, name)) return PETSC_TRUE;
  return has_word(type->shared, name);
}

/* An option of a label that is one of another too, as pressure of 'art_distal' is distal_pressure of 'art'. */
static PetscErrorCode check_one_label(const RhxCondition *c, const char *name)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->bc->ncond; i++) {
    const char *other = c->bc->cond[i].label;
    const size_t own = strlen(c->label), more = strlen(other);
    if (more <= own || strncmp(other, c->label, own) || other[own] != '_') continue;
    if (strncmp(name, other + own + 1, more - own - 1) || name[more - own - 1] != '_') continue;
    PetscCheck(!is_row(name + more - own), c->bc->comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_%s: got an option that is %s of the label '%s' and %s of the label '%s', expected one of them: "
               "rename a label",
               c->label, name, name, c->label, name + more - own, other);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An option given for the label that its type does not take. */
static PetscErrorCode check_row(RhxCondition *c, const char *name, PetscBool *set)
{
  char option[256], list[1024];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_%s", c->label, name));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, set));
  if (!*set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_one_label(c, name));
  if (has_row(c->type, name)) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(list, sizeof(list), "%s", c->type->shared);
  for (int j = 0; j < c->type->nrows; j++)
    snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s ", c->type->rows[j].name);
  SETERRQ(c->bc->comm, PETSC_ERR_ARG_WRONG, "%s: got an option that the type %s does not take; expected one of:%s",
          option, c->type->entry.name, list);
}

static PetscErrorCode check_rows(RhxCondition *c)
{
  static const char *const names[] = {"auto", "developed", "formula", "rest", "free", "zero", "open"};
  PetscBool set;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < nconditionrows; j++) {
    PetscCall(check_row(c, condition_rows[j].name, &set));
    if (set && !strcmp(condition_rows[j].name, "polymer") && c->opt->polymer)
      PetscCheck(has_word(c->type->polymer, names[c->opt->polymer]), c->bc->comm, PETSC_ERR_ARG_WRONG,
                 "-bc_%s_polymer: got '%s', which is not for an %s; expected one of:%s", c->label,
                 names[c->opt->polymer], c->type->entry.name, c->type->polymer);
    PetscCheck(!set || strcmp(condition_rows[j].name, "stress") || !c->opt->stress[0] || c->bc->form->nmodes,
               c->bc->comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_stress: got formulas for a flow without polymer, expected a polymeric law in -physics, or none",
               c->label);
  }
  for (PetscInt i = 0; i < RhxConditionTypes.n; i++)
    for (int j = 0; j < type_at(i)->nrows; j++) PetscCall(check_row(c, type_at(i)->rows[j].name, &set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionRead(RhxBoundary bc, RhxCondition *c)
{
  char prefix[RHX_OPTION_LENGTH];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "bc_%s_", c->label));
  PetscCall(PetscNew(&c->opt));
  PetscCall(RhxOptionTableRead(bc->comm, &RhxConditionTable, prefix, c->opt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type's own options and its state. */
static PetscErrorCode create_own(RhxCondition *c)
{
  const RhxConditionType *type = c->type;
  char prefix[RHX_OPTION_LENGTH];

  PetscFunctionBegin;
  PetscCall(PetscCalloc(type->size, &c->own));
  PetscCall(PetscCalloc1(2 * type->nstate + 1, &c->kept));
  c->kept[2 * type->nstate] = PETSC_MIN_REAL;
  c->state = c->kept;
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "bc_%s_", c->label));
  PetscCall(RhxRowsRead(c->bc->comm, prefix, type->nrows, type->rows, 1, type->size, c->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionBecome(RhxCondition *c, const RhxConditionType *type)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(c->own));
  PetscCall(PetscFree(c->kept));
  c->type = type;
  PetscCall(create_own(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionCheck(RhxBoundary bc, RhxCondition *c)
{
  PetscFunctionBegin;
  PetscCall(find_type(bc, c));
  PetscCall(check_rows(c));
  PetscCall(create_own(c));
  if (c->type->check) PetscCall(c->type->check(c));
  c->gives = c->type->gives ? c->type->gives(c) : c->type->flags;
  PetscCall(RhxConditionReadScalars(bc, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
