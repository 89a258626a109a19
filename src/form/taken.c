/* -stabiliser auto: which stabilisers a form gets that names none. */
#include "form/taken.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include <string.h>

static const struct {
  unsigned flag;
  const char *when;
} taken[] = {{RHX_TAKEN, "in every flow"}, {RHX_TAKEN_WITH_POLYMER, "with a polymer"}};

const char *RhxStabiliserTaken(const RhxPlugin *plugin)
{
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(taken); k++)
    if (plugin->kind == RHX_STABILISER && plugin->flags & taken[k].flag) return taken[k].when;
  return NULL;
}

static PetscBool fits(RhxForm form, const RhxPlugin *plugin)
{
  return (PetscBool)(RhxStabiliserTaken(plugin) && (plugin->flags & RHX_TAKEN || form->nmodes));
}

static unsigned provided(const RhxPlugin *plugin)
{
  unsigned flags = plugin->flags;
  for (int k = 0; k < plugin->nparts; k++) flags |= plugin->parts[k].flags;
  return flags & (RHX_PROVIDES_PRESSURE | RHX_PROVIDES_MOMENTUM | RHX_PROVIDES_TENSOR | RHX_PROVIDES_DIVERGENCE |
                  RHX_PROVIDES_COUPLING | RHX_PROVIDES_SCALAR | RHX_PROVIDES_CAPTURING);
}

static PetscErrorCode check_rivals(RhxForm form, PetscInt n, const RhxPlugin *const *plugin)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < i; j++)
      PetscCheck(
          !(provided(plugin[i]) & provided(plugin[j])), form->comm, PETSC_ERR_ARG_INCOMP,
          "The stabilisers '%s' and '%s' both say that they are taken where the case names none, and provide the "
          "same: got two, expected one (-stabiliser names it)",
          plugin[j]->name, plugin[i]->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append(size_t size, char *list, const char *between, const char *item)
{
  PetscFunctionBegin;
  if (list[0]) PetscCall(PetscStrlcat(list, between, size));
  PetscCall(PetscStrlcat(list, item, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormTakeStabilisers(RhxForm form, size_t size, char *text)
{
  const RhxPlugin *plugin, *of[RHX_MAX_STABILISERS];
  char names[RHX_STRING_LENGTH] = "auto", item[256];
  PetscInt n, found = 0;
  PetscFunctionBegin;
  text[0] = '\0';
  PetscCall(PetscOptionsGetString(NULL, NULL, "-stabiliser", names, sizeof(names), NULL));
  if (strcmp(names, "auto")) PetscFunctionReturn(PETSC_SUCCESS);
  names[0] = '\0';
  PetscCall(RhxPluginCount(&n));
  for (PetscInt i = 0; i < n && found < RHX_MAX_STABILISERS; i++) {
    PetscCall(RhxPluginGet(i, &plugin, NULL));
    if (!fits(form, plugin)) continue;
    of[found++] = plugin;
    PetscCall(append(sizeof(names), names, ",", plugin->name));
    PetscCall(PetscSNPrintf(item, sizeof(item), "%s (%s)", plugin->name, RhxStabiliserTaken(plugin)));
    PetscCall(append(size, text, ", ", item));
  }
  PetscCall(check_rivals(form, found, of));
  PetscCall(RhxFormSetStabilisers(form, names));
  if (found) PetscCall(PetscStrlcat(text, ": -stabiliser names none", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts without those of the pressure become the option's value. */
static PetscErrorCode leave_parts(RhxForm form, RhxFormStabiliser *st, size_t size, char *text)
{
  const RhxPlugin *plugin = st->plugin;
  char option[256], parts[1024] = "", left[256];
  PetscBool given;
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-stabiliser_%s_parts", plugin->name));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &given));
  if (given) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < plugin->nparts; k++) {
    if (!(plugin->parts[k].flags & RHX_PROVIDES_PRESSURE)) {
      PetscCall(append(sizeof(parts), parts, ",", plugin->parts[k].name));
      continue;
    }
    PetscCall(
        PetscSNPrintf(left, sizeof(left), "without its part %s, which the scheme provides", plugin->parts[k].name));
    PetscCall(append(size, text, "; ", left));
  }
  PetscCall(PetscOptionsSetValue(NULL, option, parts));
  PetscCall(RhxStabiliserParts(form->comm, plugin, &st->stage.parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormLeavePressure(RhxForm form, unsigned scheme_provides, size_t size, char *text)
{
  PetscFunctionBegin;
  if (!text[0] || !(scheme_provides & RHX_PROVIDES_PRESSURE)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < form->nstabilisers; k++)
    if (provided(form->stabiliser[k].plugin) & RHX_PROVIDES_PRESSURE)
      PetscCall(leave_parts(form, &form->stabiliser[k], size, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxFormAdviseCapturing(RhxForm form, size_t size, char *names)
{
  const RhxPlugin *plugin;
  PetscInt n;
  PetscFunctionBegin;
  names[0] = '\0';
  if (form->swirl >= 0 || !(form->provides & RHX_PROVIDES_SCALAR) || form->provides & RHX_PROVIDES_CAPTURING ||
      form->nstabilisers == RHX_MAX_STABILISERS)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxPluginCount(&n));
  for (PetscInt i = 0; i < n && !names[0]; i++) {
    PetscCall(RhxPluginGet(i, &plugin, NULL));
    if (plugin->kind != RHX_STABILISER || !(provided(plugin) & RHX_PROVIDES_CAPTURING)) continue;
    for (PetscInt k = 0; k < form->nstabilisers; k++)
      PetscCall(append(size, names, ",", form->stabiliser[k].plugin->name));
    PetscCall(append(size, names, ",", plugin->name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
