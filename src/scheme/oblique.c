#include "petsc_compat.h"
#include "scheme/oblique_impl.h"

#define AXIS 1e-9 /* of a projection's diagonal: normals along the axes, up to rounding */

typedef struct {
  PetscInt row;        /* of its first velocity, on this rank */
  PetscInt first, end; /* of its normals */
} Node;

struct _RhxOblique {
  RhxSpace space; /* borrowed */
  PetscInt n, width;
  Node *node;              /* [n] of this rank */
  const PetscReal *normal; /* borrowed */
};

/* Of one node's normals from `first` to `end`: rows of the axes, or all turned. */
static PetscBool judge(const PetscReal *normal, PetscInt dim, PetscInt first, PetscInt end, PetscScalar *mark)
{
  PetscReal of[3] = {0.0, 0.0, 0.0};
  PetscBool turned = PETSC_FALSE;
  for (PetscInt k = first; k < end; k++)
    for (PetscInt d = 0; d < dim; d++) of[d] += PetscSqr(normal[k * dim + d]);
  for (PetscInt d = 0; d < dim; d++) turned = (PetscBool)(turned || (of[d] > AXIS && of[d] < 1.0 - AXIS));
  for (PetscInt d = 0; d < dim; d++) mark[d] = turned || of[d] < 0.5 ? 1.0 : 0.0;
  return turned;
}

PetscErrorCode RhxObliqueCreate(RhxForm form, RhxBoundary bc, PetscScalar *mark, RhxOblique *out)
{
  const RhxSpace sp = form->space;
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY), *node;
  PetscInt npairs, any;
  RhxOblique ob;
  PetscFunctionBegin;
  PetscCall(PetscNew(&ob));
  ob->space = sp;
  ob->width = RhxFieldsEnd(sp->fields, RHX_GROUP_VELOCITY) - u;
  PetscCall(RhxBoundaryGetNormals(bc, &npairs, &node, &ob->normal));
  PetscCall(PetscMalloc1(npairs, &ob->node));
  for (PetscInt k = 0, end; k < npairs; k = end) {
    const PetscInt row = node[k] * sp->bs + u;
    for (end = k + 1; end < npairs && node[end] == node[k];) end++;
    if (judge(ob->normal, ob->width, k, end, mark + row)) ob->node[ob->n++] = (Node){row, k, end};
  }
  any = ob->n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPIU_INT, MPI_MAX, form->comm));
  *out = ob;
  if (!any) PetscCall(RhxObliqueDestroy(out));
  if (any) PetscCall(RhxFormAsk(form, RHX_ASK_OBLIQUE, "", ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxObliqueDestroy(RhxOblique *ob)
{
  PetscFunctionBegin;
  if (!*ob) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*ob)->node));
  PetscCall(PetscFree(*ob));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxObliqueTurn(RhxOblique ob, Vec x, Vec f)
{
  const PetscInt dim = ob->width;
  const PetscScalar *from = NULL;
  PetscScalar *to;
  PetscFunctionBegin;
  if (x) PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArray(f, &to));
  for (const Node *node = ob->node; node < ob->node + ob->n; node++)
    for (PetscInt k = node->first; k < node->end; k++) {
      const PetscReal *n = ob->normal + k * dim;
      PetscScalar across = 0.0;
      for (PetscInt d = 0; d < dim; d++) across += n[d] * ((from ? from[node->row + d] : 0.0) - to[node->row + d]);
      for (PetscInt d = 0; d < dim; d++) to[node->row + d] += across * n[d];
    }
  PetscCall(VecRestoreArray(f, &to));
  if (x) PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxObliqueAddGiven(RhxOblique ob, double given[3][3])
{
  for (const Node *node = ob->node; node < ob->node + ob->n; node++)
    for (PetscInt k = node->first; k < node->end; k++)
      for (PetscInt d = 0; d < ob->width; d++)
        for (PetscInt e = 0; e < ob->width; e++)
          given[d][e] += ob->normal[k * ob->width + d] * ob->normal[k * ob->width + e];
}

/* Rows of a node's velocity: all with the columns of its block's. */
typedef struct {
  PetscInt n, *column;
  PetscScalar *value; /* [dim][n] */
} Rows;

static PetscErrorCode copy_rows(RhxOblique ob, Mat A, PetscInt first, Rows *rows)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < ob->width; d++) {
    const PetscScalar *value;
    const PetscInt *column;
    PetscInt n;
    PetscCall(MatGetRow(A, first + d, &n, &column, &value));
    if (!d) {
      PetscCall(PetscMalloc2(n, &rows->column, ob->width * n, &rows->value));
      PetscCall(PetscArraycpy(rows->column, column, n));
      rows->n = n;
    }
    PetscCheck(n == rows->n, ob->space->comm, PETSC_ERR_PLIB,
               "Rows of a node have %" PetscInt_FMT " and %" PetscInt_FMT " columns", rows->n, n);
    PetscCall(PetscArraycpy(rows->value + d * n, value, n));
    PetscCall(MatRestoreRow(A, first + d, &n, &column, &value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void turn_rows(RhxOblique ob, const Node *node, PetscInt first, Rows *rows)
{
  const PetscInt dim = ob->width;
  for (PetscInt k = node->first; k < node->end; k++) {
    const PetscReal *n = ob->normal + k * dim;
    for (PetscInt j = 0; j < rows->n; j++) {
      const PetscInt c = rows->column[j] - first;
      PetscScalar across = c >= 0 && c < dim ? n[c] : 0.0;
      for (PetscInt d = 0; d < dim; d++) across -= n[d] * rows->value[d * rows->n + j];
      for (PetscInt d = 0; d < dim; d++) rows->value[d * rows->n + j] += across * n[d];
    }
  }
}

PetscErrorCode RhxObliqueTurnRows(RhxOblique ob, Mat A)
{
  const PetscInt dim = ob->width;
  PetscInt start, row[3];
  Rows *rows;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, NULL));
  PetscCall(PetscMalloc1(ob->n, &rows));
  for (PetscInt i = 0; i < ob->n; i++) PetscCall(copy_rows(ob, A, start + ob->node[i].row, &rows[i]));
  for (PetscInt i = 0; i < ob->n; i++) {
    for (PetscInt d = 0; d < dim; d++) row[d] = start + ob->node[i].row + d;
    turn_rows(ob, &ob->node[i], row[0], &rows[i]);
    PetscCall(MatSetValues(A, dim, row, rows[i].n, rows[i].column, rows[i].value, INSERT_VALUES));
    PetscCall(PetscFree2(rows[i].column, rows[i].value));
  }
  PetscCall(PetscFree(rows));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
