/* Types of conditions, the option tables of the room, and the checks of what a label was given. */
#include "boundary/boundary_impl.h"
#include <stddef.h>

static const RhxConditionType types[] = {
    {"wall", "no slip: u = 0", 0, RHX_TYPE_VELOCITY | RHX_TYPE_NO_SLIP, " type ", ""},
    {"moving_wall", "wall with a given velocity", 1, RHX_TYPE_VELOCITY | RHX_TYPE_NO_SLIP, " type velocity ramp ", ""},
    {"inlet", "given velocity, and the polymer's unknown", 2, RHX_TYPE_VELOCITY | RHX_TYPE_STRESS | RHX_TYPE_INWARD,
     " type velocity profile mean_velocity maximum_velocity polymer stress pressure ramp ",
     " developed formula rest free "},
    {"symmetry", "plane of symmetry: normal velocity and shear components of the tensors are zero", 3,
     RHX_TYPE_SYMMETRY, " type ", ""},
    {"outlet", "given pressure and polymer traction, no viscous traction", 4, RHX_TYPE_PRESSURE | RHX_TYPE_OPEN,
     " type pressure form polymer velocity profile mean_velocity maximum_velocity ramp ", " developed zero "},
};
enum { ntypes = sizeof(types) / sizeof(types[0]) };

#define SLOT(member) offsetof(RhxConditionOptions, member)
static const RhxRow condition_rows[] = {
    {"type", RHX_STRING, 0, SLOT(type), "", RHX_ANY, 0, 0, NULL, "1",
     "condition of the label: wall, moving_wall, inlet, symmetry or outlet"},
    {"velocity", RHX_STRING, 0, SLOT(velocity), "", RHX_ANY, 0, 0, NULL, "m/s",
     "formulas of the components in x, y, z, t, \"u,v[,w]\" (outlet: of the profile whose polymer traction is "
     "prescribed); "
     "on the command line one that begins with '-' needs a blank before it"},
    {"profile", RHX_CHOICE, 0, SLOT(profile), "formula", RHX_ANY, 0, 0, "formula|parabolic", "1",
     "velocity by formula, or a parabola normal to the label: between its ends (from an end on a symmetry plane) in "
     "2D, "
     "over its circle in 3D"},
    {"mean_velocity", RHX_REAL, 0, SLOT(mean_velocity), "none", RHX_GE, 0, 0, "none", "m/s", "mean of the parabola"},
    {"maximum_velocity", RHX_REAL, 0, SLOT(maximum_velocity), "none", RHX_GE, 0, 0, "none", "m/s",
     "maximum of the parabola"},
    {"polymer", RHX_CHOICE, 0, SLOT(polymer), "developed", RHX_ANY, 0, 0, "developed|formula|rest|free|zero", "1",
     "inlet: developed (steady state of the law in the profile's gradient), formula, rest or free; outlet: traction of "
     "the developed stress, or zero"},
    {"stress", RHX_STRING, 0, SLOT(stress), "", RHX_ANY, 0, 0, NULL, "unit of the unknown",
     "formulas of the unknown of -polymer_variable with polymer formula, 2D \"xx,yy,xy\" (with out-of-plane component "
     "\"xx,yy,zz,xy\"), 3D \"xx,yy,zz,yz,xz,xy\"; modes separated by ';'"},
    {"pressure", RHX_STRING, 0, SLOT(pressure), "", RHX_ANY, 0, 0, NULL, "Pa",
     "formula of the pressure (outlet: 0 unless given; inlet: free unless given)"},
    {"form", RHX_CHOICE, 0, SLOT(form), "gradient", RHX_ANY, 0, 0, "gradient|symmetric", "1",
     "viscous traction that is zero at an outlet: eta_s grad(u).n or 2 eta_s D(u).n"},
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
    {"pressure", RHX_STRING, 0, SLOT(pressure), "", RHX_ANY, 0, 0, NULL, "Pa", "formula (0 unless given)"},
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
     "formulas of the components in x, y, z, t, \"fx,fy[,fz]\""},
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is `word` one of the words of `list`, which begins and ends with a blank? */
static PetscBool has_word(const char *list, const char *word)
{
  char key[160];
  snprintf(key, sizeof(key), " %s ", word);
  return strstr(list, key) ? PETSC_TRUE : PETSC_FALSE;
}

