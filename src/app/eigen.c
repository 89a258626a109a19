#include "app/eigen.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include <stdlib.h>

typedef struct {
  int number, restarts, modes, adjoint, method;
  double steady_tol, critical_tol, progress, perturbed;
  char shifts[RHX_STRING_LENGTH], critical[RHX_STRING_LENGTH];
} EigenOptions;

enum { BY_FACTORS, BY_STEPPER };

#define SLOT(member) offsetof(EigenOptions, member)
static const RhxRow eigen_rows[] = {
    {"shifts", RHX_STRING, 0, SLOT(shifts), "0", RHX_ANY, 0, 0, NULL, "1/s",
     "numbers near which eigenmodes are looked for, comma-separated, such as 0,-0.1+0.24i: growth rate and angular "
     "frequency"},
    {"number", RHX_INT, 0, SLOT(number), "4", RHX_GE, 1, 0, NULL, "1", "eigenmodes a shift"},
    {"method", RHX_CHOICE, 0, SLOT(method), "factors", RHX_ANY, 0, 0, "factors|stepper", "",
     "factors: shift-invert by direct factors in which projections are unknowns; stepper: the same solved by products "
     "and the preconditioner of -solver, at a real shift steps of backward Euler of length 1/shift, for meshes whose "
     "factors do not fit into the memory; without adjoint modes"},
    {"restarts", RHX_INT, 0, SLOT(restarts), "100", RHX_GE, 1, 0, NULL, "1",
     "restarts of the Krylov-Schur method, at most"},
    {"progress", RHX_REAL, 0, SLOT(progress), "10", RHX_GE, 0, 0, NULL, "s",
     "a line tells how far the Krylov-Schur method is whenever so long has passed; 0: at each restart"},
    {"modes", RHX_INT, 0, SLOT(modes), "1", RHX_GE, 0, 0, NULL, "1",
     "eigenmodes a shift, the nearest, whose -output_fields are written: <case>_mode_real_<mode>.vtu and "
     "<case>_mode_imaginary_<mode>.vtu, derivatives of the fields along the eigenmode, of whose velocity the largest "
     "component is 1 "
     "m/s"},
    {"perturbed", RHX_REAL, 0, SLOT(perturbed), "0", RHX_GE, 0, 0, NULL, "1",
     "> 0: checkpoints <case>_perturbed_<mode>.h5 of the state and so many times the real parts of -eigen_modes, from "
     "which unsteady runs begin by -case_restart"},
    {"adjoint", RHX_BOOL, 0, SLOT(adjoint), "false", RHX_ANY, 0, 0, NULL, "",
     "adjoint modes too: <case>_adjoint_<mode>.vtu holds their fields and the structural sensitivity, the largest "
     "change "
     "of the value by a force beside a velocity"},
    {"critical", RHX_STRING, 0, SLOT(critical), "", RHX_ANY, 0, 0, NULL, "",
     "a parameter of a law (of modes with values of their own that of the largest, to which the others keep their "
     "ratios) "
     "or a stabiliser, form_density, or t, the time of conditions and sources, of a continuation in t, and two values, "
     "such as physics_newtonian_viscosity=0.02:0.025: the value at "
     "which the "
     "growth "
     "rate is 0 (a bifurcation: a pitchfork or fold of frequency 0, else of Hopf) is found by the secant method, for "
     "the fastest eigenmode near the first shift, and eigenmodes are "
     "about the "
     "state "
     "there"},
    {"critical_tol", RHX_REAL, 0, SLOT(critical_tol), "1e-6", RHX_GT, 0, 0, NULL, "1",
     "the last step of -eigen_critical over the value, at most"},
    {"steady_tol", RHX_REAL, 0, SLOT(steady_tol), "1e-8", RHX_GT, 0, 0, NULL, "1",
     "residual of the state over that at rest with what is given, at most: a state beyond it is not steady"},
};
static const RhxOptionTable eigen_table = {"eigen", "eigen_", PETSC_STATIC_ARRAY_LENGTH(eigen_rows), eigen_rows};

