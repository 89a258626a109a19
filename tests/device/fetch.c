/* device_fetch <label> <copies> ... -options: what a device sends of listed nodes. Every third local node, ghosts too, has the
 * values of the whole state; a step sends so many copies of each label's nodes (@<label>: of the elements at its faces, =<label>: its own nodes), so many
 * sums over the mesh ("sums" <components>, "totals" <times>) and no byte more, and a list travels once; a residual of some rows has zeros in the
 * others.
 * device_fetch count -options: the steps, with a table of the diagnostic kind `counted`: bytes that one evaluation of others sends.
 * device_fetch -options: the same steps on the host, for what they write. Exit code 77: no device. */
#include "../common/largest.h"
#include "case/case.h"
#include "common.h"
#include "diagnostics/named.h"
#include "kernels/nodal.h"
#include "kernels/totals.h"
#include "scheme/type_impl.h"
#include "space/face.h"
#include <math.h>
#include <rheoplex/extension.h>
#include <rheoplex/rheoplex.h>
#include <string.h>

#define STEPS 4
#define TOLERANCE 1e-14 /* a pressure of the step's end is added up in two places */

const RhxExtension *rhx_extension(void); /* outside_windkessel.c */

typedef struct {
  RhxCase rc;
  TS ts;
  RhxForm form;
  double to_host; /* bytes of the run */
} Run;

static PetscErrorCode run_case(const char *device, PetscInt steps, Run *run)
{
  char text[64];
  RhxCopyCount to_device, before, after;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof(text), "-device %s -stop_steps %" PetscInt_FMT, device, steps));
  PetscCall(PetscOptionsInsertString(NULL, text));
  PetscCall(RhxCaseCreate(PETSC_COMM_WORLD, &run->rc));
  PetscCall(RhxCaseSetFromOptions(run->rc));
  PetscCall(RhxCaseSetUp(run->rc));
  PetscCall(RhxCaseGetForm(run->rc, &run->form));
  PetscCall(RhxCaseGetTS(run->rc, &run->ts));
  PetscCall(RhxDeviceCopyCount(&to_device, &before));
  PetscCall(RhxCaseRun(run->rc));
  PetscCall(RhxDeviceCopyCount(&to_device, &after));
  run->to_host = after.bytes - before.bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest difference of the listed nodes' values from those of the whole state, over the field's largest value. */
