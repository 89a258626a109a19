/* Every kind of diagnostic of the library: one line and one file each, which defines RhxDiagnosticType_<name>. */
KIND(forces)
KIND(flux)
KIND(health)
KIND(wall)
KIND(probe)
KIND(line)
KIND(extrema)
KIND(integral)