PetscErrorCode RhxAppEigenRegisterOptions(void)
{
  PetscFunctionBegin;
  PetscCall(RhxOptionTableRegister(&eigen_table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppEigenPassOver(void)
{
  EigenOptions o;
  PetscBool given = PETSC_FALSE;
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(eigen_rows) && !given; k++) {
    char option[64];
    PetscCall(PetscSNPrintf(option, sizeof(option), "-eigen_%s", eigen_rows[k].name));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &given));
  }
  if (given) PetscCall(RhxOptionTableRead(PETSC_COMM_WORLD, &eigen_table, NULL, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Shifts ---- */

/* a, a+bi or bi; returns what follows, or NULL. */
static const char *read_shift(const char *text, double shift[2])
{
  char *end;
  shift[1] = 0.0;
  shift[0] = strtod(text, &end);
  if (end == text) return NULL;
  if (*end == 'i') {
    shift[1] = shift[0];
    shift[0] = 0.0;
    return end + 1;
  }
  if (*end != '+' && *end != '-') return end;
  text = end;
  shift[1] = strtod(text, &end);
  return end == text || *end != 'i' ? NULL : end + 1;
}

static PetscErrorCode read_shifts(const char *text, PetscInt *n, double (**shift)[2])
{
  const char *at = text;
  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscMalloc1(strlen(text) + 1, shift));
  for (;; at++) {
    double *s = (*shift)[(*n)++];
    at = read_shift(at, s);
    PetscCheck(at && (!*at || *at == ',') && PetscIsNormalReal(1.0 + PetscAbs(s[0]) + PetscAbs(s[1])), PETSC_COMM_WORLD,
               PETSC_ERR_USER_INPUT,
               "-eigen_shifts: got '%s', expected finite numbers (1/s) separated by commas, such as 0,-0.1+0.24i",
               text);
    if (!*at) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The state ---- */

/* That of the checkpoint as it is, or what the scheme finds. */
static PetscErrorCode find_state(RhxCase rc)
{
  PetscBool restart;
  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-case_restart", &restart));
  if (restart)
    PetscCall(RhxCaseLoad(rc));
  else
    PetscCall(RhxCaseRun(rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_steady(RhxSpectrum spectrum, double tolerance)
{
  double residual;
  PetscFunctionBegin;
  PetscCall(RhxSpectrumGetResidual(spectrum, &residual));
  PetscCheck(
      residual <= tolerance, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
      "rheoplex eigen: the state is not steady: got a residual of %.3g of that at rest with what is given, expected at "
      "most %g (-eigen_steady_tol; `rheoplex run` with -scheme steady finds one from it)",
      residual, tolerance);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Modes ---- */

static const char *const columns[] = {"mode",     "shift_real", "shift_imaginary", "growth_rate", "angular_frequency",
                                      "residual", "roughness",  "adjoint_residual"};

static PetscErrorCode tell(RhxTable table, PetscInt number, const double shift[2], const RhxEigenmode *m)
{
  const double row[] = {(double)number, shift[0],    shift[1],     m->value[0],
                        m->value[1],    m->residual, m->roughness, m->adjoint_residual};
  char problem[RHX_MESSAGE], rough[32] = "";
  PetscFunctionBegin;
  if (m->roughness > RHX_ROUGH) snprintf(rough, sizeof(rough), "  roughness %.2f", m->roughness);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%6" PetscInt_FMT "  %18.10g  %18.10g  %10.2e%s\n", number, m->value[0],
                        m->value[1], m->residual, rough));
  PetscCall(RhxTableWrite(table, row, problem));
  PetscCheck(!problem[0], PETSC_COMM_WORLD, PETSC_ERR_FILE_WRITE, "%s", problem);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fields of real and imaginary parts, in the case's folder. */
static PetscErrorCode create_outputs(RhxCase rc, Vec base, RhxOutput output[2])
{
  static const char *const parts[] = {"real", "imaginary"};
  const char *folder, *name;
  RhxForm form;
  PetscFunctionBegin;
  PetscCall(RhxCaseGetForm(rc, &form));
  PetscCall(RhxCaseGetName(rc, &name));
  PetscCall(RhxCaseGetFolder(rc, &folder));
  PetscCall(PetscOptionsSetValue(NULL, "-output_folder", folder));
  for (int k = 0; k < 2; k++) {
    char own[PETSC_MAX_PATH_LEN];
    PetscCall(PetscSNPrintf(own, sizeof(own), "%s_mode_%s", name, parts[k]));
    PetscCall(RhxOutputCreate(form, own, &output[k]));
    PetscCall(RhxOutputSetFromOptions(output[k]));
    PetscCall(RhxOutputSetBase(output[k], base));
    PetscCall(RhxOutputSetUp(output[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_mode(RhxOutput output[2], PetscInt number, const RhxEigenmode *m)
{
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    char problem[RHX_MESSAGE];
    PetscCall(RhxOutputFields(output[k], number, (double)number, 0.0, k ? m->im : m->re, problem));
    PetscCall(RhxOutputMind(output[k], problem));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x + a Re v: where a run begins of which the mode grows or decays. */
static PetscErrorCode write_perturbed(RhxCase rc, PetscInt number, double a, const RhxEigenmode *m)
{
  char suffix[64];
  Vec x, y;
  PetscFunctionBegin;
  if (!(a > 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxCaseGetState(rc, &x));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecWAXPY(y, a, m->re, x));
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_perturbed_%06" PetscInt_FMT ".h5", number));
  PetscCall(RhxCaseWriteStart(rc, suffix, y));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is asked for of mode number i of a shift. */
static PetscErrorCode write_all(RhxCase rc, const EigenOptions *o, PetscInt i, PetscInt number, const RhxEigenmode *m,
                                RhxOutput output[2], RhxEigenFiles *files)
{
  PetscBool fields;
  PetscFunctionBegin;
  if (i >= o->modes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxOutputHasFields(output[0], &fields));
  PetscCall(write_mode(output, number, m));
  if (fields) RhxAppEigenFilesTakeMode(files, number);
  PetscCall(write_perturbed(rc, number, o->perturbed, m));
  files->own[RHX_EIGEN_PERTURBED][number] = (PetscBool)(o->perturbed > 0.0);
  if (m->adjoint_re) PetscCall(RhxAppEigenWriteAdjoint(rc, number, m));
  files->own[RHX_EIGEN_ADJOINT][number] = (PetscBool)(m->adjoint_re != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tell_rough(PetscInt rough, PetscInt number)
{
  PetscFunctionBegin;
  if (rough)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "  %" PetscInt_FMT " of %" PetscInt_FMT
                          " modes with a roughness above %g, less than four elements a wave: they are of this mesh and "
                          "not of the flow, or it does not resolve them\n",
                          rough, number, RHX_ROUGH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_modes(RhxCase rc, RhxSpectrum spectrum, const EigenOptions *o, PetscInt n,
                                 double (*shift)[2], RhxTable table, RhxOutput output[2], RhxEigenFiles *files)
{
  RhxEigenmode *mode;
  PetscInt number = 0, rough = 0, found;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(o->number, &mode));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  mode   growth rate (1/s)   frequency (rad/s)  residual (1/s)\n"));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(RhxSpectrumSolve(spectrum, shift[k], o->number, o->restarts, &found, mode));
    PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED,
               "rheoplex eigen: no eigenmode was found at the shift %g%+gi, expected a shift nearer to one "
               "(-eigen_shifts), or a mesh that resolves the flow",
               shift[k][0], shift[k][1]);
    for (PetscInt i = 0; i < found; i++) {
      PetscCall(tell(table, number, shift[k], &mode[i]));
      PetscCall(write_all(rc, o, i, number, &mode[i], output, files));
      rough += mode[i].roughness > RHX_ROUGH;
      number++;
      PetscCall(RhxEigenmodeDestroy(&mode[i]));
    }
  }
  PetscCall(tell_rough(rough, number));
  PetscCall(PetscFree(mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static RhxCritical critical_of(const EigenOptions *o, const double *shift)
{
  const RhxCritical critical = {o->critical, shift, o->number, o->restarts, o->critical_tol};
  return critical;
}

static PetscErrorCode spectrum_of(RhxCase rc, const EigenOptions *o, PetscInt n, double (*shift)[2])
{
  char file[PETSC_MAX_PATH_LEN];
  RhxSpectrum spectrum;
  RhxEigenFiles files;
  RhxOutput output[2];
  RhxTable table;
  TS ts;
  Vec x;
  PetscFunctionBegin;
  PetscCall(RhxCaseGetTS(rc, &ts));
  PetscCall(RhxCaseGetState(rc, &x));
  PetscCall(RhxSpectrumCreate(ts, x, &spectrum));
  PetscCall(check_steady(spectrum, o->steady_tol));
  PetscCheck(!(o->perturbed > 0.0) || !RhxSpectrumHasLate(spectrum), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-eigen_perturbed: got a condition whose pressure follows its flux late (windkessel), which is a part of "
             "the mode that a checkpoint of its state lacks, expected outlets or resistances");
  PetscCall(RhxSpectrumSetProgress(spectrum, o->progress));
  if (o->method == BY_STEPPER) PetscCall(RhxSpectrumSetStepper(spectrum));
  if (o->critical[0]) {
    const RhxCritical critical = critical_of(o, shift[0]);
    PetscCall(RhxAppEigenCritical(rc, &critical, spectrum, x));
  }
  if (o->adjoint) PetscCall(RhxSpectrumSetAdjoint(spectrum));
  PetscCall(RhxCaseGetPath(rc, "_spectrum.csv", sizeof(file), file));
  PetscCall(RhxTableCreate(PETSC_COMM_WORLD, file, PETSC_FALSE,
                           PETSC_STATIC_ARRAY_LENGTH(columns) - (o->adjoint ? 0 : 1), columns, &table));
  PetscCall(create_outputs(rc, x, output));
  PetscCall(RhxAppEigenFilesCreate(n * o->number, &files));
  files.own[RHX_EIGEN_CRITICAL][0] = (PetscBool)(o->critical[0] != '\0');
  PetscCall(find_modes(rc, spectrum, o, n, shift, table, output, &files));
  for (int k = 0; k < 2; k++) PetscCall(RhxOutputDestroy(&output[k]));
  PetscCall(RhxTableClose(&table));
  PetscCall(RhxAppEigenFilesKeepEarlier(rc, &files));
  PetscCall(RhxAppEigenFilesDestroy(&files));
  PetscCall(RhxSpectrumDestroy(&spectrum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppEigen(const char *word)
{
  EigenOptions o;
  PetscInt n;
  double(*shift)[2];
  RhxCase rc;
  TS ts;
  PetscFunctionBegin;
  (void)word;
  PetscCall(RhxOptionTableRead(PETSC_COMM_WORLD, &eigen_table, NULL, &o));
  PetscCall(read_shifts(o.shifts, &n, &shift));
  PetscCheck(o.method == BY_FACTORS || !o.adjoint, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-eigen_method: got stepper with -eigen_adjoint, expected factors, whose transpose adjoint modes need");
  PetscCheck(!(o.perturbed > 0.0) || o.modes > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-eigen_perturbed: got an amplitude with -eigen_modes 0, expected 1 or more modes");
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &rc));
  PetscCall(RhxCaseSetFromOptions(rc));
  PetscCall(RhxCaseGetTS(rc, &ts));
  PetscCall(RhxSpectrumCheck(ts));
  PetscCall(RhxCaseSetUp(rc));
  if (o.critical[0]) {
    const RhxCritical critical = critical_of(&o, shift[0]);
    PetscCall(RhxAppEigenCheckCritical(rc, &critical));
  }
  PetscCall(find_state(rc));
  PetscCall(spectrum_of(rc, &o, n, shift));
  PetscCall(PetscFree(shift));
  PetscCall(RhxCaseDestroy(&rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}
