/* What a checkpoint says of itself, and how its fields fit those of a form. */
#ifndef RHX_OUTPUT_FIT_IMPL_H
#define RHX_OUTPUT_FIT_IMPL_H
#include "output/output.h"

#define RHX_HEAD_TEXT 4096

/* Written and compared byte by byte. */
typedef struct {
  int version, nodes, dim, ntens, modes, block, step, has_rate;
  int axisymmetric; /* -1: a file of earlier versions, which does not say */
  double t, dt;
  double given_t; /* time of the conditions, t but of a continuation */
  char fields[RHX_HEAD_TEXT], physics[RHX_HEAD_TEXT], representation[64];
  char parameters[RHX_HEAD_TEXT]; /* "option=value;..." of the laws and the density; "": a file of earlier versions */
} RhxHead;

/* More fields or laws than a head has room for are an error. */
PetscErrorCode RhxHeadMake(RhxForm form, PetscInt step, double t, double dt, PetscBool has_rate, RhxHead *head);

typedef struct {
  RhxForm form;
  PetscBool may_lack;
  RhxRestartFields take;
  const struct RhxRemap *remap; /* the file is of another mesh; NULL: of the form's; borrowed */
  PetscInt nconverted;          /* modes by their conformation */
  RhxHead *mine;                /* owned: what a file that lacks nothing has */
  PetscInt *column;            /* owned [bs] of the file's block, for each value of the form's; -1: the file has none */
  char lacking[RHX_HEAD_TEXT]; /* names of the fields that the file has not, comma-separated */
} RhxFit;

PetscErrorCode RhxFitCreate(RhxForm form, RhxRestartFields take, PetscBool may_lack, RhxFit *fit);
/* Fields by their names or former ones, in their order. message, if it is empty: what does not fit. Not collective. */
void RhxFitCheck(RhxFit *fit, const char *file, const RhxHead *head, char message[RHX_MESSAGE]);
PetscErrorCode RhxFitDestroy(RhxFit *fit);
/* The same for a state of other laws: columns of the flow, and of the modes that the file has too. Not collective. */
void RhxFitLoosely(RhxFit *fit, const char *file, const RhxHead *head, char message[RHX_MESSAGE]);
/* Unknowns of the file's representation in x become those of the form's. message: what is wrong on this rank. */
PetscErrorCode RhxFitConvert(const RhxFit *fit, const char *file, const RhxHead *head, Vec x,
                             char message[RHX_MESSAGE]);
/* text gets one more word behind a comma; where there is no room it stays full. */
void RhxHeadAppend(char text[RHX_HEAD_TEXT], const char *word);
#endif
