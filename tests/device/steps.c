/* device_steps <list> [-options for all]: every line of the list is a set of options, after | those of the device alone; the
 * steps on the host and on the device agree to 1e-10 of each field's largest value, and so do the measures that the device
 * takes. One process for all lines. Exit code 77: no device. */
#include "../common/largest.h"
#include "case/case.h"
#include "case/error.h"
#include "petsc_compat.h"
#include <math.h>
#include <rheoplex/rheoplex.h>
#include <stdio.h>
#include <string.h>

#define TOLERANCE 1e-10
#define MAX_LINE 4096

typedef struct {
  RhxCase rc;
  TS ts;
  Vec x;
  RhxForm form;
  RhxStepInfo info;
  double mass_error;
  RhxConformationHealth health;
} Run;

static PetscErrorCode run_case(Run *run)
{
  const RhxStepInfo *info;
  double flux[3];
  PetscFunctionBegin;
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &run->rc));
  PetscCall(RhxCaseSetFromOptions(run->rc));
  PetscCall(RhxCaseSetUp(run->rc));
  PetscCall(RhxCaseGetForm(run->rc, &run->form));
  PetscCall(RhxCaseGetTS(run->rc, &run->ts));
  PetscCall(RhxCaseGetState(run->rc, &run->x));
  PetscCall(TSSolve(run->ts, run->x));
  PetscCall(RhxSchemeGetInfo(run->ts, &info));
  run->info = *info;
  PetscCall(RhxSchemeStoreState(run->ts));
  PetscCall(RhxFluxes(run->form, run->x, &flux[0], &flux[1], &flux[2]));
  run->mass_error = RhxMassErrorOfFluxes(flux[0], flux[1], flux[2]);
  PetscCall(RhxConformationCheck(run->form, run->x, &run->health));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state in the order of the mesh before its distribution, which may differ between two runs. all[nglobal][bs] */
static PetscErrorCode gather(const Run *run, PetscScalar *all)
{
  const RhxSpace sp = run->form->space;
  const PetscScalar *x;
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(all, (size_t)sp->nglobal * sp->bs));
  PetscCall(VecGetArrayRead(run->x, &x));
  for (PetscInt i = 0; i < sp->nowned; i++)
    PetscCall(PetscArraycpy(all + (size_t)sp->natural[i] * sp->bs, x + (size_t)i * sp->bs, sp->bs));
  PetscCall(VecRestoreArrayRead(run->x, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, (int)(sp->nglobal * sp->bs), MPIU_SCALAR, MPIU_SUM, sp->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest difference of a field's components over its largest value. */
static PetscErrorCode difference(const Run *a, const Run *b, double *worst)
{
  const RhxSpace sp = a->form->space;
  PetscScalar *u, *v;
  PetscFunctionBegin;
  *worst = 0.0;
  PetscCall(PetscMalloc2((size_t)sp->nglobal * sp->bs, &u, (size_t)sp->nglobal * sp->bs, &v));
  PetscCall(gather(a, u));
  PetscCall(gather(b, v));
  for (PetscInt f = 0; f < sp->nfields; f++) {
    double m[2] = {0.0, 0.0}; /* difference, size */
    for (PetscInt i = 0; i < sp->nglobal; i++)
      for (PetscInt c = 0; c < sp->field[f].components; c++) {
        const size_t at = (size_t)i * sp->bs + sp->field[f].offset + c;
        const double d = fabs(u[at] - v[at]);
        m[0] = larger(m[0], d);
        m[1] = fmax(m[1], fabs(u[at]));
      }
    *worst = larger(*worst, m[0] / fmax(m[1], 1e-12));
  }
  PetscCall(PetscFree2(u, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double relative(double a, double b, double scale) { return fabs(a - b) / fmax(fabs(a), scale); }

/* What the device measured against the host's measures of the device's state, and rates against the host's. */
static double measures(const Run *host, const Run *device)
{
  const RhxStepMeasures *m = &device->info.measures;
  const RhxFormStats *s = &host->info.stats, *t = &device->info.stats;
  const double mass = RhxMassErrorOfFluxes(m->flux[0], m->flux[1], m->flux[2]);
  const double d[] = {fabs(mass - device->mass_error),
                      relative(device->health.min_eigenvalue, m->min_eigenvalue, 1.0),
                      (double)(device->health.nbad != m->nbad),
                      m->there ? 0.0 : 1.0,
                      relative(s->convective, t->convective, 1e-3),
                      relative(s->viscous, t->viscous, 1e-3),
                      relative(s->elastic, t->elastic, 1e-3),
                      relative(s->relaxation, t->relaxation, 1e-3),
                      relative(s->growth, t->growth, 1e-3),
                      relative(s->waves, t->waves, 1e-3),
                      relative(s->wi, t->wi, 1e-3),
                      relative(s->tau, t->tau, 1e-12),
                      relative(host->info.du_dt, device->info.du_dt, 1.0),
                      relative(host->info.ds_dt, device->info.ds_dt, 1.0)};
  double worst = 0.0;
  for (size_t i = 0; i < sizeof(d) / sizeof(d[0]); i++) worst = larger(worst, d[i]);
  return worst;
}

/* only: options of the device. */
static PetscErrorCode both(const char *line, const char *common, const char *only, int *failed)
{
  Run run[2];
  double state, measured;
  PetscBool good;
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscOptions options;
    PetscCall(PetscOptionsCreate(&options));
    PetscCall(PetscOptionsPush(options));
    PetscCall(PetscOptionsInsertString(NULL, common));
    PetscCall(PetscOptionsInsertString(NULL, line));
    PetscCall(PetscOptionsInsertString(NULL, k ? "-device cuda" : "-device cpu"));
    if (k) PetscCall(PetscOptionsInsertString(NULL, only));
    PetscCall(run_case(&run[k]));
    PetscCall(PetscOptionsPop());
    PetscCall(PetscOptionsDestroy(&options));
  }
  PetscCall(difference(&run[0], &run[1], &state));
  measured = measures(&run[0], &run[1]);
  good = (PetscBool)(state <= TOLERANCE && measured <= 1e-8 && run[0].info.finite);
  *failed += !good;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s state %.1e measures %.1e its %d %d  %s\n", good ? "ok  " : "FAIL", state,
                        measured, (int)run[0].info.iterations, (int)run[1].info.iterations, line));
  for (int k = 0; k < 2; k++) PetscCall(RhxCaseDestroy(&run[k].rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode all(const char *list, const char *common, int *failed, int *count)
{
  char line[MAX_LINE], *only;
  FILE *file = fopen(list, "r");
  RhxDeviceState state;
  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "no list %s", list);
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  if (state.availability == RHX_DEVICE_READY)
    while (fgets(line, sizeof(line), file)) {
      line[strcspn(line, "\n")] = '\0';
      only = strchr(line, '|');
      if (only) *only++ = '\0';
      PetscCall(both(line, common, only ? only : "", failed));
      ++*count;
    }
  fclose(file);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d combinations, %d failed; %s\n", *count, *failed, state.sentence));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  const char *list = args[1], *common = args[2];
  int failed = 0, count = 0;
  PetscErrorCode code;

  args[2] = args[0];
  argc -= 2;
  args += 2;
  if (RhxErrorHandlerPush(PETSC_FALSE)) return 1;
  code = RhxInitialize(&argc, &args, NULL);
  if (!code) code = all(list, common, &failed, &count);
  if (!code) code = RhxFinalize();
  if (code) RhxErrorExit();
  return failed ? 1 : count ? 0 : 77;
}
