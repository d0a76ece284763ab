// SPDX-License-Identifier: Apache-2.0
// Materials by name: no need to look up Young's modulus of rubber before the first run.
//
// Small-strain values at room temperature; real samples scatter, soft ones by a factor of two and more. Each entry
// names where its figures come from so that they can be looked up (full titles in docs/materials.md), and what was
// derived or assumed instead. The same for all:
//  - Soft solids are nearly incompressible (poisson 0.49 and above). They are given 0.45: linear tetrahedra lock
//  beyond.
//  - alpha1 gives the loss factor eta at one frequency f: eta = 2 pi f alpha1, f being 10 Hz for soft matter and cloth,
//    100 Hz for wood and paper, 1 kHz for metals. eta is twice a damping ratio.
//  - alpha0 of sheets stands for the air they move through; assumed.
// What stretches far is stable neo-Hookean; what only bends and turns is corotational.
//
// Fabrics straighten their threads before they stretch them, so that they are ten times softer under their own weight
// than under the 490 N/m of Kawabata's tensile test. Their moduli are secants at 4.9 N/m, the smallest load of the FAST
// test, or slopes at rest, where those were measured. Where only the extension e under 490 N/m was, the load is taken
// to grow as a power p of the extension, and p from the linearity LT = 2 / (p + 1) of the curve, 0.70 in the mean of
// six denims (Kumari and Khurana 2016): e (4.9 / 490)^(1/p) = 0.084 e under 4.9 N/m.
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

// A fabric by what is measured of it, which is by area: thickness t (m), weight (kg/m^2), stretching along warp and
// weft and shear (N/m), bending along warp and weft and twist (N m).
#define FABRIC(label, t, weight, warp, weft, nu, G, B1, B2, B3, a0)                                                    \
    .def = {.name = label,                                                                                             \
            .model = THAW_MATERIAL_COROTATIONAL,                                                                       \
            .constants = THAW_CONSTANTS_MATCHED,                                                                       \
            .density = (weight) / (t),                                                                                 \
            .young = (warp) / (t),                                                                                     \
            .poisson = nu,                                                                                             \
            .alpha0 = a0,                                                                                              \
            .alpha1 = 1.6e-3,                                                                                          \
            .weave = {.weft_young = (weft) / (t), .shear = (G) / (t), .bending = {B1, B2, B3}}},                       \
    .thickness = t

