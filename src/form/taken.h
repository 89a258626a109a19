/* Stabilisers by name, and those that are taken where the case names none (-stabiliser auto). */
#ifndef RHX_FORM_TAKEN_H
#define RHX_FORM_TAKEN_H
#include "form/form.h"

/* As if -stabiliser named them. */
PetscErrorCode RhxFormSetStabilisers(RhxForm form, const char *names);
/* After RhxFormSetFromOptions. -stabiliser auto: the stabilisers whose flags say so for this form; text: which and why, "": it
 * names its own. Two that provide the same are an error. */
PetscErrorCode RhxFormTakeStabilisers(RhxForm form, size_t size, char *text);
/* Of stabilisers that were taken: without their parts of the pressure where the scheme provides it, which is added to the text.
 * Before RhxFormSetUp. */
PetscErrorCode RhxFormLeavePressure(RhxForm form, unsigned scheme_provides, size_t size, char *text);
/* When a stabiliser is taken, such as "with a polymer"; NULL: where it is named. */
const char *RhxStabiliserTaken(const RhxPlugin *plugin);
#endif
