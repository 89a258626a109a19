/* Whole steps: times between two numbers of steps, on the host or on a device as -device says. */
#include "app/bench_step.h"
#include "petsc_compat.h"
#include <petsctime.h>

typedef struct {
  RhxCase rc;
  PetscInt first, timed, n; /* number of the step before the timed ones; of those, timed so far */
  double *seconds, *pressure;
  PetscInt *iterations;
  double given; /* seconds in which conditions find what they give */
  PetscLogDouble last;
  RhxCopyCount before[2], after[2]; /* to the device, to the host */
} Steps;

static PetscErrorCode given_seconds(double *seconds)
{
  PetscLogEvent id;
  PetscEventPerfInfo info;
  PetscFunctionBegin;
  *seconds = 0.0;
  PetscCall(PetscLogEventGetId("RhxGiven", &id));
  if (id < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, id, &info)); /* the current stage */
  *seconds = info.time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode after_step(TS ts)
{
  const RhxStepInfo *info;
  TSType scheme;
  PetscLogDouble now;
  PetscInt step;
  double given;
  Steps *s;
  PetscFunctionBegin;
  PetscCall(TSGetType(ts, &scheme));
  PetscCall(TSGetApplicationContext(ts, &s));
  PetscCall(TSGetStepNumber(ts, &step));
  PetscCall(RhxSchemeGetInfo(ts, &info));
  PetscCheck(info->finite, PetscObjectComm((PetscObject)ts), PETSC_ERR_FP,
             "The state is not finite after step %" PetscInt_FMT ": expected a smaller -scheme_%s_dt", step, scheme);
  PetscCall(RhxCaseAccept(s->rc, info));
  PetscCall(PetscTime(&now));
  PetscCall(given_seconds(&given));
  if (step <= s->first) s->given = -given;
  if (step == s->first) PetscCall(RhxDeviceCopyCount(&s->before[0], &s->before[1]));
  if (step > s->first) {
    s->seconds[s->n] = now - s->last;
    s->pressure[s->n] = info->pressure_seconds;
    s->iterations[s->n++] = info->iterations;
    if (s->n == s->timed) s->given += given;
  }
  PetscCall(RhxDeviceCopyCount(&s->after[0], &s->after[1]));
  PetscCall(PetscTime(&s->last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode report(RhxCase rc, RhxDevice device, Steps *s, double setup)
{
  const char *name, *place = "cpu";
  const RhxDeviceState *state;
  PetscMPIInt size;
  RhxForm form;
  double median, bytes;
  PetscInt arrays[2]; /* of all ranks */
  PetscFunctionBegin;
  PetscCall(RhxCaseGetName(rc, &name));
  PetscCall(RhxCaseGetForm(rc, &form));
  PetscCallMPI(MPI_Comm_size(form->comm, &size));
  if (device) {
    PetscCall(RhxDeviceGetState(device, &state));
    place = state->name;
  }
  PetscCall(PetscSortReal(s->n, s->seconds));
  PetscCall(PetscSortReal(s->n, s->pressure));
  PetscCall(PetscSortInt(s->n, s->iterations));
  median = s->seconds[s->n / 2];
  PetscCall(RhxDeviceHeldMost(form->comm, device, &bytes));
  for (int k = 0; k < 2; k++) arrays[k] = s->after[k].arrays - s->before[k].arrays;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, arrays, 2, MPIU_INT, MPI_SUM, form->comm));
  PetscCall(PetscPrintf(
      form->comm,
      "{\"case\": \"%s\", \"kernel\": \"step\", \"nodes\": %" PetscInt_FMT ", \"unknowns\": %" PetscInt_FMT
      ", \"ranks\": %d, \"device\": \"%s\", \"steps\": %" PetscInt_FMT
      ", \"median_us\": %.3f, \"min_us\": %.3f, \"max_us\": %.3f, \"us_per_node\": %.5f, "
      "\"pressure_us\": %.3f, \"given_us\": %.3f, \"iterations_median\": %" PetscInt_FMT
      ", \"iterations_max\": %" PetscInt_FMT ", \"arrays_to_device\": %" PetscInt_FMT
      ", \"arrays_to_host\": %" PetscInt_FMT ", \"setup_s\": %.3f, \"device_bytes\": %.0f, \"bytes_per_node\": %.1f}\n",
      name, form->space->nglobal, form->space->nglobal * form->space->bs, size, place, s->n, 1e6 * median,
      1e6 * s->seconds[0], 1e6 * s->seconds[s->n - 1], 1e6 * median / form->space->nglobal, 1e6 * s->pressure[s->n / 2],
      1e6 * s->given / s->n, s->iterations[s->n / 2], s->iterations[s->n - 1], arrays[0], arrays[1], setup, bytes,
      bytes / form->space->nglobal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppBenchSteps(RhxCase rc, PetscInt first, PetscInt last, double setup)
{
  Steps s = {.rc = rc, .timed = last - first};
  PetscInt begins; /* step of the checkpoint */
  RhxDevice device;
  TS ts;
  Vec x;
  PetscFunctionBegin;
  PetscCheck(last > first, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-bench_last: got %" PetscInt_FMT ", expected more than -bench_first %" PetscInt_FMT, last, first);
  PetscCall(RhxCaseGetTS(rc, &ts));
  PetscCall(RhxCaseGetState(rc, &x));
  PetscCall(RhxCaseGetDevice(rc, &device));
  PetscCall(RhxCaseBegin(rc));
  PetscCall(TSGetStepNumber(ts, &begins));
  s.first = begins + first;
  PetscCall(PetscMalloc3(last - first, &s.seconds, last - first, &s.pressure, last - first, &s.iterations));
  PetscCall(TSSetMaxTime(ts, PETSC_MAX_REAL));
  PetscCall(TSSetMaxSteps(ts, begins + last));
  PetscCall(TSSetApplicationContext(ts, &s));
  PetscCall(TSSetPostStep(ts, after_step));
  PetscCall(given_seconds(&s.given));
  s.given = -s.given;
  PetscCall(TSSolve(ts, x));
  PetscCall(report(rc, device, &s, setup));
  PetscCall(PetscFree3(s.seconds, s.pressure, s.iterations));
  PetscFunctionReturn(PETSC_SUCCESS);
}
