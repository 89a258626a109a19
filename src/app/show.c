/* list, --version: from the plugins' descriptors and the option tables. */
#include "app/app.h"
#include "boundary/types.h"
#include "case/version.h"
#include "diagnostics/named.h"
#include "form/taken.h"
#include "output/output.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include "scheme/scheme.h"

/* The registered rows of a prefix, with what the registry adds: modes, parts. */
static PetscErrorCode view_rows(PetscViewer viewer, const char *prefix)
{
  const RhxOptionTable *table;

  PetscFunctionBegin;
  for (PetscInt t = 0; (table = RhxOptionTableGet(t)); t++)
    for (PetscInt k = 0; k < table->nrows && !strcmp(table->prefix, prefix); k++) {
      const RhxRow *row = &table->rows[k];
      char name[128], takes[256] = "text";

      PetscCall(PetscSNPrintf(name, sizeof(name), "-%s%s", prefix, row->name));
      if (row->kind != RHX_STRING) RhxRowDescribe(row, takes, sizeof(takes));
      PetscCall(PetscViewerASCIIPrintf(viewer, "      %-36s %-10s %s: %s%s\n", name,
                                       row->value ? row->value : "required", row->help, takes,
                                       row->per_mode ? ", one for all modes or one a mode" : ""));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_role(PetscViewer viewer, const RhxPlugin *law)
{
  PetscFunctionBegin;
  if (law->kind == RHX_VISCOUS) PetscCall(PetscViewerASCIIPrintf(viewer, "      role: viscous\n"));
  if (law->kind == RHX_POLYMERIC)
    PetscCall(PetscViewerASCIIPrintf(viewer, "      role: polymeric, -polymer_variable %sconformation|logconf%s\n",
                                     law->flags & RHX_LINEAR_SPRING ? "stress|" : "",
                                     law->flags & RHX_OUT_OF_PLANE ? ", carries zz in plane flow" : ""));
  for (int k = 0; k < law->nscalars; k++)
    PetscCall(PetscViewerASCIIPrintf(viewer, "      role: scalar field %s (%s), %s\n", law->scalars[k].name,
                                     law->scalars[k].unit, law->scalars[k].help));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppViewPlugin(PetscViewer viewer, const RhxPlugin *plugin)
{
  char prefix[128];

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %-14s %s\n", plugin->name, plugin->help));
  PetscCall(view_role(viewer, plugin));
  if (plugin->source) PetscCall(PetscViewerASCIIPrintf(viewer, "      source: %s\n", plugin->source));
  if (RhxStabiliserTaken(plugin))
    PetscCall(
        PetscViewerASCIIPrintf(viewer, "      taken where -stabiliser names none, %s\n", RhxStabiliserTaken(plugin)));
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "%s_%s_", plugin->kind == RHX_STABILISER ? "stabiliser" : "physics",
                          plugin->name));
  PetscCall(view_rows(viewer, prefix));
  for (int k = 0; k < plugin->nparts; k++)
    PetscCall(PetscViewerASCIIPrintf(viewer, "      part %-12s %s\n", plugin->parts[k].name, plugin->parts[k].help));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_plugins(PetscViewer viewer, const char *title, PetscBool stabilisers)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", title));
  PetscCall(RhxPluginCount(&n));
  for (PetscInt i = 0; i < n; i++) {
    const RhxPlugin *plugin;
    const char *file;

    PetscCall(RhxPluginGet(i, &plugin, &file));
    if ((plugin->kind == RHX_STABILISER) == stabilisers) PetscCall(RhxAppViewPlugin(viewer, plugin));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum { LIST_PHYSICS, LIST_STABILISER, LIST_SCHEME, LIST_BOUNDARY, LIST_DIAGNOSTIC, LIST_OUTPUT, LIST_CASES, NLISTS };
static const char *const lists[NLISTS] = {"physics",    "stabiliser", "scheme", "boundary",
                                          "diagnostic", "output",     "cases"};

static PetscErrorCode view_scheme(const char *name, PetscBool *found, PetscViewer viewer)
{
  const RhxOptionTable *table;
  char prefix[128];

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "scheme_%.100s_", name));
  for (PetscInt t = 0; (table = RhxOptionTableGet(t)); t++) {
    if (strncmp(table->prefix, prefix, strlen(prefix))) continue;
    if (!*found) PetscCall(PetscViewerASCIIPrintf(viewer, "scheme %s\n", name));
    *found = PETSC_TRUE;
    PetscCall(RhxRowsView(table->prefix, table->nrows, table->rows, viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_scheme(const char *name)
{
  char names[512];
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(RhxSchemeNames(sizeof(names), names));
  PetscCall(view_scheme(name, &found, PETSC_VIEWER_STDOUT_WORLD));
  PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "list scheme: got '%.100s', expected one of %s", name,
             names);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppViewNamed(const char *name, PetscBool *found, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(view_scheme(name, found, viewer));
  if (RhxBoundaryHasType(name)) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "condition (-bc_<label>_type) "));
    PetscCall(RhxBoundaryTypesView(name, viewer));
    *found = PETSC_TRUE;
  }
  if (RhxDiagnosticsHasKind(name)) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "diagnostic (-diagnostic_<name>_kind) "));
    PetscCall(RhxDiagnosticsKindsView(name, viewer));
    *found = PETSC_TRUE;
  }
  if (RhxOutputHasFormat(name)) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "format (-output_formats) "));
    PetscCall(RhxOutputFormatsView(name, viewer));
    *found = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What has that name in a list. */