/* What an option of a type takes. */
static void describe(const RhxConditionType *type, const RhxRow *row, char *out, size_t size)
{
  if (row->kind == RHX_STRING)
    snprintf(out, size, "formulas (%s)", row->unit);
  else if (!strcmp(row->name, "polymer"))
    snprintf(out, size, "one of%.*s", (int)strlen(type->polymer) - 1, type->polymer);
  else
    RhxRowDescribe(row, out, size);
}

PetscErrorCode RhxBoundaryTypesView(PetscViewer viewer)
{
  char takes[256];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < ntypes; i++) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %s\n", types[i].name, types[i].help));
    for (PetscInt j = 1; j < nconditionrows; j++) {
      const RhxRow *row = &condition_rows[j];
      if (!has_word(types[i].rows, row->name)) continue;
      describe(&types[i], row, takes, sizeof(takes));
      PetscCall(PetscViewerASCIIPrintf(viewer, "  -bc_<label>_%s: %s; default %s; %s\n", row->name, takes,
                                       row->value[0] ? row->value : "none", row->help));
    }
  }
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

/* The label of an option "bc_<label>_<row>", FALSE if the option has not this form. */
static PetscBool label_of_option(const char *option, char label[128])
{
  size_t best = 0, length = strlen(option);
  for (PetscInt j = 0; j < nconditionrows; j++) {
    size_t n = strlen(condition_rows[j].name) + 1; /* with '_' */
    if (length < 3 + 1 + n || n <= best) continue;
    if (option[length - n] == '_' && !strcmp(option + length - n + 1, condition_rows[j].name)) best = n;
  }
  if (!best || length - 3 - best >= 128) return PETSC_FALSE;
  memcpy(label, option + 3, length - 3 - best);
  label[length - 3 - best] = 0;
  return PETSC_TRUE;
}