static PetscErrorCode compare(const Run *run, PetscInt n, const PetscInt *node, const PetscScalar *x)
{
  const RhxSpace sp = run->form->space;
  const PetscScalar *g;
  PetscScalar *all;
  Vec state;
  PetscFunctionBegin;
  PetscCall(RhxSchemeStoreState(run->ts));
  PetscCall(TSGetSolution(run->ts, &state));
  PetscCall(PetscMalloc1(sp->nlocal * sp->bs, &all));
  PetscCall(VecGetArrayRead(state, &g));
  PetscCall(RhxSpaceGlobalToLocal(sp, sp->bs, g, all));
  PetscCall(VecRestoreArrayRead(state, &g));
  for (PetscInt f = 0; f < sp->nfields; f++) {
    const RhxField *row = sp->field + f;
    double worst = 0.0, size = 0.0;
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt c = row->offset; c < row->offset + row->components; c++) {
        const double d = fabs(x[i * sp->bs + c] - all[node[i] * sp->bs + c]);
        worst = larger(worst, d);
        size = fmax(size, fabs(all[node[i] * sp->bs + c]));
      }
    expect(size > 1e-3, "field '%s' is %g everywhere, expected a flow", row->name, size);
    expect(worst <= TOLERANCE * size, "field '%s' of listed nodes: got a difference of %g, expected at most %g of %g",
           row->name, worst, TOLERANCE, size);
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_values(const Run *run)
{
  const RhxSpace sp = run->form->space;
  const PetscInt n = (sp->nlocal + 2) / 3;
  RhxCopyCount to_device[3], to_host[3];
  const PetscInt *node;
  PetscScalar *x;
  IS nodes;
  PetscFunctionBegin;
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, (sp->nlocal - 1) % 3, 3, &nodes));
  PetscCall(PetscMalloc1(n * sp->bs, &x));
  for (int k = 0; k < 3; k++) {
    PetscCall(RhxSchemeFetchState(run->ts, nodes, x));
    PetscCall(RhxDeviceCopyCount(&to_device[k], &to_host[k]));
  }
  expect(to_device[2].bytes == to_device[1].bytes, "%g bytes to the device for a list that it has",
         to_device[2].bytes - to_device[1].bytes);
  PetscCall(ISGetIndices(nodes, &node));
  PetscCall(compare(run, n, node, x));
  PetscCall(ISRestoreIndices(nodes, &node));
  PetscCall(PetscFree(x));
  PetscCall(ISDestroy(&nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r[nowned][bs] of the present state */
static PetscErrorCode residual(RhxScheme sc, unsigned rows, PetscScalar *r)
{
  const RhxOpsTable *table = sc->ops->table;
  PetscFunctionBegin;
  PetscCall(table->begin(sc->ops, 0.1, 1e-3, 0.0));
  PetscCall(table->stage(sc->ops, 0.0, 1.0, 1.0, NULL));
  PetscCall(table->values(sc->ops, PETSC_FALSE));
  PetscCall(table->project(sc->ops, sc->x, sc->aux, NULL));
  PetscCall(table->residual(sc->ops, rows, sc->x, sc->xdot, sc->aux, sc->r, PETSC_FALSE, NULL));
  PetscCall(table->store(sc->ops, sc->r, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of the flow alone: its own as among all, zeros in the modes'. */
static PetscErrorCode check_rows(const Run *run)
{
  const RhxSpace sp = run->form->space;
  const PetscInt n = sp->nowned * sp->bs, modes = RhxFieldsStart(sp->fields, RHX_GROUP_MODES);
  PetscScalar *all, *flow;
  RhxScheme sc;
  double worst = 0.0, size = 0.0, others = 0.0;
  PetscFunctionBegin;
  PetscCall(RhxSchemeGet(run->ts, &sc));
  PetscCall(PetscMalloc2(n, &all, n, &flow));
  PetscCall(residual(sc, RHX_ROWS_ALL, all));
  PetscCall(residual(sc, RHX_ROWS_FLOW, flow));
  for (PetscInt i = 0; i < n; i++) {
    const double d = i % sp->bs < modes ? fabs(flow[i] - all[i]) : fabs(flow[i]);
    worst = larger(worst, d);
    if (i % sp->bs < modes) size = fmax(size, fabs(all[i]));
    if (i % sp->bs >= modes) others = fmax(others, fabs(all[i]));
  }
  expect(others > 1e-6 && worst <= 1e-13 * size,
         "rows of the flow: got a difference of %g from all rows, expected 1e-13 of %g", worst, size);
  PetscCall(PetscFree2(all, flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks local nodes of the elements at the faces of a label, or its owned nodes. */
static void mark_nodes(const RhxFaces *faces, PetscBool near, PetscBool *seen)
{
  for (PetscInt i = 0; !near && i < faces->nnodes; i++) seen[faces->node[i]] = PETSC_TRUE;
  for (const RhxFaceGroup *g = faces->group; near && g < faces->group + faces->ngroups; g++)
    for (PetscInt f = 0; f < g->n; f++)
      for (PetscInt a = 0; a < g->nn; a++) seen[RhxFaceParentNode(g, f, a)] = PETSC_TRUE;
}

/* Of a label and of so many rings of boundary faces about it, such as "2bottom". */
static PetscErrorCode count_beside(RhxSpace sp, const char *word, PetscInt *n)
{
  const char *label = word + 1;
  IS nodes;
  PetscFunctionBegin;
  PetscCall(RhxListBeside(sp, 1, &label, word[0] - '0', &nodes));
  PetscCall(ISGetLocalSize(nodes, n));
  PetscCall(ISDestroy(&nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes that a rank sends: of a label, or of labels joined by '+', with '@' of the elements at their faces, with '=' those that it
 * owns, with '~' and rings those beside it. */
static PetscErrorCode count_nodes(RhxSpace sp, const char *word, PetscInt *n)
{
  const RhxFaces *faces;
  PetscBool *seen;
  char **label;
  int nlabels;
  PetscFunctionBegin;
  if (word[0] == '~') {
    PetscCall(count_beside(sp, word + 1, n));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (word[0] != '@' && word[0] != '=') {
    PetscCall(RhxSpaceGetFaces(sp, word, &faces));
    PetscCall(ISGetLocalSize(faces->nodes, n));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscStrToArray(word + 1, '+', &nlabels, &label));
  PetscCall(PetscCalloc1(sp->nlocal, &seen));
  for (int l = 0; l < nlabels; l++) {
    PetscCall(RhxSpaceGetFaces(sp, label[l], &faces));
    mark_nodes(faces, (PetscBool)(word[0] == '@'), seen);
  }
  *n = 0;
  for (PetscInt i = 0; i < sp->nlocal; i++) *n += seen[i];
  PetscCall(PetscFree(seen));
  PetscCall(PetscStrToArrayDestroy(nlabels, label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes that the steps send of the labels' nodes, all ranks; words are label, copies, ..., "sums", number of components, and "slopes":
 * velocities of this rank's nodes and their gradients. */
static PetscErrorCode bytes_of_labels(const Run *run, PetscInt steps, int nwords, char **word, double *bytes)
{
  PetscInt n;
  PetscMPIInt size;
  PetscFunctionBegin;
  *bytes = 0.0;
  for (int k = 0; k + 1 < nwords; k += 2) {
    if (!strcmp(word[k], "sums") || !strcmp(word[k], "totals")) {
      *bytes +=
          (word[k][0] == 's' ? (double)sizeof(RhxNodalMeasure) : RHX_NTOTALS * sizeof(double)) * atoi(word[k + 1]);
      continue;
    }
    if (!strcmp(word[k], "slopes")) {
      const RhxSpace sp = run->form->space;
      *bytes += (double)(sp->nowned * sp->dim * (1 + sp->dim)) * sizeof(PetscScalar) * atoi(word[k + 1]);
      continue;
    }
    PetscCall(count_nodes(run->form->space, word[k], &n));
    *bytes += (double)(n * run->form->space->bs) * sizeof(PetscScalar) * atoi(word[k + 1]);
  }
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) *bytes += sizeof(RhxFormStats); /* which ranks share */
  *bytes *= steps;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bytes, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What both runs send besides, the last state, falls out of the difference; the ranks may share the mesh in two ways. */
static PetscErrorCode check(int nwords, char **word)
{
  Run few = {0}, many = {0};
  double before = 0.0, after = 0.0, sent;
  PetscFunctionBegin;
  PetscCall(run_case("cuda", STEPS, &few));
  PetscCall(bytes_of_labels(&few, STEPS, nwords, word, &before));
  PetscCall(RhxCaseDestroy(&few.rc));
  PetscCall(run_case("cuda", 2 * STEPS, &many));
  PetscCall(bytes_of_labels(&many, 2 * STEPS, nwords, word, &after));
  PetscCall(check_values(&many));
  PetscCall(check_rows(&many));
  sent = many.to_host - few.to_host;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  expect(sent == after - before, "got %g bytes to the host in %d more steps, expected %g of the labels' nodes", sent,
         STEPS, after - before);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%g bytes to the host in %d more steps\n", sent, STEPS));
  PetscCall(RhxCaseDestroy(&many.rc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Bytes of one evaluation ---- */

typedef struct {
  char names[RHX_STRING_LENGTH];
} Counted;

static const RhxRow counted_rows[] = {
    {"names", RHX_STRING, 0, offsetof(Counted, names), "", RHX_ANY, 0, 0, NULL, "1", "diagnostics, comma-separated"}};

static PetscErrorCode counted_setup(RhxDiagnostic *d)
{
  char **name;
  int n;
  PetscFunctionBegin;
  PetscCall(PetscStrToArray(((Counted *)d->own)->names, ',', &n, &name));
  for (int i = 0; i < n; i++) PetscCall(RhxDiagnosticAddColumnUnit(d, name[i], "1"));
  PetscCall(PetscStrToArrayDestroy(n, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode counted_evaluate(RhxDiagnostic *d, const RhxDiagnosticStep *step, double *bytes)
{
  RhxCopyCount to_device, before, after;
  const RhxDiagnostic *other;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < d->ncolumns; i++) {
    PetscCall(RhxDeviceCopyCount(&to_device, &before));
    PetscCall(RhxDiagnosticsEvaluate(d->all, d->column[i], step, &other));
    PetscCall(RhxDeviceCopyCount(&to_device, &after));
    bytes[i] = after.bytes - before.bytes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RhxDiagnosticType counted = {.entry = {sizeof(RhxDiagnosticType), "counted", "bytes of others"},
                                          .nrows = 1,
                                          .rows = counted_rows,
                                          .size = sizeof(Counted),
                                          .setup = counted_setup,
                                          .evaluate = counted_evaluate};

static PetscErrorCode act(int nwords, char **word)
{
  Run host = {0};
  PetscFunctionBegin;
  PetscCall(rhx_extension()->add());
  PetscCall(RhxDiagnosticRegister(&counted));
  if (nwords == 1) {
    PetscCall(run_case("cuda", 2 * STEPS, &host));
    PetscCall(RhxCaseDestroy(&host.rc));
  } else if (nwords) {
    PetscCall(check(nwords, word));
  } else {
    PetscCall(run_case("cpu", 2 * STEPS, &host));
    PetscCall(RhxCaseDestroy(&host.rc));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **args)
{
  char *word[32];
  RhxDeviceState state;
  int nwords = 0;
  for (; nwords < 32 && args[nwords + 1] && args[nwords + 1][0] != '-'; nwords++) word[nwords] = args[nwords + 1];
  args[nwords] = args[0];
  argc -= nwords;
  args += nwords;
  PetscCall(RhxInitialize(&argc, &args, NULL));
  PetscCall(RhxDeviceFind(PETSC_COMM_WORLD, &state));
  if (state.availability == RHX_DEVICE_READY) PetscCall(act(nwords, word));
  PetscCall(RhxFinalize());
  return state.availability != RHX_DEVICE_READY ? SKIP : failures ? 1 : 0;
}