static PetscErrorCode list_one(int which, const char *name)
{
  PetscViewer viewer = PETSC_VIEWER_STDOUT_WORLD;
  const RhxPlugin *plugin;

  PetscFunctionBegin;
  PetscCheck(which != LIST_CASES, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "list cases: got '%s' after it, expected nothing (rheoplex init %s copies a case)", name, name);
  if (which == LIST_SCHEME) PetscCall(list_scheme(name));
  if (which == LIST_BOUNDARY) PetscCall(RhxBoundaryTypesView(name, viewer));
  if (which == LIST_DIAGNOSTIC) PetscCall(RhxDiagnosticsKindsView(name, viewer));
  if (which == LIST_OUTPUT) PetscCall(RhxOutputFormatsView(name, viewer));
  if (which > LIST_STABILISER) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RhxPluginFind(PETSC_COMM_WORLD, which == LIST_PHYSICS ? RHX_VISCOUS : RHX_STABILISER, name, &plugin));
  PetscCall(RhxAppViewPlugin(viewer, plugin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode list_all(int which)
{
  PetscViewer viewer = PETSC_VIEWER_STDOUT_WORLD;
  char schemes[512];

  PetscFunctionBegin;
  PetscCall(RhxSchemeNames(sizeof(schemes), schemes));
  if (which == LIST_PHYSICS)
    PetscCall(list_plugins(viewer, "Physics (-physics a,b: one viscous law at most, any number of polymeric ones)",
                           PETSC_FALSE));
  if (which == LIST_STABILISER) PetscCall(list_plugins(viewer, "Stabilisers (-stabiliser a,b)", PETSC_TRUE));
  if (which == LIST_SCHEME) PetscCall(PetscViewerASCIIPrintf(viewer, "Schemes (-scheme): %s\n", schemes));
  if (which == LIST_SCHEME) PetscCall(RhxOptionTablesView("scheme", viewer));
  if (which == LIST_BOUNDARY) PetscCall(PetscViewerASCIIPrintf(viewer, "Boundary conditions (-bc_<label>_type)\n"));
  if (which == LIST_BOUNDARY) PetscCall(RhxBoundaryTypesView(NULL, viewer));
  if (which == LIST_DIAGNOSTIC) PetscCall(PetscViewerASCIIPrintf(viewer, "Diagnostics (-diagnostic_<name>_kind)\n"));
  if (which == LIST_DIAGNOSTIC) PetscCall(RhxDiagnosticsKindsView(NULL, viewer));
  if (which == LIST_OUTPUT) PetscCall(PetscViewerASCIIPrintf(viewer, "Formats of output (-output_formats)\n"));
  if (which == LIST_OUTPUT) PetscCall(RhxOutputFormatsView(NULL, viewer));
  if (which == LIST_CASES) PetscCall(RhxAppListCases());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppList(const char *word)
{
  char first[256] = "";
  const char *rest = "", *near;
  int which = -1;

  PetscFunctionBegin;
  PetscCall(RhxPluginsLoad(PETSC_COMM_WORLD));
  if (word) {
    PetscCall(PetscSNPrintf(first, sizeof(first), "%.*s", (int)PetscMin(strcspn(word, " "), 200), word));
    rest = word + strcspn(word, " ");
    rest += strspn(rest, " ");
  }
  for (int i = 0; i < NLISTS; i++)
    if (!strcmp(first, lists[i])) which = i;
  near = RhxNearest(first, NLISTS, lists);
  PetscCheck(!word || which >= 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "list: got '%s', expected physics, stabiliser, scheme, boundary, diagnostic, output or cases%s%s%s", first,
             near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
  if (rest[0])
    PetscCall(list_one(which, rest));
  else
    for (int i = 0; i < NLISTS; i++)
      if (which == i || which < 0) PetscCall(list_all(i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppVersion(const char *word)
{
  PetscViewer viewer = PETSC_VIEWER_STDOUT_WORLD;

  PetscFunctionBegin;
  (void)word;
  PetscCall(RhxVersionView(viewer));
  PetscCall(RhxPluginsLoad(PETSC_COMM_WORLD));
  PetscCall(RhxPluginsView(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
