/* Regions: the physical groups of cells in a mesh file, of which -mesh_regions chooses those that are the fluid. */
#define _POSIX_C_SOURCE 200809L
#include "mesh/mesh.h"
#include "mesh/sides_impl.h"
#include "plugin/option.h"
#include "plugin/word.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 12 /* regions in a message */

/* The arrays grow by doubling: full at every power of two. */
static PetscBool is_full(PetscInt n) { return (PetscBool)((n & (n - 1)) == 0); }

PetscErrorCode RhxCellListAddRegion(RhxCellList *list, const char *name, PetscInt tag, PetscInt *index)
{
  RhxRegion *r;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < list->nregions; k++)
    if (list->regions[k].tag == tag && !strcmp(list->regions[k].name, name)) {
      *index = k;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  if (is_full(list->nregions))
    PetscCall(PetscRealloc(sizeof(*list->regions) * (size_t)PetscMax(1, 2 * list->nregions), &list->regions));
  r = &list->regions[list->nregions];
  PetscCall(PetscMemzero(r, sizeof(*r)));
  r->tag = tag;
  PetscCall(PetscStrallocpy(name, &r->name));
  *index = list->nregions++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListAddMember(RhxCellList *list, PetscInt cell, PetscInt region)
{
  PetscFunctionBegin;
  if (is_full(list->nmembers))
    PetscCall(PetscRealloc(sizeof(*list->members) * (size_t)PetscMax(1, 2 * list->nmembers), &list->members));
  list->members[list->nmembers++] = (RhxMember){cell, region};
  list->regions[region].ncells++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListForgetRegions(RhxCellList *list)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < list->nregions; k++) PetscCall(PetscFree(list->regions[k].name));
  PetscCall(PetscFree(list->regions));
  PetscCall(PetscFree(list->members));
  list->nregions = list->nmembers = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *plural(PetscInt n) { return n == 1 ? "" : "s"; }

/* Cells of no region. */
static PetscErrorCode count_alone(const RhxCellList *list, PetscInt *alone)
{
  PetscBool *mark;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(list->ncells, &mark));
  for (PetscInt k = 0; k < list->nmembers; k++) mark[list->members[k].cell] = PETSC_TRUE;
  *alone = 0;
  for (PetscInt c = 0; c < list->ncells; c++) *alone += !mark[c];
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListDescribeRegions(const RhxCellList *list, size_t size, char *text, PetscInt *n)
{
  PetscInt alone = 0;
  char item[160];

  PetscFunctionBegin;
  text[0] = '\0';
  *n = 0;
  if (!list->nregions) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(count_alone(list, &alone));
  *n = list->nregions + (alone > 0);
  for (PetscInt k = 0; k < PetscMin(list->nregions, SHOWN); k++) {
    snprintf(item, sizeof(item), "%s'%.100s' (%" PetscInt_FMT " cell%s)", k ? ", " : "", list->regions[k].name,
             list->regions[k].ncells, plural(list->regions[k].ncells));
    PetscCall(PetscStrlcat(text, item, size));
  }
  if (list->nregions > SHOWN) {
    snprintf(item, sizeof(item), ", %" PetscInt_FMT " more", list->nregions - SHOWN);
    PetscCall(PetscStrlcat(text, item, size));
  }
  if (alone) {
    snprintf(item, sizeof(item), ", %" PetscInt_FMT " cell%s of none", alone, plural(alone));
    PetscCall(PetscStrlcat(text, item, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By name, else by number; false: there is none. */
static PetscBool mark_word(const RhxCellList *list, const char *word, PetscBool *chosen)
{
  char *end;
  const long tag = strtol(word, &end, 10);
  PetscBool found = PETSC_FALSE;

  for (PetscInt k = 0; k < list->nregions; k++)
    if (!strcmp(list->regions[k].name, word)) chosen[k] = found = PETSC_TRUE;
  for (PetscInt k = 0; !found && end > word && !*end && k < list->nregions; k++)
    if (list->regions[k].tag == tag) chosen[k] = found = PETSC_TRUE;
  return found;
}

static PetscErrorCode refuse_word(const RhxCellList *list, const char *source, const char *given, const char *word)
{
  const char **names, *nearest;
  char text[2048], near[320] = "";
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RhxCellListDescribeRegions(list, sizeof(text), text, &n));
  PetscCall(PetscMalloc1(list->nregions, &names));
  for (PetscInt k = 0; k < list->nregions; k++) names[k] = list->regions[k].name;
  nearest = RhxNearest(word, list->nregions, names);
  if (nearest) snprintf(near, sizeof(near), "; did you mean '%s'?", nearest);
  PetscCall(PetscFree(names));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
          "-mesh_regions %s: got '%s', which is no region of cells of the %s%s Expected names or numbers, separated by "
          "commas, of %s",
          given, word, source, nearest ? near : ".", text);
}

static PetscErrorCode mark_regions(const RhxCellList *list, const char *source, const char *given, PetscBool *chosen)
{
  char *copy, *rest;
  PetscBool any = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCheck(list->nregions, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "-mesh_regions %s: got regions of the %s, which has none: expected a file with physical groups of its "
             "cells (Gmsh: Physical %s(\"name\") = {...};), or no -mesh_regions",
             given, source, list->dim == 2 ? "Surface" : "Volume");
  PetscCall(PetscStrallocpy(given, &copy));
  for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    const char *name = RhxWord(word);
    if (!mark_word(list, name, chosen)) PetscCall(refuse_word(list, source, given, name));
    any = PETSC_TRUE;
  }
  if (!any) PetscCall(refuse_word(list, source, given, ""));
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faces between cells that go do so with them, then names without a face. */
static PetscErrorCode drop_faces(RhxCellList *list, const RhxListSides *sides, const char *source,
                                 const PetscBool *keep)
{
  PetscInt n = 0, nnames = 0, *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(list->nnames, &to));
  for (PetscInt k = 0; k < list->nnames; k++) to[k] = -1;
  for (PetscInt f = 0; f < list->nfaces; f++) {
    PetscInt at, ncells;
    PetscBool stays = PETSC_FALSE;

    PetscCall(RhxListSidesOfFace(sides, list, f, source, &at, &ncells));
    for (PetscInt i = 0; i < ncells; i++) stays = (PetscBool)(stays || keep[sides->side[at + i].face / RHX_MAX_SIDES]);
    if (!stays) continue;
    PetscCall(PetscArraymove(list->face + 4 * n, list->face + 4 * f, 4));
    list->face_name[n++] = list->face_name[f];
    to[list->face_name[f]] = 0;
  }
  list->nfaces = n;
  for (PetscInt k = 0; k < list->nnames; k++) {
    if (to[k] < 0) {
      PetscCall(PetscFree(list->name[k]));
      continue;
    }
    list->name[nnames] = list->name[k];
    to[k] = nnames++;
  }
  list->nnames = nnames;
  for (PetscInt f = 0; f < n; f++) list->face_name[f] = to[list->face_name[f]];
  PetscCall(PetscFree(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode drop_cells(RhxCellList *list, const PetscBool *keep)
{
  PetscInt n = 0, nconn = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < list->ncells; c++) {
    const PetscInt from = list->offset[c], nn = list->offset[c + 1] - from;

    if (!keep[c]) continue;
    PetscCall(PetscArraymove(list->conn + nconn, list->conn + from, nn));
    if (list->xc) PetscCall(PetscArraymove(list->xc + nconn * list->dim, list->xc + from * list->dim, nn * list->dim));
    if (list->entity) list->entity[n] = list->entity[c];
    list->type[n] = list->type[c];
    list->offset[n++] = nconn;
    nconn += nn;
  }
  list->offset[n] = nconn;
  list->ncells = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices that no cell uses go; the others keep their order. */
static PetscErrorCode drop_vertices(RhxCellList *list)
{
  PetscInt n = 0, *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(list->nvertices, &to));
  for (PetscInt v = 0; v < list->nvertices; v++) to[v] = -1;
  for (PetscInt k = 0; k < list->offset[list->ncells]; k++) to[list->conn[k]] = 0;
  for (PetscInt v = 0; v < list->nvertices; v++) {
    if (to[v] < 0) continue;
    PetscCall(PetscArraymove(list->x + n * list->dim, list->x + v * list->dim, list->dim));
    to[v] = n++;
  }
  list->nvertices = n;
  for (PetscInt k = 0; k < list->offset[list->ncells]; k++) list->conn[k] = to[list->conn[k]];
  for (PetscInt k = 0; k < 4 * list->nfaces; k++)
    if (list->face[k] >= 0) list->face[k] = to[list->face[k]];
  PetscCall(PetscFree(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode drop(RhxCellList *list, const char *source, const PetscBool *keep)
{
  RhxListSides sides = {0};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(RhxListSidesCreate(list, &sides));
  ierr = drop_faces(list, &sides, source, keep);
  PetscCall(RhxListSidesDestroy(&sides));
  PetscCall(ierr);
  PetscCall(drop_cells(list, keep));
  PetscCall(drop_vertices(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RhxCellListChoose(RhxCellList *list, const char *source, const char *given)
{
  PetscBool *chosen, *keep;
  PetscInt n = 0;

  PetscFunctionBegin;
  if (!given[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(list->nregions + 1, &chosen));
  PetscCall(mark_regions(list, source, given, chosen));
  PetscCall(PetscCalloc1(list->ncells, &keep));
  for (PetscInt k = 0; k < list->nmembers; k++)
    if (chosen[list->members[k].region]) keep[list->members[k].cell] = PETSC_TRUE;
  for (PetscInt c = 0; c < list->ncells; c++) n += keep[c];
  if (n < list->ncells) PetscCall(drop(list, source, keep));
  PetscCall(PetscFree(chosen));
  PetscCall(PetscFree(keep));
  PetscFunctionReturn(PETSC_SUCCESS);
}
