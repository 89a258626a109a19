/* Words of lists that a user writes. */
#ifndef RHX_WORD_H
#define RHX_WORD_H

/* The word without the blanks and line ends around it: within text, which is cut behind it. */
char *RhxWord(char *text);
#endif
