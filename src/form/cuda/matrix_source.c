/* The programs of a matrix and of products on one cell type. */
#include "form/cuda/face_tangent.h"
#include "form/cuda/source.h"

static PetscErrorCode add_field(RhxForm form, PetscInt number, PetscInt *n, int *component)
{
  const RhxSpace sp = form->space;

  PetscFunctionBegin;
  PetscCheck(number >= 0 && number < sp->nfields, form->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "Field %" PetscInt_FMT " of a matrix: expected 0 to %" PetscInt_FMT, number, sp->nfields - 1);
  for (PetscInt k = 0; k < sp->field[number].components; k++) component[(*n)++] = (int)(sp->field[number].offset + k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixBlockSetUp(RhxForm form, const RhxMatrixSpec *spec, RhxMatrixBlock *block)
{
  const RhxSpace sp = form->space;

  PetscFunctionBegin;
  block->nr = block->nc = 0;
  if (spec->kind != RHX_MATRIX_TANGENT) {
    block->nr = block->nc = 1;
    block->row[0] = block->col[0] = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 0; k < (spec->nrows ? spec->nrows : sp->nfields); k++)
    PetscCall(add_field(form, spec->nrows ? spec->row[k] : k, &block->nr, block->row));
  for (PetscInt k = 0; k < (spec->ncols ? spec->ncols : sp->nfields); k++)
    PetscCall(add_field(form, spec->ncols ? spec->col[k] : k, &block->nc, block->col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A text of known room. */
typedef struct {
  char *at;
  size_t length, size;
} Room;

#define ADD(room, ...)                                                                                                 \
  do {                                                                                                                 \
    (room)->length += (size_t)snprintf((room)->at + (room)->length, (room)->size - (room)->length, __VA_ARGS__);       \
    PetscCheck((room)->length < (room)->size, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The program of a matrix is too long"); \
  } while (0)

static PetscErrorCode add_components(Room *text, const char *name, PetscInt n, const int *component)
{
  PetscFunctionBegin;
  ADD(text, "static __device__ constexpr int %s[] = {", name);
  for (PetscInt k = 0; k < n; k++) ADD(text, "%s%d", k ? ", " : "", component[k]);
  ADD(text, "};\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_block(Room *text, const RhxMatrixBlock *block)
{
  PetscFunctionBegin;
  ADD(text, "#define RHX_NR %d\n#define RHX_NC %d\n", (int)block->nr, (int)block->nc);
  PetscCall(add_components(text, "rhx_row", block->nr, block->row));
  PetscCall(add_components(text, "rhx_col", block->nc, block->col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a component has a rate, and what multiplies it; the density is the launch's. */
static PetscErrorCode add_masses(Room *text, RhxFields fields)
{
  PetscFunctionBegin;
  ADD(text, "static __device__ constexpr bool rhx_has_mass[] = {");
  for (PetscInt k = 0; k < fields->n; k++)
    for (PetscInt c = 0; c < fields->field[k].components; c++) ADD(text, "%d, ", fields->field[k].mass != 0.0);
  ADD(text, "};\n#define RHX_MASSES(pass) {");
  for (PetscInt k = 0; k < fields->n; k++)
    for (PetscInt c = 0; c < fields->field[k].components; c++)
      if (fields->field[k].group == RHX_GROUP_VELOCITY)
        ADD(text, "(pass).rho, ");
      else
        ADD(text, "%.17g, ", fields->field[k].mass);
  ADD(text, "}\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_source(const char *name, const char *text, RhxDeviceSource *source)
{
  PetscFunctionBegin;
  PetscCall(RhxDeviceSourceCreate(name, text, source));
  for (int i = 0; i < RhxEmbeddedCount; i++)
    PetscCall(RhxDeviceSourceAddHeader(*source, RhxEmbeddedNames[i], RhxEmbeddedTexts[i]));
  PetscCall(RhxDeviceSourceAddOption(*source, "--std=c++17"));
  PetscCall(RhxDeviceSourceAddOption(*source, "--fmad=true"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxMatrixSource(RhxForm form, const RhxCells *cells, const RhxMatrixSpec *spec,
                               const RhxMatrixBlock *block, RhxAssembly assembly, RhxDeviceSource *source)
{
  const int mode = assembly == RHX_ASSEMBLY_OWNER ? 0 : assembly == RHX_ASSEMBLY_ATOMIC ? 1 : 2;
  Room text = {NULL, 0, 0};
  char *body;

  PetscFunctionBegin;
  PetscCall(RhxFormDeviceText(form, cells, spec->rate, spec->source, "kernels/dual.cuh", "kernels/matrix.cuh", &body));
  text.size = strlen(body) + 16384 +
              128 * (size_t)(block->nr + block->nc + form->space->bs + 16 * (form->nmodes + form->nstabilisers));
  PetscCall(PetscMalloc1(text.size, &text.at));
  ADD(&text, "#define RHX_DIRECTIONS %d\n", (int)form->space->dim + 1);
  ADD(&text, "#define RHX_MASS %d\n#define RHX_MODE %d\n", (int)spec->mass, mode);
  PetscCall(add_block(&text, block));
  PetscCall(add_masses(&text, form->space->fields));
  ADD(&text, "%s", body);
  if (spec->kind != RHX_MATRIX_TANGENT)
    ADD(&text, "%s\n", spec->kind == RHX_MATRIX_LAPLACIAN ? "RHX_LAPLACIAN_KERNEL" : "RHX_MASS_KERNEL");
  else
    for (PetscInt c = 0; c < block->nc; c++) ADD(&text, "RHX_TANGENT_KERNEL(%d)\n", (int)c);
  PetscCall(create_source("rheoplex_matrix.cu", text.at, source));
  PetscCall(PetscFree(text.at));
  PetscCall(PetscFree(body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFaceTangentSource(RhxForm form, const RhxCells *cells, PetscBool rate, PetscBool source,
                                    const RhxMatrixBlock *block, RhxDeviceSource *out)
{
  Room text = {NULL, 0, 0};
  char *body;

  PetscFunctionBegin;
  PetscCall(RhxFormDeviceText(form, cells, rate, source, "kernels/dual.cuh", "kernels/face_tangent.cuh", &body));
  text.size = strlen(body) + 1024 + (block ? 8 * (size_t)(block->nr + block->nc) : 0);
  PetscCall(PetscMalloc1(text.size, &text.at));
  ADD(&text, "#define RHX_DIRECTIONS %d\n", block ? (int)form->space->dim + 1 : 1);
  if (block) PetscCall(add_block(&text, block));
  ADD(&text, "%s", body);
  PetscCall(create_source("rheoplex_face_tangent.cu", text.at, out));
  PetscCall(PetscFree(text.at));
  PetscCall(PetscFree(body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxProductSource(RhxForm form, const RhxCells *cells, PetscBool source, RhxDeviceSource *out)
{
  Room text = {NULL, 0, 0};
  char *body;

  PetscFunctionBegin;
  PetscCall(RhxFormDeviceText(form, cells, form->needs_rate, source, "kernels/dual.cuh", "kernels/product.cuh", &body));
  text.size = strlen(body) + 1024 + 64 * (size_t)form->space->bs;
  PetscCall(PetscMalloc1(text.size, &text.at));
  ADD(&text, "#define RHX_DIRECTIONS 1\n");
  PetscCall(add_masses(&text, form->space->fields));
  ADD(&text, "%s", body);
  PetscCall(create_source("rheoplex_product.cu", text.at, out));
  PetscCall(PetscFree(text.at));
  PetscCall(PetscFree(body));
  PetscFunctionReturn(PETSC_SUCCESS);
}
