/* Diagnostics that look at labels: their option, the labels, and columns for each. */
#include "diagnostics/named.h"
#include "plugin/word.h"
#include <stddef.h>
#include <string.h>

const RhxRow RhxLabelRow = RHX_LABEL_ROW(RhxLabelOptions, label);

/* Error if the label has no boundary face. */
static PetscErrorCode check_label(const RhxDiagnostic *d, const char *name)
{
  RhxMesh mesh = RhxDiagnosticGetRun(d)->form->space->mesh;
  PetscInt nfaces, nlabels;
  const char *const *label;
  char known[1024] = "";
  size_t used = 0;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetLabelFaceCount(mesh, name, &nfaces));
  if (nfaces > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxMeshGetLabels(mesh, &nlabels, &label));
  for (PetscInt k = 0; k < nlabels && used + 160 < sizeof(known); k++) {
    PetscCall(RhxMeshGetLabelFaceCount(mesh, label[k], &nfaces));
    PetscCall(PetscSNPrintf(known + used, sizeof(known) - used, "%s%s (%" PetscInt_FMT " faces)", k ? ", " : "",
                            label[k], nfaces));
    PetscCall(PetscStrlen(known, &used));
  }
  SETERRQ(RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT, "%s: no boundary face has the label '%s'; the mesh has %s",
          d->option, name, known);
}

static PetscErrorCode split(RhxDiagnostic *d, const char *text)
{
  char **word;
  int n;

  PetscFunctionBegin;
  PetscCall(PetscStrToArray(text, ',', &n, &word));
  PetscCall(PetscCalloc1(n, &d->label));
  for (int i = 0; i < n; i++) {
    const char *label = RhxWord(word[i]);
    if (label[0]) PetscCall(PetscStrallocpy(label, &d->label[d->nlabels++]));
  }
  PetscCall(PetscStrToArrayDestroy(n, word));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticSetLabels(RhxDiagnostic *d, PetscInt n, const char *const *ends, const char *unit)
{
  char *column;
  size_t size;

  PetscFunctionBegin;
  PetscCall(split(d, ((const RhxLabelOptions *)d->own)->label));
  PetscCheck(d->nlabels, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
             "%s: got no label, expected labels of boundary faces", d->option);
  for (PetscInt i = 0; i < d->nlabels; i++) {
    PetscCall(check_label(d, d->label[i]));
    for (PetscInt k = 0; k < i; k++)
      PetscCheck(strcmp(d->label[i], d->label[k]) != 0, RhxDiagnosticGetComm(d), PETSC_ERR_USER_INPUT,
                 "%s: got the label '%s' twice, expected it once", d->option, d->label[i]);
    for (PetscInt k = 0; k < n; k++) {
      size = strlen(d->label[i]) + strlen(ends[k]) + 2;
      PetscCall(PetscMalloc1(size, &column));
      PetscCall(PetscSNPrintf(column, size, "%s_%s", d->label[i], ends[k]));
      PetscCall(RhxDiagnosticAddColumnUnit(d, column, unit));
      PetscCall(PetscFree(column));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxDiagnosticSetAllLabels(RhxDiagnostic *d)
{
  const RhxSpace space = RhxDiagnosticGetRun(d)->form->space;

  PetscFunctionBegin;
  d->nlabels = space->nlabels;
  PetscCall(PetscMalloc1(space->nlabels, &d->label));
  for (PetscInt l = 0; l < space->nlabels; l++) PetscCall(PetscStrallocpy(space->faces[l].label, &d->label[l]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
