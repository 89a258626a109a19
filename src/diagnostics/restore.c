/* What diagnostics know besides their tables, into checkpoints and back. */
#include "diagnostics/named_impl.h"
#include "diagnostics/store.h"
#include "petsc_compat.h"

void RhxStoreBeginPart(RhxStore *store) { store->lacks = PETSC_FALSE; }

void RhxStoreEndPart(RhxStore *store, const char *name)
{
  const size_t at = strlen(store->lacking);
  store->nparts++;
  if (!store->lacks) return;
  store->nlacking++;
  snprintf(store->lacking + at, sizeof(store->lacking) - at, "%s%s", at ? ", " : "", name);
}

/* FNV-1a; blanks do not count. */
static void mark_text(const char *text, unsigned *mark)
{
  for (; *text; text++)
    if (*text != ' ') *mark = (*mark ^ (unsigned char)*text) * 16777619u;
  *mark = (*mark ^ 0xffu) * 16777619u;
}

/* A value as it was read, however it was written. */
static void mark_value(const RhxRow *row, const void *own, unsigned *mark)
{
  const char *at = (const char *)own + row->offset;
  char text[32];

  if (row->kind == RHX_STRING) {
    mark_text(at, mark);
    return;
  }
  if (row->kind == RHX_REAL)
    snprintf(text, sizeof(text), "%.17g", *(const double *)at);
  else
    snprintf(text, sizeof(text), "%d", *(const int *)at);
  mark_text(text, mark);
}

void RhxDiagnosticGetMark(const RhxDiagnostic *d, unsigned *mark)
{
  *mark = 2166136261u;
  mark_text(d->type->entry.name, mark);
  for (PetscInt i = 0; i < d->nlabels; i++) mark_text(d->label[i], mark);
  for (int k = 0; k < d->type->nrows; k++)
    if (strcmp(d->type->rows[k].name, "label")) mark_value(&d->type->rows[k], d->own, mark);
}

/* Does it measure what it did? Its table may go on with something else. Kinds with a state of their own see to it. */
static PetscErrorCode keep_mark(RhxDiagnostic *d, RhxStore *store)
{
  unsigned mark;
  PetscInt n = 1;
  double *row;

  PetscFunctionBegin;
  if (!d->ncolumns || d->type->state) PetscFunctionReturn(PETSC_SUCCESS);
  RhxDiagnosticGetMark(d, &mark);
  PetscCall(PetscMalloc1(1, &row));
  row[0] = mark;
  RhxStoreBeginPart(store);
  PetscCall(RhxStoreRows(store, "mark", 1, &n, &row));
  if (n == 1 && row[0] != mark)
    PetscCall(PetscPrintf(d->all->comm,
                          "rheoplex: warning: the diagnostic '%s' is another measurement than that of %s: its kind, "
                          "labels or other options of it have changed; a table that goes on has both\n",
                          d->name, store->file));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What core keeps for it: rows of its table that something is told of. */
static PetscErrorCode core_state(RhxDiagnostic *d, RhxStore *store)
{
  char what[64], name[128];
  unsigned mark;

  PetscFunctionBegin;
  PetscCall(keep_mark(d, store));
  RhxDiagnosticGetMark(d, &mark);
  PetscCall(PetscSNPrintf(what, sizeof(what), "oscillation_%d_%x", (int)d->oscillates, mark));
  PetscCall(PetscSNPrintf(name, sizeof(name), "the rows of -diagnostic_%s_strouhal", d->name));
  RhxStoreBeginPart(store);
  if (d->strouhal && d->strouhal[0]) {
    PetscCall(RhxSeriesStore(&d->oscillation, 1, store, what));
    RhxStoreEndPart(store, name);
  }
  RhxStoreBeginPart(store);
  if (d == d->all->settling) {
    PetscCall(PetscSNPrintf(what, sizeof(what), "recent_%x", mark));
    PetscCall(RhxSeriesStore(&d->recent, d->ncolumns, store, what));
    RhxStoreEndPart(store, "the rows of -stop_settled");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* That of its kind is one part unless the kind has parts of its own. */
static PetscErrorCode own_state(RhxDiagnostic *d, RhxStore *store)
{
  const PetscInt before = store->nparts;

  PetscFunctionBegin;
  if (!d->type->state) PetscFunctionReturn(PETSC_SUCCESS);
  RhxStoreBeginPart(store);
  PetscCall(d->type->state(d, store));
  if (store->nparts == before) RhxStoreEndPart(store, "what its kind keeps");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void begin(RhxStore *store, const RhxDiagnostic *d)
{
  store->d = d;
  store->nparts = store->nlacking = 0;
  store->lacking[0] = '\0';
}

PetscErrorCode RhxDiagnosticsCollect(RhxDiagnostics ds, RhxStore *store)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ds->n; i++) {
    begin(store, ds->item[i]);
    PetscCall(core_state(ds->item[i], store));
    PetscCall(own_state(ds->item[i], store));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticsRestore(RhxDiagnostics ds, const char *file, PetscBool same)
{
  RhxStore store = {.file = file, .other = (PetscBool)!same};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < ds->n; i++) {
    RhxDiagnostic *d = ds->item[i];
    PetscInt core;

    begin(&store, d);
    PetscCall(core_state(d, &store));
    core = store.nparts;
    PetscCall(own_state(d, &store));
    if (store.nlacking && store.nlacking == store.nparts && core < store.nparts)
      PetscCall(PetscPrintf(ds->comm, "%s has nothing to go on with of the diagnostic '%s': it begins anew\n", file,
                            d->name));
    else if (store.nlacking)
      PetscCall(PetscPrintf(ds->comm, "%s lacks of the diagnostic '%s' %s: that begins anew, the rest goes on\n", file,
                            d->name, store.lacking));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
