/* Parameters that laws require, for tests to which any would do, as laws.py has them; none is 1. */
#ifndef TEST_COMMON_LAWS_H
#define TEST_COMMON_LAWS_H

#define TEST_LAW_PARAMETERS                                                                                      \
  "-physics_newtonian_viscosity 0.9 -physics_carreau_yasuda_viscosity 0.9 -physics_carreau_yasuda_lambda 1.2 "   \
  "-physics_carreau_yasuda_n 0.6 -physics_cross_viscosity 0.9 -physics_cross_lambda 1.2 -physics_cross_m 0.7 "   \
  "-physics_power_law_consistency 0.9 -physics_power_law_n 0.6 -physics_casson_viscosity 0.9 "                   \
  "-physics_casson_yield_stress 0.8 -physics_herschel_bulkley_consistency 0.9 -physics_herschel_bulkley_n 0.6 "  \
  "-physics_herschel_bulkley_yield_stress 0.8 -physics_oldroydb_viscosity 1.1 -physics_oldroydb_lambda 0.9 "     \
  "-physics_giesekus_viscosity 1.1 -physics_giesekus_lambda 0.9 -physics_giesekus_alpha 0.3 "                    \
  "-physics_ptt_viscosity 1.1 -physics_ptt_lambda 0.9 -physics_ptt_epsilon 0.25 -physics_fene_p_viscosity 1.1 "  \
  "-physics_fene_p_lambda 0.9 -physics_fene_p_L2 90 -physics_fene_cr_viscosity 1.1 -physics_fene_cr_lambda 0.9 " \
  "-physics_fene_cr_L2 90 -physics_johnson_segalman_viscosity 1.1 -physics_johnson_segalman_lambda 0.9 "         \
  "-physics_johnson_segalman_xi 0.2 -physics_white_metzner_viscosity 1.1 -physics_white_metzner_lambda 0.9 "     \
  "-physics_white_metzner_time 1.2 -physics_white_metzner_n 0.6 -physics_passive_diffusivity 0.8 "               \
  "-physics_casson_m 100 -physics_herschel_bulkley_m 100 -physics_power_law_viscosity_max 800 "                  \
  "-physics_herschel_bulkley_viscosity_max 800 "                                                                 \
  "-physics_thermal_conductivity 0.8 -physics_thermal_heat_capacity 1.2 -physics_thermal_reference 0.7 "         \
  "-physics_thermal_sensitivity 0.3 -physics_thermal_expansion 0.4 "                                             \
  "-physics_thermal_gravity_x 3 -physics_thermal_gravity_y 2 "

#endif
