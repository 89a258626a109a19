#include "output/field_files_impl.h"
#include "petsc_compat.h"

const RhxRow RhxFieldFileRow = {"precision",
                                RHX_CHOICE,
                                0,
                                offsetof(RhxFieldFileOptions, precision),
                                "double",
                                RHX_ANY,
                                0,
                                0,
                                "double|single",
                                "",
                                "of the values in files of fields (single: half their size; positions are double)"};

PetscErrorCode RhxFieldFilesCreate(RhxWriter *w, const RhxFieldFormat *format)
{
  RhxFieldFiles *o;

  PetscFunctionBegin;
  PetscCall(PetscNew(&o));
  w->data = o;
  o->output = w->output;
  PetscCall(RhxFileListCreate(w->output, "", format->type->list, format->names, &o->list));
  PetscCall(RhxVtuCreate(w->output->form->space, &o->vtu));
  o->vtu->single = (PetscBool)(((const RhxFieldFileOptions *)w->own)->precision == 1);
  PetscCall(RhxPointFieldsCreate(w->output->form, o->vtu, &o->fields));
  PetscCall(RhxPointFieldsSelect(o->fields, "-output_fields", w->output->list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldFilesRestart(RhxWriter *w, PetscInt step, PetscInt *last)
{
  PetscFunctionBegin;
  PetscCall(RhxFileListRestart(((RhxFieldFiles *)w->data)->list, step, last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldFilesDestroy(RhxWriter *w)
{
  RhxFieldFiles *o = w->data;

  PetscFunctionBegin;
  if (!o) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxPointFieldsDestroy(&o->fields));
  PetscCall(RhxVtuDestroy(&o->vtu));
  PetscCall(RhxFileListDestroy(&o->list));
  PetscCall(PetscFree(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldFilesWriteState(const RhxFieldFiles *o, RhxFieldWriteFn write, const char *file,
                                       const RhxOutputStep *now, int *err)
{
  PetscFunctionBegin;
  o->fields->dt = now->dt;
  PetscCall(RhxPointFieldsGather(o->fields, NULL, now->x));
  PetscCall(write(o->vtu, file, now->t, o->fields->n, o->fields->field, RhxPointFieldsFill, o->fields, err));
  PetscCall(RhxPointFieldsRelease(o->fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldFilesName(const RhxFieldFiles *o, PetscInt step, size_t size, char *file, char *temporary)
{
  PetscFunctionBegin;
  PetscCall(RhxFileListGetFile(o->list, step, size, file));
  PetscCall(PetscSNPrintf(temporary, size, "%s.tmp", file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFieldFilesPlace(const RhxFieldFiles *o, const RhxOutputStep *now, const char *temporary,
                                  const char *file, int err, char problem[RHX_OUTPUT_MESSAGE])
{
  PetscFunctionBegin;
  RhxOutputDescribe("field output", file, err, problem);
  if (!err) PetscCall(RhxOutputPlace(o->output, temporary, file, problem));
  if (!problem[0]) PetscCall(RhxFileListAdd(o->list, now->step, now->t, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}
