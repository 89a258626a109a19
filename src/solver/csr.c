#include "solver/csr_impl.h"
#include <stdint.h>

#define WORD 64 /* bits */

PetscErrorCode RhxCsrCreate(PetscInt n, PetscInt m, PetscInt entries, RhxCsr *c)
{
  PetscFunctionBegin;
  c->n = n;
  c->m = m;
  PetscCall(PetscCalloc1(n + 1, &c->row));
  PetscCall(PetscMalloc1(entries, &c->column));
  PetscCall(PetscMalloc1(entries, &c->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCsrFree(RhxCsr *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(c->row));
  PetscCall(PetscFree(c->column));
  PetscCall(PetscFree(c->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RhxRows RhxCsrRows(const RhxCsr *c) { return (RhxRows){c->n, c->m, c->row, c->column, c->value}; }

PetscErrorCode RhxCsrToMat(const RhxCsr *c, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, c->n, c->m, c->row, c->column, c->value, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCsrTranspose(const RhxRows *a, RhxCsr *t)
{
  PetscInt *next;
  PetscFunctionBegin;
  PetscCall(RhxCsrCreate(a->m, a->n, a->row[a->n], t));
  for (PetscInt e = 0; e < a->row[a->n]; e++) t->row[a->column[e] + 1]++;
  for (PetscInt i = 0; i < t->n; i++) t->row[i + 1] += t->row[i];
  PetscCall(PetscMalloc1(t->n, &next));
  PetscCall(PetscArraycpy(next, t->row, t->n));
  for (PetscInt i = 0; i < a->n; i++)
    for (PetscInt e = a->row[i]; e < a->row[i + 1]; e++) {
      const PetscInt at = next[a->column[e]]++;
      t->column[at] = i;
      t->value[at] = a->value[e];
    }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Product ---- */

/* A column of the row in work. */
typedef struct {
  PetscScalar sum;
  PetscInt row; /* that met the column last */
} Slot;

/* Room for as many entries more as row i of A B has at most. */
static PetscErrorCode reserve(const RhxRows *a, const RhxRows *b, PetscInt i, PetscInt64 *room, RhxCsr *c)
{
  PetscInt64 most = 0;
  PetscFunctionBegin;
  for (PetscInt e = a->row[i]; e < a->row[i + 1]; e++) most += b->row[a->column[e] + 1] - b->row[a->column[e]];
  most = c->row[i] + PetscMin(most, b->m);
  if (most <= *room) PetscFunctionReturn(PETSC_SUCCESS);
  *room = PetscMax(most, *room / 2 * 3);
  PetscCheck(most <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A product of matrices of the pressure solver is too large: got %d of %d rows, expected fewer than 2^31 "
             "entries in all (option -pc_type)",
             (int)i, (int)a->n);
  PetscCall(PetscRealloc(*room * sizeof(*c->column), &c->column));
  PetscCall(PetscRealloc(*room * sizeof(*c->value), &c->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row of A B in work: its sums and, as bits, its columns and the words of these that are not 0. */
typedef struct {
  Slot *slot;
  uint64_t *column, *word;
  PetscInt first, last; /* of `word` */
} Row;

static PetscErrorCode row_create(PetscInt m, Row *r)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m, &r->slot));
  PetscCall(PetscCalloc2(m / WORD + 1, &r->column, m / WORD / WORD + 1, &r->word));
  for (PetscInt j = 0; j < m; j++) r->slot[j].row = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode row_free(Row *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(r->slot));
  PetscCall(PetscFree2(r->column, r->word));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void meet(Row *r, PetscInt j)
{
  const PetscInt word = j / WORD, top = word / WORD;
  r->column[word] |= (uint64_t)1 << j % WORD;
  r->word[top] |= (uint64_t)1 << word % WORD;
  r->first = PetscMin(r->first, top);
  r->last = PetscMax(r->last, top);
}

static void sum_row(const RhxRows *a, const RhxRows *b, PetscInt i, Row *r)
{
  r->first = PETSC_MAX_INT;
  r->last = -1;
  for (PetscInt e = a->row[i]; e < a->row[i + 1]; e++) {
    const PetscScalar factor = a->value[e];
    const PetscInt k = a->column[e];
    for (PetscInt f = b->row[k]; f < b->row[k + 1]; f++) {
      Slot *s = &r->slot[b->column[f]];
      if (s->row == i)
        s->sum += factor * b->value[f];
      else {
        *s = (Slot){factor * b->value[f], i};
        meet(r, b->column[f]);
      }
    }
  }
}

/* Takes the columns in order; the entries so far. */
static PetscInt take_row(Row *r, PetscInt entries, RhxCsr *c)
{
  for (PetscInt t = r->first; t <= r->last; t++)
    for (; r->word[t]; r->word[t] &= r->word[t] - 1) {
      const PetscInt w = t * WORD + __builtin_ctzll(r->word[t]);
      for (; r->column[w]; r->column[w] &= r->column[w] - 1) {
        const PetscInt j = w * WORD + __builtin_ctzll(r->column[w]);
        c->column[entries] = j;
        c->value[entries++] = r->slot[j].sum;
      }
    }
  return entries;
}

PetscErrorCode RhxCsrMultiply(const RhxRows *a, const RhxRows *b, RhxCsr *c)
{
  PetscInt64 room = a->row[a->n];
  Row row;
  PetscFunctionBegin;
  PetscCall(RhxCsrCreate(a->n, b->m, (PetscInt)room, c));
  PetscCall(row_create(b->m, &row));
  for (PetscInt i = 0; i < a->n; i++) {
    PetscCall(reserve(a, b, i, &room, c));
    sum_row(a, b, i, &row);
    c->row[i + 1] = take_row(&row, c->row[i], c);
  }
  PetscCall(row_free(&row));
  PetscCall(PetscRealloc(c->row[c->n] * sizeof(*c->column), &c->column));
  PetscCall(PetscRealloc(c->row[c->n] * sizeof(*c->value), &c->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCsrSmooth(const RhxRows *x, const PetscScalar *w, RhxCsr *ax)
{
  PetscScalar *at;
  PetscInt k = 0, e = 0;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(ax->m, &at));
  for (PetscInt i = 0; i < ax->n; i++) {
    const PetscInt end = ax->row[i + 1];
    for (PetscInt f = x->row[i]; f < x->row[i + 1]; f++) at[x->column[f]] = x->value[f];
    for (; e < end; e++) {
      ax->column[k] = ax->column[e];
      ax->value[k] = at[ax->column[e]] - w[i] * ax->value[e];
      if (ax->value[k] != 0) k++;
    }
    for (PetscInt f = x->row[i]; f < x->row[i + 1]; f++) at[x->column[f]] = 0;
    ax->row[i + 1] = k;
  }
  PetscCall(PetscFree(at));
  PetscFunctionReturn(PETSC_SUCCESS);
}
