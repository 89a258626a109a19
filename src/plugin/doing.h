/* What a run is at before its first step, told where that takes long. */
#ifndef RHX_DOING_H
#define RHX_DOING_H

/* From now on until RhxDoingEnd a thread tells on standard output every so many seconds, 0.01 at least, what is being done: "<what>: refining the mesh (30 s)".
 * Of rank 0 alone; 0 or less: it tells nothing. Within another one it does nothing. */
void RhxDoingBegin(const char *what, double seconds);
void RhxDoing(const char *format, ...) __attribute__((format(printf, 1, 2)));
void RhxDoingEnd(void);
#endif
