/* What a scheme has besides state and rate, in checkpoints: earlier states, datasets of the nodes, history/0 the last, and their times;
 * what the last step hands on to the next, a dataset of the nodes and a row of numbers, the last of them for the parameters. */
#include "boundary/memory.h"
#include "case/history_impl.h"
#include <stdint.h>
#include <string.h>

#define TIMES "history/times"
#define HANDED "handed/nodes"
#define NUMBERS "handed/numbers"
#define MEMORY "inlets/history"
#define COLUMNS (RHX_HANDED_NUMBERS + 1)

static void name_of(PetscInt k, char name[256]) { snprintf(name, 256, "history/%d", (int)k); }

/* A number that is another where options of laws, stabilisers, form or conditions are, or those by which the scheme hands on, in any
 * order: a sum of FNV-1a's of theirs, to 52 bits. A name without '_' that nothing has read is the end of a formula, such as " -x". */
static PetscErrorCode sum_of_parameters(double *sum)
{
  static const char *const prefix[] = {"-physics",
                                       "-stabiliser",
                                       "-polymer_variable",
                                       "-form_",
                                       "-bc_",
                                       "-field_",
                                       "-scheme_fractional_step_integrator",
                                       "-scheme_fractional_step_polymer",
                                       "-scheme_fractional_step_subscales",
                                       "-scheme_lumped_stepper",
                                       "-scheme_lumped_subscales"};
  uint64_t total = 0;
  PetscBool counts = PETSC_FALSE;
  char *all;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  for (const char *at = all; *at;) {
    const char *next = strstr(at + 1, " -");
    const size_t length = next ? (size_t)(next - at) + 1 : strlen(at), name = strcspn(at, " ");
    uint64_t hash = 14695981039346656037u;
    char option[128];
    PetscBool used;
    snprintf(option, sizeof(option), "%.*s", (int)name - 1, at + 1);
    PetscCall(PetscOptionsUsed(NULL, option, &used));
    if (memchr(at, '_', name) || used) counts = PETSC_FALSE;
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(prefix); k++)
      counts = (PetscBool)(counts || !strncmp(at, prefix[k], strlen(prefix[k])));
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)at[i]) * 1099511628211u;
    if (counts) total += hash;
    at += length;
  }
  PetscCall(PetscFree(all));
  *sum = (double)(total >> 12);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_handed(RhxCase rc, RhxHanded *handed, PetscInt *n, RhxKept *kept)
{
  PetscBool any;
  PetscInt width;

  PetscFunctionBegin;
  PetscCall(RhxSchemeGetHandedWidth(rc->ts, &width));
  PetscCall(RhxSchemeGetHanded(rc->ts, handed->number, &handed->nodes, &any));
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(sum_of_parameters(&handed->number[RHX_HANDED_NUMBERS]));
  kept[(*n)++] = (RhxKept){.name = NUMBERS, .columns = COLUMNS, .rows = 1, .values = handed->number};
  if (width) kept[(*n)++] = (RhxKept){.name = HANDED, .columns = width, .nodes = handed->nodes};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_memory(RhxCase rc, RhxHanded *handed, PetscInt *n, RhxKept *kept)
{
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(RhxBoundaryCollectMemory(rc->bc, &rows, &handed->memory));
  if (rows)
    kept[(*n)++] =
        (RhxKept){.name = MEMORY, .columns = RhxBoundaryGetMemoryWidth(rc->bc), .rows = rows, .values = handed->memory};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseAddHistory_Private(RhxCase rc, PetscInt n, const RhxKept *others, RhxHanded *handed,
                                         PetscInt *nkept, RhxKept **kept)
{
  const double *t;
  const Vec *x;
  PetscInt states;

  PetscFunctionBegin;
  PetscCall(RhxSchemeGetHistory(rc->ts, &states, &t, &x));
  PetscCall(PetscCalloc1(n + states + 4, kept));
  for (PetscInt k = 0; k < n; k++) (*kept)[k] = others[k];
  *nkept = n + (states ? states + 1 : 0);
  PetscCall(add_handed(rc, handed, nkept, *kept));
  PetscCall(add_memory(rc, handed, nkept, *kept));
  if (!states) PetscFunctionReturn(PETSC_SUCCESS);
  (*kept)[n] = (RhxKept){.name = TIMES, .columns = 1, .rows = states, .values = (double *)t};
  for (PetscInt k = 0; k < states; k++) {
    RhxKept *one = &(*kept)[n + 1 + k];
    *one = (RhxKept){.columns = rc->space->bs, .nodes = x[k]};
    name_of(k, one->name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseReadHistory_Private(RhxCase rc, const char *file)
{
  const PetscInt bs = rc->space->bs;
  Vec x[RHX_MOST_HISTORY];
  PetscInt n, there = 0;
  PetscBool found = PETSC_TRUE;
  double *t;

  PetscFunctionBegin;
  PetscCall(RhxCheckpointReadRows(rc->comm, file, TIMES, 1, PETSC_FALSE, &n, &t));
  for (PetscInt k = 0; k < PetscMin(n, RHX_MOST_HISTORY) && found; k++) {
    char name[256];

    name_of(k, name);
    PetscCall(RhxSpaceCreateVec(rc->space, bs, &x[k]));
    there++;
    PetscCall(RhxCheckpointReadNodes(rc->form, file, name, bs, x[k], &found));
  }
  if (there) PetscCall(RhxSchemeSetHistory(rc->ts, found ? there : there - 1, t, x));
  for (PetscInt k = 0; k < there; k++) PetscCall(VecDestroy(&x[k]));
  PetscCall(PetscFree(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseReadMemory_Private(RhxCase rc, const char *file, double t, PetscBool same_mesh)
{
  PetscInt n = 0;
  PetscBool whole;
  const PetscScalar *x;
  double *rows = NULL;

  PetscFunctionBegin;
  if (!RhxBoundaryHasMemories(rc->bc)) PetscFunctionReturn(PETSC_SUCCESS);
  if (same_mesh)
    PetscCall(RhxCheckpointReadRows(rc->comm, file, MEMORY, RhxBoundaryGetMemoryWidth(rc->bc), PETSC_FALSE, &n, &rows));
  PetscCall(VecGetArrayRead(rc->x, &x));
  PetscCall(RhxBoundaryRestartMemory(rc->bc, t, x, PetscMax(n, 0), rows, &whole));
  PetscCall(VecRestoreArrayRead(rc->x, &x));
  PetscCall(PetscFree(rows));
  if (!whole)
    PetscCall(PetscPrintf(rc->comm,
                          "%s has no history of the polymer at inlets for this run, or of some nodes alone: there it "
                          "begins with the fluid's state (-bc_<label>_polymer_memory)\n",
                          file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCaseReadHanded_Private(RhxCase rc, const char *file)
{
  PetscInt n, width;
  PetscBool same;
  double *number, sum;
  Vec nodes = NULL;

  PetscFunctionBegin;
  PetscCall(RhxSchemeGetHandedWidth(rc->ts, &width));
  PetscCall(RhxCheckpointReadRows(rc->comm, file, NUMBERS, COLUMNS, PETSC_FALSE, &n, &number));
  PetscCall(sum_of_parameters(&sum));
  same = (PetscBool)(n == 1 && number[RHX_HANDED_NUMBERS] == sum);
  if (same && width) {
    PetscCall(RhxSpaceCreateVec(rc->space, width, &nodes));
    PetscCall(RhxCheckpointReadNodes(rc->form, file, HANDED, width, nodes, &same));
  }
  if (n == 1 && !same)
    PetscCall(PetscPrintf(rc->comm, "restart: options of laws, stabilisers, fields, form, conditions or of the scheme "
                                    "are others, or the checkpoint is an older version's: the first step begins "
                                    "without what the last one knew of its subscales\n"));
  if (same) PetscCall(RhxSchemeSetHanded(rc->ts, number, nodes));
  PetscCall(VecDestroy(&nodes));
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}
