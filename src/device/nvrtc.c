/* NVRTC on a source: here and now, or on a thread beside, for a later call with the same source. What runs beside touches neither PETSc
 * nor MPI. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "device/nvrtc_impl.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char *copy_log(const CudaCompiler *nvrtc, void *program)
{
  size_t bytes = 0;
  char *log;

  if (!program || nvrtc->GetProgramLogSize(program, &bytes)) bytes = 0;
  log = calloc(bytes + 1, 1);
  if (log && bytes && nvrtc->GetProgramLog(program, log)) log[0] = '\0';
  return log;
}

/* Of what is asked for, -split-compile only changes how long it takes. */
static int knows(const CudaCompiler *nvrtc, const char *option)
{
  return nvrtc->version >= 13000 || strncmp(option, "-split-compile", strlen("-split-compile"));
}

void RhxNvrtcRun(const CudaCompiler *nvrtc, const char *arch, RhxDeviceSource source, RhxNvrtcOutput *out)
{
  char architecture[64];
  const char **option = malloc(sizeof(*option) * (size_t)(source->option.n + 1));
  void *program = NULL;
  int n = 0;

  *out = (RhxNvrtcOutput){.failed = option ? NULL : "out of memory"};
  if (!option) return;
  snprintf(architecture, sizeof(architecture), "-arch=%s", arch);
  option[n++] = architecture;
  for (PetscInt i = 0; i < source->option.n; i++)
    if (knows(nvrtc, source->option.text[i])) option[n++] = source->option.text[i];
  int code =
      nvrtc->CreateProgram(&program, source->text, source->name, (int)source->header.n,
                           (const char *const *)source->header.text, (const char *const *)source->header_name.text);
  if (!code) code = nvrtc->CompileProgram(program, n, option);
  free(option);
  out->log = copy_log(nvrtc, program);
  if (!code) code = nvrtc->GetCUBINSize(program, &out->size);
  if (!code && (out->cubin = malloc(out->size + 1))) code = nvrtc->GetCUBIN(program, out->cubin);
  if (code) out->failed = nvrtc->GetErrorString(code);
  if (!out->log || (!code && !out->cubin)) out->failed = "out of memory";
  if (program) (void)nvrtc->DestroyProgram(&program);
}

void RhxNvrtcFree(RhxNvrtcOutput *out)
{
  free(out->log);
  free(out->cubin);
  *out = (RhxNvrtcOutput){0};
}

/* ---- Beside ---- */

typedef struct Job_s *Job;
struct Job_s {
  pthread_t thread;
  const CudaCompiler *nvrtc;
  char arch[RHX_DEVICE_ARCH];
  RhxDeviceSource source; /* a reference */
  RhxCacheKey key;        /* owned */
  RhxNvrtcOutput out;
  atomic_int done;
  Job next;
};

static Job jobs; /* begun and not asked for yet */

static void *compile(void *job)
{
  Job j = job;
  RhxNvrtcRun(j->nvrtc, j->arch, j->source, &j->out);
  atomic_store(&j->done, 1);
  return NULL;
}

/* Of this process, bound or not. */
static int cores(void)
{
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

static int is_of(Job job, const RhxCacheKey *key)
{
  return job->key.length == key->length && !memcmp(job->key.text, key->text, key->length);
}

static PetscErrorCode free_job(Job *job)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceSourceDestroy(&(*job)->source));
  PetscCall(RhxCacheKeyDestroy(&(*job)->key));
  PetscCall(PetscFree(*job));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode wait_for_all(void)
{
  PetscFunctionBegin;
  while (jobs) {
    Job first = jobs;
    jobs = first->next;
    (void)pthread_join(first->thread, NULL);
    RhxNvrtcFree(&first->out);
    PetscCall(free_job(&first));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Signals are the main thread's. */
static int start(Job job)
{
  sigset_t all, before;
  int code;

  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  code = pthread_create(&job->thread, NULL, compile, job);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return code;
}

PetscErrorCode RhxNvrtcBegin(const CudaCompiler *nvrtc, const char *arch, RhxDeviceSource source, RhxCacheKey *key,
                             PetscBool *begun)
{
  static PetscBool registered = PETSC_FALSE;
  int running = 0;
  Job job;

  PetscFunctionBegin;
  *begun = PETSC_FALSE;
  for (job = jobs; job; job = job->next) {
    if (is_of(job, key)) PetscFunctionReturn(RhxCacheKeyDestroy(key));
    running += !atomic_load(&job->done);
  }
  if (running + 1 >= cores()) PetscFunctionReturn(RhxCacheKeyDestroy(key));
  if (!registered) PetscCall(PetscRegisterFinalize(wait_for_all));
  registered = PETSC_TRUE;
  PetscCall(PetscNew(&job));
  job->nvrtc = nvrtc;
  PetscCall(PetscStrncpy(job->arch, arch, sizeof(job->arch)));
  PetscCall(RhxDeviceSourceReference(source));
  job->source = source;
  job->key = *key;
  *key = (RhxCacheKey){0};
  if (start(job)) PetscFunctionReturn(free_job(&job)); /* then it is compiled where it is asked for */
  job->next = jobs;
  jobs = job;
  *begun = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxNvrtcTake(const RhxCacheKey *key, RhxNvrtcOutput *out, PetscBool *taken)
{
  PetscFunctionBegin;
  *taken = PETSC_FALSE;
  for (Job *at = &jobs; *at; at = &(*at)->next) {
    Job job = *at;
    if (!is_of(job, key)) continue;
    *at = job->next;
    (void)pthread_join(job->thread, NULL);
    *out = job->out;
    *taken = PETSC_TRUE;
    PetscCall(free_job(&job));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
