#include "solver/sell_impl.h"

#define THREADS 262144.0 /* that a device of the size of an H100 runs at a time */

PetscErrorCode RhxRowsGet(Mat A, RhxRows *rows)
{
  PetscInt n;
  PetscBool done;
  MatType type;
  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &rows->row, &rows->column, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A matrix of the pressure solver is not stored by rows: got type %s, expected seqaij", type);
  PetscCall(MatGetSize(A, &rows->n, &rows->m));
  PetscCall(MatSeqAIJGetArrayRead(A, &rows->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxRowsRestore(Mat A, RhxRows *rows)
{
  PetscInt n;
  PetscBool done;
  PetscFunctionBegin;
  PetscCall(MatSeqAIJRestoreArrayRead(A, &rows->value));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &rows->row, &rows->column, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RhxSellLanes(PetscInt n, double nonzeros)
{
  const double length = n ? nonzeros / n : 0;
  PetscInt lanes = 1;
  while (lanes < RHX_WARP && (double)n * lanes < THREADS && length >= 4.0 * lanes) lanes *= 2;
  return lanes;
}

static PetscInt row_length(const RhxRows *a, PetscInt i) { return a ? a->row[i + 1] - a->row[i] : 0; }

static PetscErrorCode make_slices(const RhxRows *a, const RhxRows *b, RhxSell *s)
{
  const PetscInt rows = RHX_WARP / s->lanes;
  PetscInt64 steps = 0;
  PetscFunctionBegin;
  s->nslices = (s->n + rows - 1) / rows;
  PetscCall(PetscMalloc1(s->nslices + 1, &s->first));
  for (PetscInt k = 0; k < s->nslices; k++) {
    PetscInt longest = 0;
    for (PetscInt i = k * rows; i < PetscMin((k + 1) * rows, s->n); i++)
      longest = PetscMax(longest, row_length(a, i) + row_length(b, i));
    s->first[k] = (PetscInt)steps;
    steps += (longest + s->lanes - 1) / s->lanes;
    PetscCheck(steps <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "A matrix is too large for the solver on the device: got %d rows, expected at most 2^31 steps of 32 "
               "entries (option -pc_type)",
               (int)s->n);
  }
  s->first[s->nslices] = (PetscInt)steps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void put(RhxSell *s, size_t at, PetscInt column, PetscScalar value)
{
  s->column[at] = column;
  if (s->narrow)
    s->narrow[at] = (float)value;
  else
    s->wide[at] = value;
}

static void fill_row(const RhxRows *a, const RhxRows *b, PetscInt i, RhxSell *s)
{
  const PetscInt rows = RHX_WARP / s->lanes, k = i / rows, na = row_length(a, i), nb = row_length(b, i);
  const size_t start = (size_t)RHX_WARP * s->first[k] + (size_t)(i % rows) * s->lanes;
  const PetscInt length = (s->first[k + 1] - s->first[k]) * s->lanes;
  PetscInt pad = 0; /* a column that is read anyway */
  for (PetscInt e = 0; e < length; e++) {
    const size_t at = start + (size_t)RHX_WARP * (e / s->lanes) + e % s->lanes;
    if (e < na)
      put(s, at, pad = a->column[a->row[i] + e], a->value[a->row[i] + e]);
    else if (e < na + nb)
      put(s, at, pad = a->m + b->column[b->row[i] + e - na], b->value[b->row[i] + e - na]);
    else
      put(s, at, pad, 0);
  }
}

PetscErrorCode RhxSellCreate(const RhxRows *a, const RhxRows *b, PetscInt lanes, PetscBool single, RhxSell *s)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  s->n = a->n;
  s->m = a->m + (b ? b->m : 0);
  s->nonzeros = (double)a->row[a->n] + (b ? b->row[b->n] : 0);
  s->lanes = lanes ? lanes : RhxSellLanes(s->n, s->nonzeros);
  PetscCall(make_slices(a, b, s));
  s->entries = (size_t)RHX_WARP * s->first[s->nslices];
  s->bytes_of_value = single ? sizeof(float) : sizeof(double);
  PetscCall(PetscCalloc1(s->entries, &s->column));
  if (single)
    PetscCall(PetscCalloc1(s->entries, &s->narrow));
  else
    PetscCall(PetscCalloc1(s->entries, &s->wide));
  for (PetscInt i = 0; i < s->n; i++) fill_row(a, b, i, s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSellDrop(RhxSell *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->first));
  PetscCall(PetscFree(s->column));
  PetscCall(PetscFree(s->wide));
  PetscCall(PetscFree(s->narrow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxSellFree(RhxSell *s)
{
  PetscFunctionBegin;
  PetscCall(RhxSellDrop(s));
  PetscCall(PetscMemzero(s, sizeof(*s)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double RhxSellBytes(const RhxSell *s)
{
  return (double)s->entries * (sizeof(PetscInt) + s->bytes_of_value) + sizeof(PetscInt) * (s->nslices + 1.0);
}

double RhxSellPadding(const RhxSell *s) { return s->nonzeros > 0 ? s->entries / s->nonzeros - 1 : 0; }

void RhxSellMultiply(const RhxSell *s, const float *x, float *y)
{
  const PetscInt rows = RHX_WARP / s->lanes;
  for (PetscInt i = 0; i < s->n; i++) {
    const PetscInt k = i / rows;
    float sum = 0;
    for (PetscInt e = s->first[k]; e < s->first[k + 1]; e++)
      for (PetscInt l = (i % rows) * s->lanes; l < (i % rows + 1) * s->lanes; l++) {
        const size_t at = (size_t)RHX_WARP * e + l;
        sum += s->narrow[at] * x[s->column[at]];
      }
    y[i] = sum;
  }
}

void RhxSellMultiplyWide(const RhxSell *s, const double *x, double *y)
{
  const PetscInt rows = RHX_WARP / s->lanes;
  for (PetscInt i = 0; i < s->n; i++) {
    const PetscInt k = i / rows;
    double sum = 0;
    for (PetscInt e = s->first[k]; e < s->first[k + 1]; e++)
      for (PetscInt l = (i % rows) * s->lanes; l < (i % rows + 1) * s->lanes; l++) {
        const size_t at = (size_t)RHX_WARP * e + l;
        sum += s->wide[at] * x[s->column[at]];
      }
    y[i] = sum;
  }
}
