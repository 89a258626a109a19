/* Every format of output of the library: one line and one file each, which defines RhxOutputType_<name>. */
FORMAT(vtu)
FORMAT(vtkhdf)
