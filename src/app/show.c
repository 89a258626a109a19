/* list, --version, --help: from the plugins' descriptors and the option tables. */
#include "app/app.h"
#include "boundary/boundary.h"
#include "case/columns.h"
#include "case/version.h"
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include "scheme/scheme.h"

static void view_rows(PetscViewer viewer, const char *prefix, int n, const RhxRow *rows)
{
  for (int k = 0; k < n; k++) {
    const RhxRow *row = &rows[k];
    (void)PetscViewerASCIIPrintf(viewer, "      -%s%-16s %-10s %-8s %s%s\n", prefix, row->name,
                                 row->value ? row->value : "required", row->unit ? row->unit : "", row->help,
                                 row->per_mode ? " (one value, or one a mode)" : "");
  }
}

static PetscErrorCode view_role(PetscViewer viewer, const RhxPlugin *law)
{
  PetscFunctionBegin;
  if (law->kind == RHX_VISCOUS) PetscCall(PetscViewerASCIIPrintf(viewer, "      role: viscous\n"));
  if (law->kind == RHX_POLYMERIC)
    PetscCall(PetscViewerASCIIPrintf(viewer, "      role: polymeric, -polymer_variable %sconformation|logconf%s\n",
                                     law->flags & RHX_LINEAR_SPRING ? "stress|" : "",
                                     law->flags & RHX_OUT_OF_PLANE ? ", carries zz in plane flow" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_plugin(PetscViewer viewer, const RhxPlugin *plugin)
{
  char prefix[128];

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %-14s %s\n", plugin->name, plugin->help));
  PetscCall(view_role(viewer, plugin));
  if (plugin->source) PetscCall(PetscViewerASCIIPrintf(viewer, "      source: %s\n", plugin->source));
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "%s_%s_", plugin->kind == RHX_STABILISER ? "stabiliser" : "physics",
                          plugin->name));
  view_rows(viewer, prefix, plugin->nrows, plugin->rows);
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
    if ((plugin->kind == RHX_STABILISER) == stabilisers) PetscCall(view_plugin(viewer, plugin));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxAppList(const char *word)
{
  static const char *const known[] = {"physics", "stabiliser", "scheme", "boundary"};
  PetscViewer viewer = PETSC_VIEWER_STDOUT_WORLD;
  PetscBool want[4];

  PetscFunctionBegin;
  PetscCall(RhxPluginsLoad(PETSC_COMM_WORLD));
  for (int i = 0; i < 4; i++) want[i] = (PetscBool)(!word || !strcmp(word, known[i]));
  PetscCheck(want[0] || want[1] || want[2] || want[3], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "list: got '%s', expected physics, stabiliser, scheme or boundary", word);
  if (want[0])
    PetscCall(list_plugins(viewer, "Physics (-physics a,b: one viscous law at most, any number of polymeric ones)",
                           PETSC_FALSE));
  if (want[1]) PetscCall(list_plugins(viewer, "Stabilisers (-stabiliser a,b)", PETSC_TRUE));
  if (want[2]) PetscCall(PetscViewerASCIIPrintf(viewer, "Schemes (-scheme): %s\n", RHXTSLUMPED));
  if (want[2]) PetscCall(RhxOptionTablesView("scheme", viewer));
  if (want[3]) PetscCall(PetscViewerASCIIPrintf(viewer, "Boundary conditions (-bc_<label>_type)\n"));
  if (want[3]) PetscCall(RhxBoundaryTypesView(viewer));
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

static const char yaml_help[] =
    "A case is a YAML file; the options of the command line replace those of the file.\n"
    "  Nested keys are joined by '_':   bc: {wall: {type: wall}}   is   -bc_wall_type wall\n"
    "  Lists are joined by ',':         diagnostic: {wall: [bottom, top]}   is   -diagnostic_wall bottom,top\n"
    "  Formulas are text, quoted:       bc_inlet_velocity: \"2*(1-4*y^2), 0\"\n"
    "  Truth:                           true, false, yes, no, 1, 0\n"
    "  A key without a value is an option that is set without a value. A key may stand only once.\n"
    "  One key cannot be a value and a group: physics: a,b   and   physics_b: {modes: 4}\n"
    "  Keys that begin with $$ hold anchors; `<<: *anchor` merges them.\n"
    "  On the command line a value must not begin with '-' and a letter: write -bc_lid_velocity \"0-y,0\" or \" "
    "-y,0\".\n"
    "  Files named in a case are looked for in the current folder, then beside the case.\n"
    "PETSc's own options (-log_view, -ts_monitor, ..., a solver's under its prefix) work as usual; which of them a "
    "case may\n"
    "set, what it may load and where it may write: share/doc/trust.md.\n";

PetscErrorCode RhxAppHelp(const char *word)
{
  PetscViewer viewer = PETSC_VIEWER_STDOUT_WORLD;
  char topics[2048];

  PetscFunctionBegin;
  PetscCall(RhxPluginsLoad(PETSC_COMM_WORLD));
  if (word && !strcmp(word, "table")) {
    PetscCall(RhxColumnsView(viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (word && strcmp(word, "yaml")) {
    PetscCall(RhxOptionTablesView(strcmp(word, "all") ? word : NULL, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s", yaml_help));
  PetscCall(RhxOptionTopics(topics, sizeof(topics)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "Topics: %s, yaml, table, all\n", topics));
  PetscFunctionReturn(PETSC_SUCCESS);
}
