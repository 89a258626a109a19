#include "case/columns.h"
#include "petsc_compat.h"
#include <stdio.h>

static const RhxColumn screen[RHX_NSCREEN] = {
    [RHX_SCREEN_STEP] = {"step", "", "number of the step", 8},
    [RHX_SCREEN_TIME] = {"t", "s", "time at its end", 10},
    [RHX_SCREEN_DT] = {"dt", "s", "time step", 9},
    [RHX_SCREEN_CFL] = {"CFL", "1",
                        "largest ratio of dt to a limit, and the first letter of that limit: convective, viscous, "
                        "elastic, relaxation or growth; above 1 a run may blow up (share/doc/time-step.md)",
                        10},
    [RHX_SCREEN_WI] = {"Wi", "1", "largest Weissenberg number: relaxation time times shear rate, over points and modes",
                       8},
    [RHX_SCREEN_DU] = {"|du|/dt", "U^2/D", "largest nodal change of the velocity; -stop_steady_tol looks at it", 9},
    [RHX_SCREEN_DC] =
        {"|dc|/dt", "U/D",
         "the larger one of the polymer's unknown, in units of conformation, and of scalar fields, in their "
         "-field_<name>_scale; -: there is neither",
         9},
    [RHX_SCREEN_ITERATIONS] =
        {"its", "1", "iterations of the pressure solver in this step; of Newton's method, of implicit schemes", 5},
    [RHX_SCREEN_LINEAR] = {"linear", "1", "iterations of all linear solves of this step; implicit schemes alone", 6},
    [RHX_SCREEN_SETUPS] = {"set-ups", "1", "set-ups of their preconditioner in this step; implicit schemes alone", 7},
    [RHX_SCREEN_MASS] = {"mass", "1", "flow out of the domain less that into it, over that into it", 9},
    [RHX_SCREEN_SECONDS] = {"s/step", "s", "wall time a step since the line before, output included", 9},
    [RHX_SCREEN_LEFT] = {"left", "",
                         "wall time to the end by the pace of the last seconds: to -stop_time, -stop_steps or, by the "
                         "decay of the larger rate, to -stop_steady_tol, whichever comes first; -: not known",
                         7},
    [RHX_SCREEN_MIN] = {"min c", "1",
                        "smallest eigenvalue of the conformations: not above 0 is unphysical; -: there is no polymer",
                        10},
    [RHX_SCREEN_AT] = {"at", "m", "node of that eigenvalue", -1},
};

static const RhxColumn history[RHX_NHISTORY] = {
    {"step", "", "number of the step", 0},
    {"t", "s", "time at its end", 0},
    {"dt", "s", "time step", 0},
    {"cfl_convective", "1", "dt over the limit of convection, for the state at the start of the step", 0},
    {"cfl_viscous", "1", "likewise of viscosity", 0},
    {"cfl_elastic", "1", "likewise of elastic waves", 0},
    {"cfl_relaxation", "1", "likewise of relaxation", 0},
    {"cfl_growth", "1", "likewise of waves that the stepper amplifies", 0},
    {"wi", "1", "largest Weissenberg number", 0},
    {"du_dt", "U^2/D", "largest nodal change of the velocity", 0},
    {"dc_dt", "U/D",
     "the larger one of the polymer's unknown, in units of conformation, and of scalar fields, in their "
     "-field_<name>_scale; 0 without both",
     0},
    {"pressure_iterations", "1", "iterations of the pressure solver; 0 of schemes without one", 0},
    {"continuity_residual", "U/D",
     "largest residual of continuity over the mass of its node, for the state at the start of the step", 0},
    {"min_eigenvalue", "1", "smallest eigenvalue of the conformations; 1 without polymer", 0},
    {"min_eigenvalue_x", "m", "its node", 0},
    {"min_eigenvalue_y", "m", "", 0},
    {"min_eigenvalue_z", "m", "", 0},
    {"indefinite_nodes", "1", "nodes and modes whose conformation is not positive definite", 0},
    {"mass_error", "1", "flow out of the domain less that into it, over that into it", 0},
    {"seconds", "s", "wall time of the step itself", 0},
    {"newton_iterations", "1",
     "iterations of Newton's method; of scheme steady, of the solve that converged. This and what follows: 0 of "
     "explicit schemes",
     0},
    {"linear_solves", "1", "linear solves of the step", 0},
    {"linear_iterations", "1", "their iterations", 0},
    {"setups", "1", "set-ups of their preconditioner in the step (-pc_renew)", 0},
    {"setups_redone", "1", "of these, those after a linear solve that failed", 0},
    {"setup_seconds", "s", "wall time of the set-ups, matrices included", 0},
    {"solve_seconds", "s", "wall time of the linear solves", 0},
};

void RhxScreenLine(char (*cell)[RHX_CELL], PetscBool implicit, size_t size, char *line)
{
  size_t n = 0;

  for (int i = 0; i < RHX_NSCREEN && n < size; i++)
    if (implicit || !(i == RHX_SCREEN_LINEAR || i == RHX_SCREEN_SETUPS))
      n += (size_t)snprintf(line + n, size - n, "%s%*s", i ? " " : "", screen[i].width,
                            cell ? cell[i] : (char *)screen[i].name);
  if (n < size) snprintf(line + n, size - n, "\n");
}

void RhxHistoryNames(const char *name[RHX_NHISTORY])
{
  for (int i = 0; i < RHX_NHISTORY; i++) name[i] = history[i].name;
}

static PetscErrorCode view(PetscViewer viewer, int n, const RhxColumn *column)
{
  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    char name[64];

    PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s%s%s", column[i].name, column[i].unit[0] ? " [" : "",
                            column[i].unit, column[i].unit[0] ? "]" : ""));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %-28s %s\n", name, column[i].help));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxColumnsView(PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "The table on the screen, a line every -case_report_every steps, or after "
                                           "-case_report_seconds (U and D: -case_velocity, -case_length)\n"));
  PetscCall(view(viewer, RHX_NSCREEN, screen));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "Above its head: the time steps at which each ratio would be 1, for the state at hand\n"));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "<name>_history.csv, a row every -diagnostic_history_every steps and at the end\n"));
  PetscCall(view(viewer, RHX_NHISTORY, history));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "<name>_forces.csv, a row every -diagnostic_forces_every steps and at the end\n"
                                   "  step, t [s]                  as above\n"
                                   "  <label>_x, _y, _z            force of the fluid on the label, by consistent "
                                   "reactions; 2D [N/m], 3D [N]\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