PetscErrorCode RhxConditionCheckLabels(RhxBoundary bc)
{
  char *all, *at, option[512], label[128], text[1024];
  PetscInt n, inner;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  for (at = strstr(all, "-bc_"); at; at = strstr(at + 1, "-bc_")) {
    size_t length = strcspn(at, " \n\t");
    PetscBool known = PETSC_FALSE;
    if ((at != all && at[-1] != ' ') || length >= sizeof(option)) continue;
    memcpy(option, at + 1, length - 1);
    option[length - 1] = 0;
    if (!label_of_option(option, label)) continue;
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
  const char *names[ntypes], *nearest;
  char known[256] = "", text[1024];

  PetscFunctionBegin;
  PetscCall(RhxBoundaryLabelsText(bc, text, sizeof(text)));
  for (PetscInt i = 0; i < ntypes; i++) {
    names[i] = types[i].name;
    snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", i ? ", " : "", names[i]);
  }
  PetscCheck(c->opt->type[0], bc->comm, PETSC_ERR_ARG_WRONG,
             "boundary label '%s' has %" PetscInt_FMT
             " faces and no condition; expected -bc_%s_type with one of %s; %s",
             c->label, c->nfaces, c->label, known, text);
  PetscCheck(!strpbrk(c->opt->type, ", "), bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_type: got two conditions '%s' for one label, expected one of %s; %s", c->label, c->opt->type,
             known, text);
  for (PetscInt i = 0; i < ntypes; i++)
    if (!strcmp(types[i].name, c->opt->type)) c->type = &types[i];
  if (c->type) PetscFunctionReturn(PETSC_SUCCESS);
  nearest = RhxNearest(c->opt->type, ntypes, names);
  SETERRQ(bc->comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "-bc_%s_type: unknown condition '%s'%s%s%s; expected one of %s; %s",
          c->label, c->opt->type, nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "", known,
          text);
}

/* Options given for the label that its type does not take. */
static PetscErrorCode check_rows(RhxBoundary bc, RhxCondition *c)
{
  char option[256];
  PetscBool set;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < nconditionrows; j++) {
    PetscCall(PetscSNPrintf(option, sizeof(option), "-bc_%s_%s", c->label, condition_rows[j].name));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
    PetscCheck(!set || has_word(c->type->rows, condition_rows[j].name), bc->comm, PETSC_ERR_ARG_WRONG,
               "%s: got an option that a %s does not take; expected one of:%s", option, c->type->name, c->type->rows);
    if (!strcmp(condition_rows[j].name, "polymer") && set) {
      static const char *const names[] = {"developed", "formula", "rest", "free", "zero"};
      PetscCheck(has_word(c->type->polymer, names[c->opt->polymer]), bc->comm, PETSC_ERR_ARG_WRONG,
                 "%s: got '%s', which is not for an %s; expected one of:%s", option, names[c->opt->polymer],
                 c->type->name, c->type->polymer);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The velocity is given exactly once: by formula, or as a parabola with one of its two measures. */
static PetscErrorCode check_velocity(RhxBoundary bc, RhxCondition *c)
{
  const RhxConditionOptions *o = c->opt;
  PetscBool mean = (PetscBool)(o->mean_velocity >= 0), maximum = (PetscBool)(o->maximum_velocity >= 0);
  PetscBool wall = PetscNot(c->type->flags & (RHX_TYPE_STRESS | RHX_TYPE_OPEN));

  PetscFunctionBegin;
  if (o->profile == RHX_PROFILE_PARABOLIC) {
    PetscCheck(mean != maximum, bc->comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_profile parabolic: got %s, expected exactly one of -bc_%s_mean_velocity and "
               "-bc_%s_maximum_velocity",
               c->label, mean ? "both the mean and the maximum" : "neither mean nor maximum", c->label, c->label);
    PetscCheck(!o->velocity[0], bc->comm, PETSC_ERR_ARG_WRONG,
               "-bc_%s_velocity: got formulas and -bc_%s_profile parabolic, expected one of the two", c->label,
               c->label);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(!mean && !maximum, bc->comm, PETSC_ERR_ARG_WRONG,
             "-bc_%s_%s: expected -bc_%s_profile parabolic with it, got profile formula", c->label,
             mean ? "mean_velocity" : "maximum_velocity", c->label);
  if (o->velocity[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!wall, bc->comm, PETSC_ERR_ARG_WRONG,
             "label '%s' is a %s without a velocity; expected -bc_%s_velocity \"%s\"", c->label, c->type->name,
             c->label, RhxVectorNames(bc->space->dim));
  PetscCheck(
      !(c->type->flags & RHX_TYPE_VELOCITY), bc->comm, PETSC_ERR_ARG_WRONG,
      "label '%s' is an %s without a velocity; expected -bc_%s_velocity \"%s\", or -bc_%s_profile parabolic with "
      "-bc_%s_mean_velocity or -bc_%s_maximum_velocity",
      c->label, c->type->name, c->label, RhxVectorNames(bc->space->dim), c->label, c->label, c->label);
  PetscCheck(o->polymer != RHX_POLYMER_DEVELOPED || !bc->form->nmodes, bc->comm, PETSC_ERR_ARG_WRONG,
             "label '%s' is an %s with -bc_%s_polymer developed and no profile; expected -bc_%s_velocity \"%s\", or "
             "-bc_%s_profile parabolic with -bc_%s_mean_velocity or -bc_%s_maximum_velocity, or -bc_%s_polymer zero",
             c->label, c->type->name, c->label, c->label, RhxVectorNames(bc->space->dim), c->label, c->label, c->label,
             c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_stress(RhxBoundary bc, RhxCondition *c)
{
  const RhxConditionOptions *o = c->opt;

  PetscFunctionBegin;
  if (!bc->form->nmodes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck((o->polymer == RHX_POLYMER_FORMULA) == (o->stress[0] != 0), bc->comm, PETSC_ERR_ARG_WRONG,
             o->stress[0] ? "-bc_%s_stress: got formulas, expected -bc_%s_polymer formula with them"
                          : "-bc_%s_polymer formula: got no formulas, expected -bc_%s_stress",
             c->label, c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionRead(RhxBoundary bc, RhxCondition *c)
{
  char prefix[160];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "bc_%s_", c->label));
  PetscCall(PetscNew(&c->opt));
  PetscCall(RhxOptionTableRead(bc->comm, &RhxConditionTable, prefix, c->opt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConditionCheck(RhxBoundary bc, RhxCondition *c)
{
  PetscFunctionBegin;
  PetscCall(find_type(bc, c));
  PetscCall(check_rows(bc, c));
  if (has_word(c->type->rows, "velocity")) PetscCall(check_velocity(bc, c));
  if (c->type->flags & RHX_TYPE_STRESS) PetscCall(check_stress(bc, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
