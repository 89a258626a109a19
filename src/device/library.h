/* Libraries of NVIDIA that are opened at run time: where they are looked for. */
#ifndef RHX_DEVICE_LIBRARY_H
#define RHX_DEVICE_LIBRARY_H

/** Open a library at `path`, or, where that is empty, `name` in the loader's folders, in lib64 of CUDA_HOME, then in `folder` of the
 * packages of VIRTUAL_ENV. `folder` is below nvidia/ and may hold wildcards of glob, of which the last in alphabetical order that can
 * be opened is taken.
 * \return the handle of dlopen, for as long as the program runs, or NULL; dlerror is that of `path` where one is given */
void *RhxDeviceOpenLibrary(const char *path, const char *name, const char *folder);
#endif
