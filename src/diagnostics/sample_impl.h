/* Fields by name that a diagnostic looks at: at all nodes, or at points. */
#ifndef RHX_SAMPLE_IMPL_H
#define RHX_SAMPLE_IMPL_H
#include "diagnostics/named.h"
#include "kernels/nodal.h"
#include "output/quantity.h"
#include "space/locate.h"

typedef struct RhxFieldSample {
  RhxQuantities *all;       /* owned, as what follows */
  PetscInt n, *which;       /* [n] of all */
  PetscInt ncomponents;     /* that are told, of all of them */
  PetscBool slope;          /* one is made from velocity gradients */
  RhxNodalComponents state; /* told components of fields that are parts of the state, field by field */
  RhxPlaces *places;        /* NULL: no points */
  IS nodes;                 /* local nodes of the points' elements, and */
  PetscInt *at;             /* [places->nmine][8] where they stand in it */
  PetscScalar *x,
      *L; /* [nlocal][bs], [nlocal][m][m] (output/quantity.h) or NULL, where a field needs them: between Load and Unload */
  PetscBool whole; /* of RhxFieldSampleTakeSwirl */
} RhxFieldSample;

#define RHX_FIELDS_ROW(type, member, start)                                                                          \
  {                                                                                                                  \
    "fields", RHX_STRING, 0, offsetof(type, member), start, RHX_ANY, 0, 0, NULL, "1",                                \
        "fields that are looked at, comma-separated: names of -output_fields, `default` or `all`, without those of " \
        "elements"                                                                                                   \
  }

#define RHX_POINTS_ROW(type, member)                                               \
  {                                                                                \
    "points", RHX_STRING, 0, offsetof(type, member), "", RHX_ANY, 0, 0, NULL, "m", \
        "coordinates of points, such as '0.1,0.2; 0.3,0.4'"                        \
  }
#define RHX_POINTS_FILE_ROW(type, member)                                              \
  {                                                                                    \
    "points_file", RHX_STRING, 0, offsetof(type, member), "", RHX_ANY, 0, 0, NULL, "", \
        "CSV of points instead, coordinates x,y(,z) on every line [m]"                 \
  }

/* d->sample, which goes with the diagnostic. names: of the option -diagnostic_<name>_fields; those of elements are refused, or
 * left out of `default` and `all`. */
PetscErrorCode RhxFieldSampleCreate(RhxDiagnostic *d, const char *names);
/* With swirl u_theta is told as the third component of the velocity, as in files. */
PetscErrorCode RhxFieldSampleTakeSwirl(RhxFieldSample *sample);
/* The same as RhxFieldSampleCreate at the n points of the text of -diagnostic_<name>_points. */
PetscErrorCode RhxFieldSampleCreateAt(RhxDiagnostic *d, const char *names, const char *points, const char *file,
                                      PetscInt *n);
/* Points x[n][dim], the same on every rank; one outside the mesh is an error that tells the nearest node. */
PetscErrorCode RhxFieldSampleSetPoints(RhxDiagnostic *d, RhxFieldSample *sample, PetscInt n, const PetscReal *x,
                                       const char *option);
PetscErrorCode RhxFieldSampleSetPlaces(RhxFieldSample *sample, RhxPlaces *places); /* taken over */
/* Columns <field>[_<component>]<after>, in the field's unit times m^power. */
PetscErrorCode RhxFieldSampleAddColumns(RhxDiagnostic *d, const RhxFieldSample *sample, PetscInt power,
                                        const char *after);
/* Components of field i that are told: of a vector in the plane two. Values have all, RhxQuantity.components. */
PetscInt RhxFieldSampleCount(const RhxFieldSample *sample, PetscInt i);
/* Name of component c of field i, such as velocity_x, stress_xy. */
void RhxFieldSampleName(const RhxFieldSample *sample, PetscInt i, PetscInt c, size_t size, char *name);
/* Is field i a part of the state? at: NULL, or where its components begin in sample->state.at. */
PetscBool RhxFieldSampleIsState(const RhxFieldSample *sample, PetscInt i, PetscInt *at);
/* The present state, of which the components are up to date that its fields are made from, without `all` those that are no parts of the
 * state: from a device these alone travel. Collective, as the rest. */
PetscErrorCode RhxFieldSampleLoad(RhxDiagnostic *d, RhxFieldSample *sample, PetscBool all);
PetscErrorCode RhxFieldSampleUnload(RhxFieldSample *sample);
/* out[npoints][ncomponents] at the points, on every rank; loads and unloads. Of a state on a device only the nodes of the
 * points' elements are fetched, of velocity gradients those of the elements about them. */
PetscErrorCode RhxFieldSampleEvaluate(RhxDiagnostic *d, RhxFieldSample *sample, double *out);
/* The same in steps: the state of the places' elements, until it is unloaded; in it the block of node a of place i; the fields of each place weighed by
 * N[nmine][8] in place of its shape functions. */
PetscErrorCode RhxFieldSampleFetch(RhxDiagnostic *d, RhxFieldSample *sample);
const PetscScalar *RhxFieldSampleAtNode(const RhxFieldSample *sample, PetscInt i, PetscInt a);
PetscErrorCode RhxFieldSampleSum(const RhxFieldSample *sample, const PetscReal *N, double *out);
PetscErrorCode RhxFieldSampleDestroy(RhxFieldSample **sample);
/* Points x[n][dim] of a text or of a CSV, to be freed; option: which names them. */
PetscErrorCode RhxReadPoints(RhxDiagnostic *d, const char *points, const char *file, char option[256], PetscInt *n,
                             PetscReal **x);
/* Numbers of a text, separated by ',', ';' or blanks, in groups of `group`; another text is an error of the option. n: groups;
 * x: to be freed. */
PetscErrorCode RhxReadNumbers(MPI_Comm comm, const char *option, const char *text, PetscInt group, PetscInt *n,
                              PetscReal **x);
#endif
