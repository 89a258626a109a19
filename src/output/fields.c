#include "output/fields.h"
#include "form/eigenvalue.h"
#include "petsc_compat.h"

typedef enum { FROM_STATE, TOTAL_STRESS, STRESS_TRACE, MODE_STRESS, MODE_C, MODE_TRACE, MODE_MIN, RANK } Source;
struct RhxOrigin {
  Source source;
  PetscInt index; /* field of the space, or mode */
};

static const char *const tensor_components[] = {"XX", "YY", "ZZ", "XY", "YZ", "XZ"};

/* mode < 0: the name stands alone, else it ends in the number of the mode (unless there is but one). */
static PetscErrorCode add_field(RhxPointFields o, Source source, PetscInt index, const char *name, PetscInt mode,
                                PetscInt components)
{
  RhxVtuField *f = o->field + o->n;

  PetscFunctionBegin;
  if (mode < 0 || o->form->nmodes == 1)
    PetscCall(PetscStrncpy(f->name, name, sizeof f->name));
  else
    PetscCall(PetscSNPrintf(f->name, sizeof f->name, "%s_%" PetscInt_FMT, name, mode));
  f->components = components;
  f->component = components == 6 ? tensor_components : NULL;
  f->cell = source == RANK ? PETSC_TRUE : PETSC_FALSE;
  o->from[o->n++] = (struct RhxOrigin){source, index};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_fields(RhxPointFields o)
{
  RhxSpace space = o->form->space;
  PetscInt nmodes = o->form->nmodes, most = space->nfields + 4 * nmodes + 3;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(most, &o->field, most, &o->from));
  for (PetscInt f = 0; f < space->nfields; f++)
    if (space->field[f].output[0])
      PetscCall(add_field(o, FROM_STATE, f, space->field[f].output, -1, space->field[f].kind == RHX_VECTOR ? 3 : 1));
  if (nmodes) {
    PetscCall(add_field(o, TOTAL_STRESS, 0, "stress", -1, 6));
    PetscCall(add_field(o, STRESS_TRACE, 0, "stress_trace", -1, 1));
  }
  for (PetscInt k = 0; k < nmodes; k++) {
    if (nmodes > 1) PetscCall(add_field(o, MODE_STRESS, k, "stress", k, 6));
    PetscCall(add_field(o, MODE_C, k, "conformation", k, 6));
    PetscCall(add_field(o, MODE_TRACE, k, "conformation_trace", k, 1));
    PetscCall(add_field(o, MODE_MIN, k, "conformation_min_eigenvalue", k, 1));
  }
  PetscCall(add_field(o, RANK, 0, "rank", -1, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPointFieldsCreate(RhxForm form, RhxVtu *vtu, RhxPointFields *fields)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(fields));
  (*fields)->form = form;
  (*fields)->vtu = vtu;
  PetscCall(list_fields(*fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPointFieldsDestroy(RhxPointFields *fields)
{
  PetscFunctionBegin;
  if (!*fields) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree2((*fields)->field, (*fields)->from));
  PetscCall(PetscFree(*fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RhxPointFieldsRange(RhxPointFields o, const PetscBool *wanted, PetscInt *first, PetscInt *end)
{
  RhxSpace space = o->form->space;

  *first = space->bs;
  *end = 0;
  for (PetscInt i = 0; i < o->n; i++) {
    const struct RhxOrigin *from = &o->from[i];
    PetscInt a = RhxFieldsStart(space->fields, RHX_GROUP_MODES), b = RhxFieldsEnd(space->fields, RHX_GROUP_MODES);

    if ((wanted && !wanted[i]) || from->source == RANK) continue;
    if (from->source == FROM_STATE) {
      a = space->field[from->index].offset;
      b = a + space->field[from->index].components;
    }
    *first = PetscMin(*first, a);
    *end = PetscMax(*end, b);
  }
  *first = PetscMin(*first, *end);
}

/* ---- Values ---- */

/* Our components to ParaView's XX YY ZZ XY YZ XZ; zz: what a tensor without out-of-plane component has there. */
static void to_paraview(PetscInt ntens, double zz, const PetscScalar *a, double out[6])
{
  out[0] = a[0];
  out[1] = a[1];
  out[2] = ntens == 3 ? zz : a[2];
  out[3] = a[ntens - 1];
  out[4] = ntens == 6 ? a[3] : 0;
  out[5] = ntens == 6 ? a[4] : 0;
}

/* Sum of the modes' stresses at a local node, ParaView's order. */
static void total_stress(RhxPointFields o, PetscInt node, double out[6])
{
  RhxSpace space = o->form->space;
  double one[6];

  for (int k = 0; k < 6; k++) out[k] = 0;
  for (PetscInt m = 0; m < o->form->nmodes; m++) {
    to_paraview(space->ntens, 0, o->tau + ((size_t)m * space->nlocal + node) * space->ntens, one);
    for (int k = 0; k < 6; k++) out[k] += one[k];
  }
}

static void point_value(RhxPointFields o, PetscInt field, PetscInt node, double *out)
{
  RhxSpace space = o->form->space;
  PetscInt ntens = space->ntens, index = o->from[field].index;
  size_t at = ((size_t)index * space->nlocal + node) * ntens;
  double a[6];

  switch (o->from[field].source) {
  case FROM_STATE:
    for (PetscInt d = 0; d < o->field[field].components; d++)
      out[d] = d < space->field[index].components ? o->x[(size_t)node * space->bs + space->field[index].offset + d] : 0;
    break;
  case TOTAL_STRESS:
    total_stress(o, node, out);
    break;
  case STRESS_TRACE:
    total_stress(o, node, a);
    *out = a[0] + a[1] + a[2];
    break;
  case MODE_STRESS:
    to_paraview(ntens, 0, o->tau + at, out);
    break;
  case MODE_C:
    to_paraview(ntens, 1, o->c + at, out);
    break;
  case MODE_TRACE:
    to_paraview(ntens, 1, o->c + at, a);
    *out = a[0] + a[1] + a[2];
    break;
  case MODE_MIN:
    *out = RhxMinEigenvalue(ntens, o->c + at);
    break;
  case RANK:
    break;
  }
}

PetscErrorCode RhxPointFieldsFill(void *ctx, PetscInt field, double *values)
{
  RhxPointFields o = ctx;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(o->form->comm, &rank));
  if (o->from[field].source == RANK)
    for (PetscInt e = 0; e < o->vtu->ncells; e++) values[e] = rank;
  else
    for (PetscInt i = 0; i < o->vtu->npoints; i++)
      point_value(o, field, o->vtu->node[i], values + (size_t)i * o->field[field].components);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is a field wanted that comes from the conformation, or from the stress, of the modes? */
static void see_modes(RhxPointFields o, const PetscBool *wanted, PetscBool *c, PetscBool *tau)
{
  *c = *tau = PETSC_FALSE;
  for (PetscInt i = 0; i < o->n; i++) {
    const Source source = o->from[i].source;

    if (wanted && !wanted[i]) continue;
    if (source == MODE_C || source == MODE_TRACE || source == MODE_MIN) *c = PETSC_TRUE;
    if (source == TOTAL_STRESS || source == STRESS_TRACE || source == MODE_STRESS) *tau = PETSC_TRUE;
  }
}

PetscErrorCode RhxPointFieldsGather(RhxPointFields o, const PetscBool *wanted, Vec x)
{
  RhxSpace space = o->form->space;
  const size_t n = (size_t)space->nlocal * space->ntens;
  PetscBool c, tau;
  const PetscScalar *g;

  PetscFunctionBegin;
  see_modes(o, wanted, &c, &tau);
  PetscCall(PetscMalloc3((size_t)space->nlocal * space->bs, &o->x, c ? n * o->form->nmodes : 0, &o->c,
                         tau ? n * o->form->nmodes : 0, &o->tau));
  PetscCall(VecGetArrayRead(x, &g));
  PetscCall(RhxSpaceGlobalToLocal(space, space->bs, g, o->x));
  PetscCall(VecRestoreArrayRead(x, &g));
  for (PetscInt m = 0; m < o->form->nmodes; m++) {
    if (c) PetscCall(RhxFormConformation(o->form, m, space->nlocal, o->x, o->c + m * n));
    if (tau) PetscCall(RhxFormPolymerStress(o->form, m, space->nlocal, o->x, o->tau + m * n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxPointFieldsRelease(RhxPointFields o)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(o->x, o->c, o->tau));
  PetscFunctionReturn(PETSC_SUCCESS);
}
