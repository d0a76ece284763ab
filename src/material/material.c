// SPDX-License-Identifier: Apache-2.0
// Which material models there are, and which definitions make sense.
//
// A definition is refused when its energy has no stable rest state, not only when a number is out of range:
//  - linear elasticity is stable for -1 < poisson < 1/2; so are the models that linearise to it;
//  - neo-Hookean with lambda < 0 (poisson < 0) falls to minus infinity as the volume vanishes;
//  - stable neo-Hookean with unmodified constants has the bulk modulus lambda - mu/8 at rest, which is positive only
//    for poisson > 1/18. Matched constants have no such limit (see stable_neo_hookean.c).
#include "material/material.h"
#include "base/base.h"
#include "material/models.h"
#include "thaw/material.h"

#include <math.h>

static const ThawMaterialOps *const models[THAW_MATERIAL_MODEL_COUNT] = {
    [THAW_MATERIAL_STVK] = &thaw_material_stvk,
    [THAW_MATERIAL_NEO_HOOKEAN] = &thaw_material_neo_hookean,
    [THAW_MATERIAL_STABLE_NEO_HOOKEAN] = &thaw_material_stable_neo_hookean,
    [THAW_MATERIAL_COROTATIONAL] = &thaw_material_corotational,
};

const ThawMaterialOps *thaw_material_ops(ThawMaterialModel model) {
    return (unsigned)model < THAW_MATERIAL_MODEL_COUNT ? models[model] : NULL;
}

const char *thaw_material_model_name(ThawMaterialModel model) {
    const ThawMaterialOps *ops = thaw_material_ops(model);
    return ops ? ops->name : NULL;
}

ThawMaterialDef thaw_material_def_default(void) {
    return (ThawMaterialDef){
        .name = "rubber",
        .model = THAW_MATERIAL_STABLE_NEO_HOOKEAN,
        .constants = THAW_CONSTANTS_MATCHED,
        .density = 1000,
        .young = 1e6,
        .poisson = 0.4,
        .alpha0 = 0,
        .alpha1 = 0.001,
    };
}

void thaw_material_lame(const ThawMaterialDef *def, double *mu, double *lambda) {
    *mu = def->young / (2 * (1 + def->poisson));
    *lambda = def->young * def->poisson / ((1 + def->poisson) * (1 - 2 * def->poisson));
}

static ThawStatus refuse(const ThawMaterialDef *def, const char *field, double value, const char *allowed,
                         ThawError *error) {
    return thaw_error_set(error, THAW_ERROR_INPUT, "material \"%s\": %s is %g, but must be %s",
                          def->name ? def->name : "unnamed", field, value, allowed);
}

ThawStatus thaw_material_validate(const ThawMaterialDef *def, ThawError *error) {
    if (!def)
        return thaw_error_set(error, THAW_ERROR_INPUT, "material: the definition is NULL");
    const ThawMaterialOps *ops = thaw_material_ops(def->model);
    if (!ops)
        return refuse(def, "model", def->model, "one of the THAW_MATERIAL_ values", error);
    if (def->constants != THAW_CONSTANTS_MATCHED && def->constants != THAW_CONSTANTS_UNMODIFIED)
        return refuse(def, "constants", def->constants, "THAW_CONSTANTS_MATCHED or THAW_CONSTANTS_UNMODIFIED", error);
    if (!(def->density > 0 && isfinite(def->density)))
        return refuse(def, "density", def->density, "positive and finite (kg/m^3)", error);
    if (!(def->young > 0 && isfinite(def->young)))
        return refuse(def, "young", def->young, "positive and finite (Pa)", error);
    if (!(def->poisson > -1 && def->poisson < 0.5))
        return refuse(def, "poisson", def->poisson, "above -1 and below 0.5", error);
    if (!(def->alpha0 >= 0 && isfinite(def->alpha0)))
        return refuse(def, "alpha0", def->alpha0, "at least 0 and finite (1/s)", error);
    if (!(def->alpha1 >= 0 && isfinite(def->alpha1)))
        return refuse(def, "alpha1", def->alpha1, "at least 0 and finite (s)", error);

    if ((int)def->damping < THAW_DAMPING_AUTO || def->damping > THAW_DAMPING_VISCOUS)
        return refuse(def, "damping", def->damping, "THAW_DAMPING_AUTO, _STIFFNESS or _VISCOUS", error);
    if (def->model == THAW_MATERIAL_NEO_HOOKEAN && def->poisson < 0)
        return refuse(def, "poisson", def->poisson,
                      "at least 0 for neo-hookean, whose energy has no lower bound otherwise", error);
    if (def->model == THAW_MATERIAL_STABLE_NEO_HOOKEAN && def->constants == THAW_CONSTANTS_UNMODIFIED &&
        !(def->poisson > 1.0 / 18))
        return refuse(def, "poisson", def->poisson,
                      "above 1/18 for stable-neo-hookean with unmodified constants, whose rest state is unstable "
                      "otherwise; matched constants allow it",
                      error);
    if (!(def->fibre.stiffness >= 0 && isfinite(def->fibre.stiffness)))
        return refuse(def, "fibre.stiffness", def->fibre.stiffness, "at least 0 and finite (Pa)", error);
    if (!(def->fibre.exponent >= 0 && isfinite(def->fibre.exponent)))
        return refuse(def, "fibre.exponent", def->fibre.exponent, "at least 0 and finite", error);
    if (!(def->strain_limits[0] >= 0 && def->strain_limits[0] < 1))
        return refuse(def, "strain_limits[0]", def->strain_limits[0], "at least 0 (no limit) and below 1", error);
    if (def->strain_limits[1] != 0 && !(def->strain_limits[1] > 1 && isfinite(def->strain_limits[1])))
        return refuse(def, "strain_limits[1]", def->strain_limits[1], "above 1 and finite, or 0 for no limit", error);
    const ThawWeave *weave = &def->weave;
    const struct {
        const char *name;
        double value;
    } sheets[] = {{"weave.weft_young (Pa)", weave->weft_young},  {"weave.shear (Pa)", weave->shear},
                  {"weave.bending[0] (N m)", weave->bending[0]}, {"weave.bending[1] (N m)", weave->bending[1]},
                  {"weave.bending[2] (N m)", weave->bending[2]}, {"edge_stiffness (N)", def->edge_stiffness},
                  {"area_stiffness (N/m)", def->area_stiffness}};
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++)
        if (!(sheets[i].value >= 0 && isfinite(sheets[i].value)))
            return refuse(def, sheets[i].name, sheets[i].value, "at least 0 and finite", error);
    if ((weave->bending[0] > 0) != (weave->bending[1] > 0) || (weave->bending[2] > 0 && !(weave->bending[0] > 0)))
        return refuse(def, "weave.bending[0]", weave->bending[0], "given with weave.bending[1], or both 0 with [2]",
                      error);
    if (weave->weft_young > 0 && !(def->poisson * def->poisson * weave->weft_young < def->young))
        return refuse(def, "poisson", def->poisson, "below sqrt(young / weave.weft_young), or stretching gains energy",
                      error);
    double c[THAW_MATERIAL_CONSTANTS];
    ops->constants(def, c);
    for (int i = 0; i < THAW_MATERIAL_CONSTANTS; i++)
        if (!isfinite(c[i]))
            return refuse(def, "young", def->young, "small enough for the Lame constants to be finite", error);
    return THAW_OK;
}
