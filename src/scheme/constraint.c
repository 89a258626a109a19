#include "petsc_compat.h"
#include "scheme/constraint_impl.h"

struct _RhxConstraint {
  PetscInt nodes, n;
  PetscScalar *keep; /* [nodes][n] the diagonal of K */
  PetscInt *full;    /* [nodes] which of the matrices is K, -1: it is 1 and 0 on its diagonal */
  PetscInt nfull;
  PetscScalar *matrix; /* [nfull][n][n] */
};

static void note_full(RhxConstraint k, PetscInt c, const PetscScalar *column)
{
  for (PetscInt i = 0; i < k->nodes; i++) {
    const PetscScalar *a = column + (size_t)i * k->n;
    k->keep[(size_t)i * k->n + c] = a[c];
    for (PetscInt r = 0; r < k->n; r++)
      if (a[r] != 0.0 && (r != c || a[r] != 1.0)) k->full[i] = 0;
  }
}

static void take_column(RhxConstraint k, PetscInt c, const PetscScalar *column)
{
  for (PetscInt i = 0; i < k->nodes; i++)
    for (PetscInt r = 0; k->full[i] >= 0 && r < k->n; r++)
      k->matrix[((size_t)k->full[i] * k->n + r) * k->n + c] = column[(size_t)i * k->n + r];
}

PetscErrorCode RhxConstraintCreate(PetscInt nodes, PetscInt n, RhxConstraintFn fn, void *ctx, RhxConstraint *out)
{
  const size_t all = (size_t)nodes * n;
  PetscScalar *a;
  RhxConstraint k;
  PetscFunctionBegin;
  PetscCall(PetscNew(out));
  k = *out;
  k->nodes = nodes;
  k->n = n;
  PetscCall(PetscMalloc2(all, &k->keep, nodes, &k->full));
  PetscCall(PetscMalloc1(all, &a));
  for (PetscInt i = 0; i < nodes; i++) k->full[i] = -1;
  for (PetscInt pass = 0; pass < 2; pass++) {
    for (PetscInt c = 0; c < n; c++) {
      for (size_t i = 0; i < all; i++) a[i] = i % n == (size_t)c ? 1.0 : 0.0;
      PetscCall(fn(ctx, a));
      if (pass)
        take_column(k, c, a);
      else
        note_full(k, c, a);
    }
    if (pass) break;
    for (PetscInt i = 0; i < nodes; i++)
      if (k->full[i] >= 0) k->full[i] = k->nfull++;
    PetscCall(PetscMalloc1((size_t)k->nfull * n * n, &k->matrix));
  }
  PetscCall(PetscFree(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxConstraintDestroy(RhxConstraint *k)
{
  PetscFunctionBegin;
  if (!*k) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2((*k)->keep, (*k)->full));
  PetscCall(PetscFree((*k)->matrix));
  PetscCall(PetscFree(*k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscScalar RhxConstraintShare(RhxConstraint k, PetscInt i, PetscInt r, PetscInt c)
{
  if (k->full[i] >= 0) return k->matrix[((size_t)k->full[i] * k->n + r) * k->n + c];
  return r == c ? k->keep[(size_t)i * k->n + c] : 0.0;
}
