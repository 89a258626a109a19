/* Every format of output of the library: one line and one file each, which defines RhxOutputType_<name> and RhxFieldFormat_<name>; the first is
 * that of files for which -output_formats names none. */
FORMAT(vtu)
FORMAT(vtkhdf)
