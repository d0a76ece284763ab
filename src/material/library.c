// SPDX-License-Identifier: Apache-2.0
// Materials by name, so that nobody has to look up Young's modulus of rubber before the first run.
//
// The figures are typical small-strain values at room temperature; real samples scatter, soft ones by a factor of two and
// more. docs/materials.md has the table with ranges. Three things are chosen, not measured, and are the same for all:
//  - Soft solids are nearly incompressible (poisson 0.49 and above). They are given 0.45: linear tetrahedra lock beyond.
//  - alpha1 gives the loss factor eta of the source at one frequency f: eta = 2 pi f alpha1, f being 10 Hz for soft
//    matter and cloth, 100 Hz for wood and paper, 1 kHz for metals.
//  - alpha0 of sheets stands for the air they move through.
// What stretches far is stable neo-Hookean; what only bends and turns is corotational. The fabrics' moduli are secants of
// the usual extension under the 490 N/m of Kawabata's tensile test, over the thickness of the sheet.
#include <stddef.h>
#include <string.h>

#include "thaw/material.h"

#define MATERIAL(kind, label, rho, E, nu, a0, a1)                                                                      \
    .def = {.name = label,                                                                                             \
            .model = THAW_MATERIAL_##kind,                                                                             \
            .constants = THAW_CONSTANTS_MATCHED,                                                                       \
            .density = rho,                                                                                            \
            .young = E,                                                                                                \
            .poisson = nu,                                                                                             \
            .alpha0 = a0,                                                                                              \
            .alpha1 = a1}

static const ThawLibraryMaterial library[] = {
    {MATERIAL(STABLE_NEO_HOOKEAN, "natural-rubber", 930, 2e6, 0.45, 0, 1.6e-3),
     .stands_for = "natural rubber, vulcanised, unfilled",
     .source = "typical value (tables give 1 to 5 MPa; MatWeb: shear modulus 0.5 MPa, density 950); loss factor 0.1 "
               "and poisson 0.45 chosen"},
    {MATERIAL(STABLE_NEO_HOOKEAN, "silicone", 1030, 1.3e6, 0.45, 0, 1.6e-3),
     .stands_for = "silicone rubber (PDMS), cured at room temperature",
     .source = "Johnston et al. 2014 (E 1.32 MPa cured at 25 C, to 2.97 MPa at 200 C); density typical; damping as "
               "natural rubber"},
    {MATERIAL(STABLE_NEO_HOOKEAN, "soft-silicone", 1070, 7e4, 0.45, 0, 1.6e-3),
     .stands_for = "casting silicone of Shore hardness 00-30, as in soft robots",
     .source = "typical value of such silicones' data sheets (density 1070, 100 % modulus 69 kPa); damping as natural "
               "rubber"},
    {MATERIAL(STABLE_NEO_HOOKEAN, "foam", 50, 8e4, 0.3, 0, 5e-3),
     .stands_for = "flexible polyurethane foam with open cells, for upholstery",
     .source = "Gibson and Ashby's law for open cells (E = 45 MPa times the square of density over 1200 kg/m^3); loss "
               "factor 0.3 "
               "assumed"},
    {MATERIAL(STABLE_NEO_HOOKEAN, "gelatine", 1020, 1.2e4, 0.45, 0, 1.6e-3),
     .stands_for = "gelatine gel, about 5 % by weight: table jelly",
     .source = "Nguyen et al. 2014 (shear modulus 4.18 +- 0.84 kPa at 5 %, so E 12.5 kPa); loss factor 0.1 assumed"},
    {MATERIAL(STABLE_NEO_HOOKEAN, "liver", 1060, 5.5e3, 0.45, 0, 3e-3), .stands_for = "healthy human liver",
     .source = "Roulot et al. 2008 (E 5.49 +- 1.59 kPa by elastography, 429 subjects); density typical; loss factor "
               "0.2 assumed"},
    {MATERIAL(STABLE_NEO_HOOKEAN, "muscle", 1060, 1.5e4, 0.45, 0, 3e-3),
     .stands_for = "relaxed skeletal muscle, without its fibres' direction",
     .source =
         "Knight et al. 2022 (shear moduli 5.8 kPa along and 1.9 kPa across the fibres, so E 6 to 17 kPa), Mendez and "
         "Keys 1960 (density); loss factor 0.2 assumed"},
    {MATERIAL(COROTATIONAL, "steel", 7850, 2.1e11, 0.29, 0, 3e-7), .stands_for = "low carbon steel",
     .source = "typical value (200 to 210 GPa); loss factor 0.002, as built into something"},
    {MATERIAL(COROTATIONAL, "aluminium", 2700, 7e10, 0.33, 0, 3e-7), .stands_for = "aluminium and its common alloys",
     .source = "typical value (69 to 73 GPa); loss factor 0.002, as built into something"},
    {MATERIAL(COROTATIONAL, "wood", 450, 1.1e10, 0.37, 0, 1.6e-5),
     .stands_for = "softwood along its grain, taken as the same in all directions",
     .source = "typical value for softwood (Sitka spruce: 9 to 11 GPa, 0.37 to 0.44); loss factor 0.01 assumed"},
    {MATERIAL(COROTATIONAL, "cotton", 400, 3e7, 0.3, 0.5, 1.6e-3), .thickness = 3e-4,
     .stands_for = "plain woven shirting, 120 g/m^2",
     .source = "typical value: 5 % extension under the 490 N/m of Kawabata's test; loss factor 0.1 and air assumed"},
    {MATERIAL(COROTATIONAL, "silk", 500, 8e7, 0.3, 1, 1.6e-3), .thickness = 1.2e-4,
     .stands_for = "light woven silk, 60 g/m^2",
     .source = "typical value: 5 % extension under the 490 N/m of Kawabata's test; loss factor 0.1 and air assumed"},
    {MATERIAL(COROTATIONAL, "denim", 500, 2e7, 0.3, 0.2, 1.6e-3), .thickness = 8e-4,
     .stands_for = "cotton twill, 400 g/m^2",
     .source = "typical value: 3 % extension under the 490 N/m of Kawabata's test; loss factor 0.1 and air assumed"},
    {MATERIAL(COROTATIONAL, "paper", 800, 4e9, 0.3, 1, 3e-5), .thickness = 1e-4,
     .stands_for = "office paper, 80 g/m^2, mean of its two directions",
     .source =
         "typical value (some GPa, two to three times stiffer along the machine); loss factor 0.02 and air assumed"},
};
enum { COUNT = sizeof library / sizeof *library };

int thaw_material_library_count(void) { return COUNT; }

const ThawLibraryMaterial *thaw_material_library_get(int index) {
    return index >= 0 && index < COUNT ? &library[index] : NULL;
}

const ThawLibraryMaterial *thaw_material_library_find(const char *name) {
    for (int i = 0; name && i < COUNT; i++)
        if (strcmp(library[i].def.name, name) == 0)
            return &library[i];
    return NULL;
}