static const ThawLibraryMaterial library[] = {
    {MATERIAL(STABLE_NEO_HOOKEAN, "natural-rubber", 930, 2e6, 0.45, 0, 1.6e-3),
     .stands_for = "natural rubber, vulcanised, unfilled",
     .source =
         "NETZSCH polymer tables, NR (E 1 to 5 MPa, density 910 to 930); MatWeb, vulcanised NR (shear modulus 0.5 "
         "MPa, so E 1.5 MPa); Adams and Askenazi (damping ratio 0.05, so loss factor 0.1)"},
    {MATERIAL(STABLE_NEO_HOOKEAN, "silicone", 1030, 1.3e6, 0.45, 0, 1.6e-3),
     .stands_for = "silicone rubber (PDMS), cured at room temperature",
     .source =
         "Johnston et al. 2014 (E 1.32 MPa cured at 25 C, to 2.97 MPa at 200 C); density by the maker's data sheet "
         "of Sylgard 184; damping as natural rubber"},
    {MATERIAL(STABLE_NEO_HOOKEAN, "soft-silicone", 1070, 1.05e5, 0.45, 0, 1.6e-3),
     .stands_for = "casting silicone of Shore hardness 00-30, as in soft robots",
     .source =
         "Smooth-On, Ecoflex 00-30 (density 1070, 69 kPa at 100 % extension: this model reaches that with E 105 kPa); "
         "damping as natural rubber"},
    {MATERIAL(STABLE_NEO_HOOKEAN, "foam", 50, 8e4, 0.3, 0, 5e-3),
     .stands_for = "flexible polyurethane foam with open cells, for upholstery",
     .source = "Warren and Kraynik 1988 (open cells: E as the square of the relative density); polyurethane rubber of "
               "1200 kg/m^3 and 16 MPa would give 28 kPa, tables of such foams begin at 100 kPa: chosen between; "
               "Casavola et al. 2022 (they weigh 46 to 85 kg/m^3); poisson between 0.5 and 0 as it is compressed "
               "(Widdle et al. 2008); loss factor 0.3 assumed"},
    {MATERIAL(STABLE_NEO_HOOKEAN, "gelatine", 1010, 1.2e4, 0.45, 0, 1.6e-3),
     .stands_for = "gelatine gel, about 5 % by weight: table jelly",
     .source =
         "Nguyen et al. 2014 (shear modulus 4.18 +- 0.84 kPa at 5 %, so E 12.5 kPa); density derived (5 % protein of "
         "1340 kg/m^3 in water); loss factor 0.1 assumed"},
    {MATERIAL(STABLE_NEO_HOOKEAN, "liver", 1060, 5.5e3, 0.45, 0, 3e-3), .stands_for = "healthy human liver",
     .source =
         "Roulot et al. 2008 (E 5.49 +- 1.59 kPa by elastography, 429 subjects); Kaye and Laby (density 1050 to 1070); "
         "loss factor 0.2 assumed"},
    {MATERIAL(STABLE_NEO_HOOKEAN, "muscle", 1060, 1.5e4, 0.45, 0, 3e-3),
     .stands_for = "relaxed skeletal muscle, without its fibres' direction",
     .source =
         "Knight et al. 2022 (shear moduli 5.8 kPa along and 1.9 kPa across the fibres, so E 6 to 17 kPa); Mendez and "
         "Keys 1960 (density; Kaye and Laby: 1038 to 1056); loss factor 0.2 assumed"},
    {MATERIAL(COROTATIONAL, "steel", 7850, 2.1e11, 0.3, 0, 3e-7), .stands_for = "structural steel",
     .source =
         "EN 1993-1-1, 3.2.6 (E 210 GPa, poisson 0.3); EN 1991-1-1, table A.4 (77 to 78.5 kN/m^3); loss factor 0.002 "
         "chosen between the metal's own (Cremer and Heckl: 0.00002 to 0.0003) and below 0.02 (Adams and Askenazi)"},
    {MATERIAL(COROTATIONAL, "aluminium", 2700, 7e10, 0.33, 0, 3e-7), .stands_for = "aluminium and its common alloys",
     .source =
         "EN 1999-1-1, 3.2.5 (E 70 GPa, density 2700); MatWeb, 6061-T6 (E 68.9 GPa, poisson 0.33); loss factor as "
         "steel"},
    {MATERIAL(COROTATIONAL, "wood", 430, 1.1e10, 0.43, 0, 1.6e-5),
     .stands_for = "softwood (Sitka spruce) along its grain, taken as the same in all directions",
     .source = "Western Forest Products, Sitka spruce (density 430 air dry, E 11.2 GPa); Acta Acustica 2025, "
               "aacus240113, table 5 (poisson 0.43 to 0.44 in the plane LR); loss factor 0.01 assumed"},
    {FABRIC("cotton", 4.97e-4, 0.1238, 2553, 2553, 0.243, 110, 1.157e-5, 1.157e-5, 0, 0.5),
     .stands_for = "plain woven cotton (broadcloth), 124 g/m^2",
     .source = "Matsudaira et al. 2015, broadcloth (weight, thickness, bending 0.118 gf cm^2/cm); Tadesse et al. 2018 "
               "(extension 2.29 % under 490 N/m); shear as denim; poisson Penava et al. 2014; loss factor 0.1 assumed"},
    {FABRIC("silk", 1.2e-4, 0.06, 1169, 1169, 0.3, 30, 1.072e-6, 1.072e-6, 0, 1),
     .stands_for = "light woven silk (habutai of 14 momme), 60 g/m^2",
     .source =
         "weight by the momme tables (habutai 5 to 16, each 4.34 g/m^2); thickness from a density between cotton's and "
         "paper's; bending derived: over weight as the polyester filaments of \"faille\"; extension 5 %, shear, "
         "poisson "
         "and loss factor 0.1 assumed"},
    {FABRIC("wool", 4.07e-4, 0.1629, 731, 1225, 0.277, 26.2, 6.570e-6, 6.570e-6, 0, 0.5),
     .stands_for = "plain woven worsted wool (tropical), 163 g/m^2",
     .source =
         "Matsudaira et al. 2015, tropical (weight, thickness, bending 0.067 gf cm^2/cm); a FAST test of plain wool of "
         "168 g/m^2 (extension 0.67 and 0.40 % under 4.9 N/m, shear 26.2 N/m); poisson Penava et al. 2014; loss "
         "factor 0.1 assumed"},
    {FABRIC("polyester", 3.40e-4, 0.1165, 731, 1225, 0.381, 26.2, 7.551e-6, 7.551e-6, 0, 0.5),
     .stands_for = "plain woven polyester (tropical), 117 g/m^2",
     .source =
         "Matsudaira et al. 2015, tropical (weight, thickness, bending 0.077 gf cm^2/cm); stretching and shear as "
         "\"wool\", which is woven alike; poisson Penava et al. 2014; loss factor 0.1 assumed"},
    {FABRIC("faille", 2.26e-4, 0.1043, 1169, 1169, 0.3, 30, 1.863e-6, 1.863e-6, 0, 1),
     .stands_for = "polyester filaments woven like silk (faille), 104 g/m^2",
     .source =
         "Matsudaira et al. 2015 (weight, thickness, bending 0.019 gf cm^2/cm); extension 5 % under 490 N/m, shear, "
         "poisson and loss factor 0.1 assumed"},
    {FABRIC("denim", 8e-4, 0.324, 411, 2028, 0.01, 110, 6.42e-5, 9.70e-5, 3.3e-5, 0.2),
     .stands_for = "cotton twill of 11 oz with 1 % spandex, 324 g/m^2",
     .source =
         "Wang et al. 2011, 11 oz black denim (weight, stretching and bending by direction, unstretched and unbent); "
         "Kumari and Khurana 2016, table 5 (0.80 to 1.19 mm; shear 1.96 gf/cm a degree); loss factor 0.1 assumed"},
    {FABRIC("twill", 4e-4, 0.22, 4033, 4070, 0.0045, 110, 1.254e-4, 1.254e-4, 4.5e-5, 0.2),
     .stands_for = "trousers of 65 % cotton and 35 % polyester, 220 g/m^2",
     .source = "Wang et al. 2011, royal target (weight, stretching and bending by direction, unstretched and unbent); "
               "shear as "
               "denim; thickness and loss factor 0.1 assumed"},
    {FABRIC("jersey", 8e-4, 0.187, 33.2, 69, 0, 18.4, 2.319e-5, 1.427e-5, 1.54e-5, 0.5),
     .stands_for = "T-shirt knit (interlock) of 60 % cotton and 40 % polyester, 187 g/m^2",
     .source = "Wang et al. 2011, gray interlock (weight, stretching, shear and bending by direction, unstretched and "
               "unbent); poisson, thickness and loss factor 0.1 assumed"},
    {MATERIAL(COROTATIONAL, "paper", 760, 4e9, 0.3, 1, 3e-5), .thickness = 1.05e-4,
     .stands_for = "office paper, 80 g/m^2, mean of its two directions",
     .source =
         "Happy Folding, review of copy paper (80 g/m^2, 0.105 mm); E derived: 5.3 GPa measured on one sheet, taken "
         "for the stiff direction, and half of it across; poisson and loss factor 0.02 assumed"},
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
