/* The consistent mass M_c: products with it, and the projections that it corrects:
 *   P_0 = M^-1 b,  P_(k+1) = P_k + P_0 - M^-1 M_c P_k,  b = integral of N v, M the row sums. */
#include "form/form.h"
#include "form/host/projection.h"
#include "form/inside_impl.h"
#include "form/patch.h"
#include "petsc_compat.h"
#include "plugin/registry.h"

#define NEAR 2 /* corrections after which a projection smooths by O(h^6) */

/* Components [c, c + w) of row i, w a literal: the sums stay in registers. */
static inline __attribute__((always_inline)) void multiply(const RhxMassMatrix *mass, PetscInt i, PetscInt bs,
                                                           PetscInt c, int w, const PetscScalar *v, PetscScalar *r)
{
  const RhxNodeGraph *graph = &mass->graph;
  PetscScalar sum[4] = {0.0};
  for (PetscInt k = graph->start[i]; k < graph->start[i + 1]; k++) {
    const PetscScalar *vj = v + (size_t)graph->node[k] * bs + c;
    for (int d = 0; d < w; d++) sum[d] += mass->value[k] * vj[d];
  }
  for (int d = 0; d < w; d++) r[(size_t)i * bs + c + d] = sum[d];
}

PetscErrorCode RhxFormMassProduct(RhxForm form, PetscInt bs, const PetscScalar *v, PetscScalar *r)
{
  const RhxMassMatrix *mass = &form->consistent;
  const RhxNodeGraph *graph = &mass->graph;
  PetscInt entries = 0, n = graph->n;
  const PetscInt *row = RhxFormGetPatchRows(form, &n);
  PetscFunctionBegin;
  if (row) PetscCall(PetscArrayzero(r, (size_t)graph->n * bs));
  for (PetscInt l = 0; l < n; l++) {
    const PetscInt i = row ? row[l] : l;
    PetscInt c = 0;
    entries += graph->start[i + 1] - graph->start[i];
    for (; c + 4 <= bs; c += 4) multiply(mass, i, bs, c, 4, v, r);
    if (bs - c == 3) multiply(mass, i, bs, c, 3, v, r);
    if (bs - c == 2) multiply(mass, i, bs, c, 2, v, r);
    if (bs - c == 1) multiply(mass, i, bs, c, 1, v, r);
  }
  PetscCall(PetscLogFlops(2.0 * entries * bs));
  PetscCall(RhxSpaceReduce(form->space, bs, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An element's mu bounds that of the mesh: 1/(dim + 2) of a simplex, 1/3 along each axis of a line. */
PetscErrorCode RhxFormMassLeast(RhxForm form, double *mu)
{
  const RhxSpace sp = form->space;
  PetscFunctionBegin;
  *mu = 1.0;
  for (PetscInt t = 0; t < sp->ntypes; t++)
    *mu =
        PetscMin(*mu, sp->cells[t].nn == sp->dim + 1 ? 1.0 / (sp->dim + 2) : PetscPowRealInt(1.0 / 3.0, (int)sp->dim));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mu, 1, MPI_DOUBLE, MPI_MIN, form->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With mu the inverse is M^-1 sum_j (I - M_c M^-1)^j, j = 0 to k: (1 - (1 - mu)^(k + 1))/mu. */
PetscErrorCode RhxFormMassFactor(RhxForm form, PetscInt k, double *factor)
{
  double mu;
  PetscFunctionBegin;
  PetscCall(RhxFormMassLeast(form, &mu));
  *factor = (1.0 - PetscPowRealInt(1.0 - mu, (int)k + 1)) / mu;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the option says; where it says auto preset, but for NEAR of what laws see, whose lumped projection smooths the flow; 0 for a
 * stabiliser without the option. */
static PetscInt corrections_of(RhxForm form, const RhxFormStabiliser *st, PetscInt preset)
{
  const int variant = RhxVariantIndex((int)form->space->dim, (int)form->space->ntens, RHX_KIND_DOUBLE);
  const RhxStabiliserOps *ops = st->plugin->variant[variant];
  for (int i = 0; i < st->plugin->nrows; i++) {
    const RhxRow *row = &st->plugin->rows[i];
    if (strcmp(row->name, "projection_corrections") || row->kind != RHX_CHOICE) continue;
    const int choice = *(const int *)((const char *)st->par + row->offset);
    return choice ? choice - 1 : preset == RHX_CONSISTENT ? 0 : ops->kinematics ? PetscMax(preset, NEAR) : preset;
  }
  return 0;
}

static void set_corrections(RhxForm form, const RhxFormStabiliser *st, PetscInt n)
{
  const PetscInt size[] = {1, form->space->dim, form->space->dim * form->space->dim, form->space->ntens};
  for (int row = 0; row < st->plugin->naux; row++) {
    const RhxAuxRow *aux = &st->plugin->aux[row];
    if (!(st->aux_needed & (1u << row))) continue;
    for (PetscInt k = 0; k < RhxFormAuxCount(form, aux->of); k++)
      for (PetscInt c = 0; c < size[aux->shape]; c++)
        form->correction[RhxFormAuxStart(form, aux->of, k) + st->stage.off[row] + c] = n;
  }
}

PetscErrorCode RhxFormSetCorrections(RhxForm form, PetscInt preset)
{
  PetscFunctionBegin;
  form->corrections = 0;
  PetscCall(PetscFree(form->correction));
  PetscCall(PetscFree(form->in->uncorrected));
  PetscCall(PetscCalloc1(form->naux, &form->correction));
  for (PetscInt k = 0; k < form->nstabilisers; k++)
    set_corrections(form, &form->stabiliser[k], corrections_of(form, &form->stabiliser[k], preset));
  for (PetscInt c = 0; c < form->naux; c++) form->corrections = PetscMax(form->corrections, form->correction[c]);
  if (!form->corrections) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(2 * (size_t)form->space->nlocal * form->naux, &form->in->uncorrected));
  PetscCall(RhxFormNeedMass(form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormCorrectProjections(RhxForm form, PetscInt which, PetscScalar *aux)
{
  const RhxSpace sp = form->space;
  const PetscInt naux = form->naux;
  PetscScalar *first = form->in->uncorrected, *product = first + (size_t)sp->nlocal * naux;
  PetscFunctionBegin;
  if (which == 0) PetscCall(PetscArraycpy(first, aux, (size_t)sp->nowned * naux));
  PetscCall(RhxFormMassProduct(form, naux, aux, product));
  for (PetscInt i = 0; i < sp->nowned; i++) {
    const double im = 1.0 / sp->mass[i];
    const size_t at = (size_t)i * naux;
    PetscInt c = 0;
    for (; c + 2 <= naux && which < form->correction[c] && which < form->correction[c + 1]; c += 2)
      for (int d = 0; d < 2; d++) aux[at + c + d] += first[at + c + d] - im * product[at + c + d];
    for (; c < naux; c++)
      if (which < form->correction[c]) aux[at + c] += first[at + c] - im * product[at + c];
  }
  PetscCall(RhxSpaceGlobalToLocal(sp, naux, aux, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}
