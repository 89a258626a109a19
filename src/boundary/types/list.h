/* Every type of condition of the library: one line and one file each, which defines RhxConditionType_<name>. */
TYPE(wall)
TYPE(moving_wall)
TYPE(inlet)
TYPE(symmetry)
TYPE(outlet)
TYPE(resistance)
TYPE(windkessel)
