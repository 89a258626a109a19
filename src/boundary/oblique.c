#include "boundary/oblique.h"
#include "petsc_compat.h"

#define AXIS 1e-9 /* of a projection's diagonal: normals along the axes, up to rounding */

/* Of a node one vector or tensor, whose rows turn. */
typedef struct {
  PetscInt row, width;          /* its first row, on this rank; components */
  PetscInt first, end;          /* of its parts */
  const PetscReal *part, *dual; /* [.][width] borrowed; of a vector both the normals */
} Block;

struct _p_RhxOblique {
  RhxSpace space; /* borrowed */
  PetscInt n;
  Block *block;         /* [n] of this rank, */
  PetscInt nvelocities; /* those of the velocity first */
  PetscReal *weight;    /* [bs] of what is given, in units of the row over those of the unknown */
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

static PetscErrorCode add_velocities(RhxBoundary bc, PetscScalar *mark, RhxOblique ob)
{
  const RhxSpace sp = ob->space;
  const PetscInt u = RhxFieldsStart(sp->fields, RHX_GROUP_VELOCITY), *node;
  const PetscInt dim = RhxFieldsEnd(sp->fields, RHX_GROUP_VELOCITY) - u;
  const PetscReal *normal;
  PetscInt npairs;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetNormals(bc, &npairs, &node, &normal));
  for (PetscInt k = 0, end; k < npairs; k = end) {
    const PetscInt row = node[k] * sp->bs + u;
    for (end = k + 1; end < npairs && node[end] == node[k];) end++;
    if (judge(normal, dim, k, end, mark + row)) ob->block[ob->n++] = (Block){row, dim, k, end, normal, normal};
  }
  ob->nvelocities = ob->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All rows of the modes turn where some do: their parts are those of planes along the axes too. */
static PetscErrorCode add_modes(RhxBoundary bc, PetscInt nmodes, PetscScalar *mark, RhxOblique ob)
{
  const RhxSpace sp = ob->space;
  const PetscInt s = RhxFieldsStart(sp->fields, RHX_GROUP_MODES), width = sp->ntens, *node;
  const PetscReal *part, *dual;
  PetscInt nparts;
  PetscFunctionBegin;
  PetscCall(RhxBoundaryGetOddParts(bc, &nparts, &node, &part, &dual));
  for (PetscInt k = 0, end; k < nparts; k = end) {
    for (end = k + 1; end < nparts && node[end] == node[k];) end++;
    for (PetscInt m = 0; m < nmodes; m++) {
      const PetscInt row = node[k] * sp->bs + s + m * width;
      for (PetscInt c = 0; c < width; c++) mark[row + c] = 1.0;
      ob->block[ob->n++] = (Block){row, width, k, end, part, dual};
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxObliqueCreate(RhxForm form, RhxBoundary bc, PetscScalar *mark, RhxOblique *out)
{
  PetscInt normals, parts = 0, any;
  const PetscInt *node;
  const PetscReal *part, *dual;
  RhxOblique ob;
  PetscFunctionBegin;
  PetscCall(PetscNew(&ob));
  ob->space = form->space;
  PetscCall(RhxBoundaryGetNormals(bc, &normals, &node, &part));
  if (form->nmodes) PetscCall(RhxBoundaryGetOddParts(bc, &parts, &node, &part, &dual));
  PetscCall(PetscMalloc1(normals + parts * form->nmodes, &ob->block));
  PetscCall(PetscMalloc1(form->space->bs, &ob->weight));
  for (PetscInt c = 0; c < form->space->bs; c++) ob->weight[c] = 1.0;
  PetscCall(add_velocities(bc, mark, ob));
  if (form->nmodes) PetscCall(add_modes(bc, form->nmodes, mark, ob));
  any = ob->n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPIU_INT, MPI_MAX, form->comm));
  *out = ob;
  if (!any) PetscCall(RhxObliqueDestroy(out));
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxFormWeighTensors(form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxObliqueDestroy(RhxOblique *ob)
{
  PetscFunctionBegin;
  if (!*ob) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*ob)->block));
  PetscCall(PetscFree((*ob)->weight));
  PetscCall(PetscFree(*ob));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxObliqueTurn(RhxOblique ob, const PetscScalar *x, PetscScalar *f)
{
  for (const Block *b = ob->block; b < ob->block + ob->n; b++)
    for (PetscInt k = b->first; k < b->end; k++) {
      const PetscReal *part = b->part + k * b->width, *dual = b->dual + k * b->width;
      const PetscReal weight = ob->weight[b->row % ob->space->bs];
      PetscScalar along = 0.0;
      for (PetscInt c = 0; c < b->width; c++) along += dual[c] * ((x ? weight * x[b->row + c] : 0.0) - f[b->row + c]);
      for (PetscInt c = 0; c < b->width; c++) f[b->row + c] += along * part[c];
    }
}

void RhxObliqueWeigh(RhxOblique ob, const double *weight)
{
  for (PetscInt c = 0; c < ob->space->bs; c++) ob->weight[c] = weight[c];
}

double RhxObliqueGetWeight(RhxOblique ob, PetscInt component) { return ob->weight[component]; }

PetscErrorCode RhxObliqueGetNormals(RhxOblique ob, PetscInt *n, PetscInt **node, PetscReal **normal)
{
  const PetscInt dim = ob->space->dim;
  PetscInt i = 0;
  PetscFunctionBegin;
  *n = 0;
  for (const Block *b = ob->block; b < ob->block + ob->nvelocities; b++) *n += b->end - b->first;
  PetscCall(PetscMalloc1(*n, node));
  PetscCall(PetscMalloc1(*n * dim, normal));
  for (const Block *b = ob->block; b < ob->block + ob->nvelocities; b++)
    for (PetscInt k = b->first; k < b->end; k++, i++) {
      (*node)[i] = b->row / ob->space->bs;
      PetscCall(PetscArraycpy(*normal + i * dim, b->part + k * dim, dim));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxObliqueTurnTransposed(RhxOblique ob, Vec v)
{
  PetscScalar *to;
  PetscFunctionBegin;
  PetscCall(VecGetArray(v, &to));
  for (const Block *b = ob->block; b < ob->block + ob->n; b++)
    for (PetscInt k = b->first; k < b->end; k++) {
      const PetscReal *part = b->part + k * b->width, *dual = b->dual + k * b->width;
      PetscScalar along = 0.0;
      for (PetscInt c = 0; c < b->width; c++) along += part[c] * to[b->row + c];
      for (PetscInt c = 0; c < b->width; c++) to[b->row + c] -= along * dual[c];
    }
  PetscCall(VecRestoreArray(v, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxObliqueAddGiven(RhxOblique ob, double given[3][3])
{
  for (const Block *b = ob->block; b < ob->block + ob->nvelocities; b++)
    for (PetscInt k = b->first; k < b->end; k++)
      for (PetscInt d = 0; d < b->width; d++)
        for (PetscInt e = 0; e < b->width; e++) given[d][e] += b->part[k * b->width + d] * b->part[k * b->width + e];
}

/* Rows of a block: all with the columns of the first. */
typedef struct {
  PetscInt n, *column;
  PetscScalar *value; /* [width][n] */
} Rows;

static PetscErrorCode copy_rows(RhxOblique ob, Mat A, const Block *b, PetscInt first, Rows *rows)
{
  PetscFunctionBegin;
  for (PetscInt c = 0; c < b->width; c++) {
    const PetscScalar *value;
    const PetscInt *column;
    PetscInt n;
    PetscCall(MatGetRow(A, first + c, &n, &column, &value));
    if (!c) {
      PetscCall(PetscMalloc2(n, &rows->column, b->width * n, &rows->value));
      PetscCall(PetscArraycpy(rows->column, column, n));
      rows->n = n;
    }
    PetscCheck(n == rows->n, ob->space->comm, PETSC_ERR_PLIB,
               "Rows of a node have %" PetscInt_FMT " and %" PetscInt_FMT " columns", rows->n, n);
    PetscCall(PetscArraycpy(rows->value + c * n, value, n));
    PetscCall(MatRestoreRow(A, first + c, &n, &column, &value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void turn_rows(const Block *b, PetscReal given, PetscInt first, Rows *rows)
{
  for (PetscInt k = b->first; k < b->end; k++) {
    const PetscReal *part = b->part + k * b->width, *dual = b->dual + k * b->width;
    for (PetscInt j = 0; j < rows->n; j++) {
      const PetscInt own = rows->column[j] - first;
      PetscScalar along = own >= 0 && own < b->width ? given * dual[own] : 0.0;
      for (PetscInt c = 0; c < b->width; c++) along -= dual[c] * rows->value[c * rows->n + j];
      for (PetscInt c = 0; c < b->width; c++) rows->value[c * rows->n + j] += along * part[c];
    }
  }
}

PetscErrorCode RhxObliqueTurnRows(RhxOblique ob, PetscReal given, Mat A)
{
  PetscInt start, row[6];
  Rows *rows;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, NULL));
  PetscCall(PetscMalloc1(ob->n, &rows));
  for (PetscInt i = 0; i < ob->n; i++) PetscCall(copy_rows(ob, A, &ob->block[i], start + ob->block[i].row, &rows[i]));
  for (PetscInt i = 0; i < ob->n; i++) {
    const Block *b = &ob->block[i];
    for (PetscInt c = 0; c < b->width; c++) row[c] = start + b->row + c;
    turn_rows(b, given * ob->weight[b->row % ob->space->bs], row[0], &rows[i]);
    PetscCall(MatSetValues(A, b->width, row, rows[i].n, rows[i].column, rows[i].value, INSERT_VALUES));
    PetscCall(PetscFree2(rows[i].column, rows[i].value));
  }
  PetscCall(PetscFree(rows));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Q of a block, by rows: of one part after the other, 1 - part dual^T. */
static void project(const Block *b, PetscScalar *Q)
{
  for (PetscInt r = 0; r < b->width; r++)
    for (PetscInt c = 0; c < b->width; c++) Q[r * b->width + c] = r == c ? 1.0 : 0.0;
  for (PetscInt k = b->first; k < b->end; k++) {
    const PetscReal *part = b->part + k * b->width, *dual = b->dual + k * b->width;
    for (PetscInt c = 0; c < b->width; c++) {
      PetscScalar along = 0.0;
      for (PetscInt r = 0; r < b->width; r++) along += dual[r] * Q[r * b->width + c];
      for (PetscInt r = 0; r < b->width; r++) Q[r * b->width + c] -= along * part[r];
    }
  }
}

PetscErrorCode RhxObliqueCreateProjector(RhxOblique ob, Mat *Q)
{
  const PetscInt n = ob->space->nowned * ob->space->bs;
  PetscInt start, row[6];
  PetscScalar value[36];
  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(ob->space->comm, n, n, PETSC_DETERMINE, PETSC_DETERMINE, 6, NULL, 0, NULL, Q));
  PetscCall(MatGetOwnershipRange(*Q, &start, NULL));
  for (PetscInt i = start; i < start + n; i++) PetscCall(MatSetValue(*Q, i, i, 1.0, INSERT_VALUES));
  for (const Block *b = ob->block; b < ob->block + ob->n; b++) {
    for (PetscInt c = 0; c < b->width; c++) row[c] = start + b->row + c;
    project(b, value);
    PetscCall(MatSetValues(*Q, b->width, row, b->width, row, value, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*Q, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*Q, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
