#include "space/field.h"
#include "petsc_compat.h"
#include <rheoplex/plugin.h>
#include <string.h>

PetscErrorCode RhxFieldsCreate(MPI_Comm comm, PetscInt dim, PetscInt ntens, RhxFields *fields)
{
  PetscFunctionBegin;
  PetscCheck(ntens == 3 || ntens == 4 || ntens == 6, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a tensor has %" PetscInt_FMT " components: expected 3, 4 or 6", ntens);
  PetscCheck(dim == 2 || ntens == 6, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a tensor has %" PetscInt_FMT " components on a %" PetscInt_FMT "D mesh: expected %s", ntens, dim, "6");
  PetscCall(PetscNew(fields));
  (*fields)->comm = comm;
  (*fields)->dim = dim;
  (*fields)->ntens = ntens;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy(RhxFields fields, const char *field, const char *from, char *to, size_t size)
{
  PetscFunctionBegin;
  if (!from) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(strlen(from) < size, fields->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "Field '%s': got the text \"%s\", expected less than %d characters", field, from, (int)size);
  PetscCall(PetscStrncpy(to, from, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Some are not there yet. */
static PetscErrorCode check_couplings(RhxFields fields, const RhxFieldRow *row)
{
  static const char *const name[] = {"couple", "eddy", "shift", "wall distance"}; /* in the order of the flags */
  const unsigned lacking = row->couplings & (RHX_ADDS_EDDY | RHX_NEEDS_DISTANCE);
  char asked[128] = "";

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(name); k++) {
    if (!(lacking & (1u << k))) continue;
    PetscCall(PetscStrlcat(asked, asked[0] ? ", " : "", sizeof(asked)));
    PetscCall(PetscStrlcat(asked, name[k], sizeof(asked)));
  }
  PetscCheck(
      !lacking, fields->comm, PETSC_ERR_SUP,
      "Field '%s' of '%s' declares %s, which this Rheoplex does not compute for scalar fields: expected a field that "
      "needs none of it, or that shifts the laws or drives the flow (option -physics)",
      row->name, row->owner, asked);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldsAdd(RhxFields fields, const RhxFieldRow *row)
{
  const PetscInt components[] = {1, fields->dim, fields->ntens};
  const RhxField *other = RhxFieldsFind(fields, row->name);
  RhxField *f;

  PetscFunctionBegin;
  PetscCheck(!other, fields->comm, PETSC_ERR_ARG_INCOMP,
             "Field '%s' is declared twice: by '%s' and by '%s', expected a name of its own for each", row->name,
             other->owner, row->owner);
  PetscCall(check_couplings(fields, row));
  PetscCheck(!fields->n || fields->field[fields->n - 1].group <= row->group, fields->comm, PETSC_ERR_ORDER,
             "Field '%s' comes after fields of a later group", row->name);
  PetscCall(PetscRealloc(sizeof(*fields->field) * (fields->n + 1), &fields->field));
  f = &fields->field[fields->n++];
  *f = (RhxField){.kind = row->kind,
                  .group = row->group,
                  .reflection = row->reflection,
                  .mass = row->mass,
                  .lower = row->lower,
                  .upper = row->upper,
                  .couplings = row->couplings,
                  .components = components[row->kind],
                  .offset = fields->bs};
  PetscCall(copy(fields, row->name, row->name, f->name, sizeof(f->name)));
  PetscCall(copy(fields, row->name, row->unit, f->unit, sizeof(f->unit)));
  PetscCall(copy(fields, row->name, row->output, f->output, sizeof(f->output)));
  PetscCall(copy(fields, row->name, row->owner, f->owner, sizeof(f->owner)));
  PetscCall(copy(fields, row->name, row->former, f->former, sizeof(f->former)));
  fields->bs += f->components;
  fields->count[row->group]++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldsAddFlow(RhxFields fields, double rho, PetscInt nmodes, const char *mode, const char *unit,
                                const char *former)
{
  PetscFunctionBegin;
  PetscCall(RhxFieldsAdd(fields, &(RhxFieldRow){.name = "velocity",
                                                .unit = "m/s",
                                                .output = "velocity",
                                                .owner = "core",
                                                .kind = RHX_VECTOR,
                                                .group = RHX_GROUP_VELOCITY,
                                                .reflection = RHX_REFLECTS_NORMAL,
                                                .mass = rho,
                                                .lower = PETSC_NINFINITY,
                                                .upper = PETSC_INFINITY}));
  PetscCall(RhxFieldsAdd(fields, &(RhxFieldRow){.name = "pressure",
                                                .unit = "Pa",
                                                .output = "pressure",
                                                .owner = "core",
                                                .kind = RHX_SCALAR,
                                                .group = RHX_GROUP_PRESSURE,
                                                .reflection = RHX_REFLECTS_EVEN,
                                                .mass = 0,
                                                .lower = PETSC_NINFINITY,
                                                .upper = PETSC_INFINITY}));
  for (PetscInt k = 0; k < nmodes; k++) {
    char name[64], old[64];
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s_%" PetscInt_FMT, mode, k));
    if (former) PetscCall(PetscSNPrintf(old, sizeof(old), "%s_%" PetscInt_FMT, former, k));
    PetscCall(RhxFieldsAdd(fields, &(RhxFieldRow){.name = name,
                                                  .unit = unit,
                                                  .owner = "core",
                                                  .former = former ? old : NULL,
                                                  .kind = RHX_TENSOR,
                                                  .group = RHX_GROUP_MODES,
                                                  .reflection = RHX_REFLECTS_SHEAR,
                                                  .mass = 1,
                                                  .lower = PETSC_NINFINITY,
                                                  .upper = PETSC_INFINITY}));
  }
  PetscCheck(RhxFieldsStart(fields, RHX_GROUP_VELOCITY) == RHX_CORE_VELOCITY &&
                 RhxFieldsStart(fields, RHX_GROUP_PRESSURE) == RHX_CORE_PRESSURE(fields->dim) &&
                 RhxFieldsStart(fields, RHX_GROUP_MODES) == RHX_CORE_MODES(fields->dim),
             fields->comm, PETSC_ERR_PLIB, "The table of fields begins otherwise than src/space/field.h says");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Number of the first field of a group. */
static PetscInt first_of(RhxFields fields, RhxFieldGroup group)
{
  PetscInt n = 0;
  for (int g = 0; g < (int)group; g++) n += fields->count[g];
  return n;
}

const RhxField *RhxFieldsGet(RhxFields fields, RhxFieldGroup group, PetscInt k)
{
  return &fields->field[first_of(fields, group) + k];
}

void RhxFieldsSetDensity(RhxFields fields, double rho)
{
  fields->field[first_of(fields, RHX_GROUP_VELOCITY)].mass = rho;
}

PetscInt RhxFieldsStart(RhxFields fields, RhxFieldGroup group)
{
  const PetscInt first = first_of(fields, group);
  return first < fields->n ? fields->field[first].offset : fields->bs;
}

PetscInt RhxFieldsEnd(RhxFields fields, RhxFieldGroup group)
{
  const PetscInt next = first_of(fields, group) + fields->count[group];
  return next < fields->n ? fields->field[next].offset : fields->bs;
}

void RhxFieldsOffsets(RhxFields fields, RhxOffset offset[RHX_NOFFSETS])
{
  static const char *const name[] = {"RHX_FIRST_VELOCITY", "RHX_FIRST_PRESSURE", "RHX_FIRST_MODE", "RHX_FIRST_SCALAR"};
  for (int g = 0; g < RHX_NGROUPS; g++) {
    memcpy(offset[g].name, name[g], strlen(name[g]) + 1);
    offset[g].value = RhxFieldsStart(fields, (RhxFieldGroup)g);
  }
  memcpy(offset[RHX_NGROUPS].name, "RHX_BS", sizeof("RHX_BS"));
  offset[RHX_NGROUPS].value = fields->bs;
}

const RhxField *RhxFieldsFind(RhxFields fields, const char *name)
{
  for (PetscInt k = 0; k < fields->n; k++)
    if (!strcmp(fields->field[k].name, name)) return &fields->field[k];
  return NULL;
}

PetscErrorCode RhxFieldsDestroy(RhxFields *fields)
{
  PetscFunctionBegin;
  if (!*fields) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*fields)->field));
  PetscCall(PetscFree(*fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}
