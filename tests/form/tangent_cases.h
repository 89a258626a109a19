/* Forms whose derivatives are tested, on the host and on devices. */
#ifndef TEST_FORM_TANGENT_CASES_H
#define TEST_FORM_TANGENT_CASES_H
#include "form/form.h"
#include "kernels/pass.h"
#include "petsc_compat.h"

static const char *const meshes[] = {
    "-mesh_box_faces 5,4 -mesh_box_cell triangle -mesh_box_jitter 0.15", "-mesh_box_faces 5,4 -mesh_box_jitter 0.15",
    "-mesh_box_faces 6,4 -mesh_box_cell mixed -mesh_box_jitter 0.1",
    "-mesh_box_faces 3,2,2 -mesh_box_lower 0 -mesh_box_upper 1 -mesh_box_cell tetrahedron -mesh_box_jitter 0.1",
    "-mesh_box_faces 3,2,2 -mesh_box_lower 0 -mesh_box_upper 1 -mesh_box_jitter 0.1"};

/* Each law with each representation that it has, each with each stabiliser and cell type: pairs of them. */
static const struct {
  int mesh, consistent;
  const char *options;
} cases[] = {
    {0, 0, "-physics newtonian,oldroydb -stabiliser gls -polymer_variable stress"},
    {1, 1, "-physics newtonian,oldroydb -stabiliser devss,split_oss -polymer_variable conformation"},
    {4, 1, "-physics newtonian,oldroydb -stabiliser devss,split_oss -polymer_variable logconf"},
    {3, 0, "-physics carreau_yasuda,giesekus -stabiliser devss,split_oss -polymer_variable stress"},
    {2, 0, "-physics cross,giesekus -stabiliser gls -polymer_variable conformation"},
    {1, 0, "-physics newtonian,giesekus -stabiliser split_oss -polymer_variable logconf"},
    {2, 1, "-physics power_law,ptt -stabiliser split_oss -polymer_variable stress"},
    {3, 0, "-physics newtonian,ptt -stabiliser gls -polymer_variable conformation"},
    {0, 1, "-physics newtonian,ptt -stabiliser devss,split_oss -polymer_variable logconf"},
    {4, 0, "-physics newtonian,johnson_segalman -stabiliser gls -polymer_variable stress"},
    {0, 0, "-physics newtonian,johnson_segalman -stabiliser split_oss -polymer_variable conformation"},
    {2, 1, "-physics casson,johnson_segalman -stabiliser devss,split_oss -polymer_variable logconf"},
    {1, 0, "-physics newtonian,white_metzner -stabiliser gls -polymer_variable stress"},
    {4, 0, "-physics newtonian,white_metzner -stabiliser split_oss -polymer_variable conformation"},
    {3, 1, "-physics newtonian,white_metzner -stabiliser devss,split_oss -polymer_variable logconf"},
    {1, 0, "-physics newtonian,fene_p -stabiliser devss,split_oss -polymer_variable conformation"},
    {3, 0, "-physics newtonian,fene_p -stabiliser split_oss -polymer_variable logconf"},
    {0, 1, "-physics newtonian,fene_cr -stabiliser devss,split_oss -polymer_variable conformation"},
    {2, 0, "-physics newtonian,fene_cr -stabiliser split_oss -polymer_variable logconf"},
    {1, 0, "-physics herschel_bulkley -stabiliser gls"},
    {0, 0, "-physics newtonian,oldroydb -physics_oldroydb_modes 2 -physics_oldroydb_lambda 0.9,1.3 -stabiliser gls"},
    {2, 1, "-physics newtonian,passive -stabiliser split_oss"},
    {2, 1, "-physics newtonian,passive -stabiliser crosswind,split_oss -physics_passive_diffusivity 1e-3"},
    {3, 0, "-physics newtonian,passive -stabiliser crosswind,split_oss -physics_passive_diffusivity 0.02"},
    {1, 0, "-physics newtonian,johnson_segalman -stabiliser gls -polymer_variable conformation -form_axisymmetric"},
    {0, 1, "-physics newtonian,giesekus -stabiliser devss,split_oss -polymer_variable stress -form_axisymmetric"},
    {2, 0, "-physics carreau_yasuda,ptt -stabiliser split_oss -polymer_variable logconf -form_axisymmetric"},
    {2, 0,
     "-physics carreau_yasuda,ptt -stabiliser devss,split_oss -polymer_variable stress -form_quadrature centroid"},
    {3, 1,
     "-physics newtonian,giesekus -stabiliser devss,split_oss -polymer_variable conformation -form_quadrature "
     "centroid"},
    {2, 1, "-physics newtonian,passive -stabiliser crosswind,split_oss -form_quadrature centroid"},
    {2, 1,
     "-physics carreau_yasuda,oldroydb -stabiliser devss_g,split_oss -stabiliser_devss_g_divergence 0.4 "
     "-polymer_variable stress"},
    {4, 0, "-physics newtonian,ptt -stabiliser devss_g,split_oss -polymer_variable logconf"},
    {1, 1,
     "-physics newtonian,white_metzner -stabiliser devss_g,gls -polymer_variable conformation -form_axisymmetric"},
    {0, 1, "-physics newtonian,giesekus -stabiliser devss_g,split_oss -form_quadrature centroid"},
#ifdef TANGENT_NEEDS
    {3, 0,
     "-physics newtonian,outside_dye -stabiliser gls -physics_outside_dye_diffusivity 0.2 -physics_outside_dye_decay "
     "1.3 "
     "-form_scalar_convection conservative -form_quadrature centroid"},
    {2, 1,
     "-physics newtonian,outside_product,passive,outside_dye -stabiliser split_oss -physics_outside_dye_diffusivity "
     "0.2 "
     "-physics_outside_dye_decay 1.3 -physics_outside_product_diffusivity 0.3 -physics_outside_product_rate 1.7"},
#endif
#ifdef TANGENT_SWIRL
    {2, 0,
     "-physics newtonian,swirling,giesekus -stabiliser devss,split_oss -polymer_variable logconf -form_axisymmetric"},
    {1, 1, "-physics newtonian,swirling,oldroydb -stabiliser split_oss -polymer_variable stress -form_axisymmetric"},
#endif
};

/* Terms of faces that depend on the state: the open or the gradient form, and what flow brings back in. */
__attribute__((unused)) static PetscErrorCode tangent_faces(RhxForm form, size_t k)
{
  const RhxFaces *right, *top;
  PetscFunctionBegin;
  PetscCall(RhxSpaceGetFaces(form->space, "right", &right));
  PetscCall(RhxSpaceGetFaces(form->space, "top", &top));
  form->face_term[form->nface_terms++] =
      (RhxFaceTerm){.faces = right, .form = k % 2 ? RHX_FACE_OPEN : RHX_FACE_GRADIENT, .backflow = k % 3 ? 0.0 : 0.7};
  form->face_term[form->nface_terms++] = (RhxFaceTerm){.faces = top, .backflow = 0.4};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tangent_options(size_t k, size_t size, char *options)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(options, size,
                          "-form_density 1.7 -stabiliser_devss_theta 0.7 -stabiliser_devss_g_theta 0.7 %s %s",
                          meshes[cases[k].mesh], cases[k].options));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
