/* How long what a user names may be, and the arrays that hold it; what is longer is refused by a sentence. */
#ifndef RHX_LENGTH_H
#define RHX_LENGTH_H

#define RHX_NAME_LENGTH 100   /* of a label of the mesh or a diagnostic, with its end */
#define RHX_OPTION_LENGTH 256 /* of an option that holds two such names */
#define RHX_CASE_LENGTH 100   /* of a case: names of files hold it, a diagnostic's and a label's name */
#endif
