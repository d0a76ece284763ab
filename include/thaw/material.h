// SPDX-License-Identifier: Apache-2.0
#ifndef THAW_MATERIAL_H
#define THAW_MATERIAL_H

#ifdef __cplusplus
extern "C" {
#endif

// The hyperelastic energy densities psi(F).
typedef enum ThawMaterialModel {
    THAW_MATERIAL_STVK,               // Saint Venant-Kirchhoff: mu E:E + lambda/2 tr(E)^2
    THAW_MATERIAL_NEO_HOOKEAN,        // mu/2 (Ic-3) - mu log J + lambda/2 log^2 J; infinite for J <= 0
    THAW_MATERIAL_STABLE_NEO_HOOKEAN, // Smith, de Goes and Kim 2018: finite for every F
    THAW_MATERIAL_COROTATIONAL,       // mu |F-R|^2 + lambda/2 tr(R'F - I)^2
    THAW_MATERIAL_MODEL_COUNT
} ThawMaterialModel;

// Which constants the stable neo-Hookean energy is given.
typedef enum ThawMaterialConstants {
    THAW_CONSTANTS_MATCHED,    // chosen so that small strains obey young and poisson
    THAW_CONSTANTS_UNMODIFIED, // Lame constants as they are (the solids paper's runs): softer than young says
} ThawMaterialConstants;

// What alpha1 damps.
typedef enum ThawDamping {
    THAW_DAMPING_AUTO,      // viscous with integrators that keep a spin, in moving frames; else by stiffness
    THAW_DAMPING_STIFFNESS, // alpha1 K(x) v (Rayleigh, as in the papers): also slows the spin of what is under tension
    // Rates of Green strain, by alpha1 times the moduli: the same at rest, nothing in rigid motion.
    THAW_DAMPING_VISCOUS,
} ThawDamping;

// Warp and weft of a cloth (THAW_MEMBRANE_WOVEN, docs/shells.md); all 0: the same in every direction.
typedef struct ThawWeave {
    double weft_young; // Pa, along the weft, where `young` is along the warp; 0: as the warp
    double shear;      // Pa, of the angle between them; 0: sqrt(young weft_young) / (2 (1 + poisson))
    // N m, of a metre of width: bent along the warp, along the weft, and twisted; 0: of a plate of such moduli; the
    // twist alone 0: (1 - poisson)/2 of the others' mean.
    double bending[3];
} ThawWeave;

// Fibres of a solid, along the direction that its shape says (ThawShapeDef.fibre), on top of the model's energy, with
// s = |Fa|^2 - 1; stiffness 0: there are none.
typedef struct ThawFibre {
    double stiffness; // mu, Pa: 4 mu is added to Young's modulus along them
    double exponent;  // k: mu/k^2 (e^(k s) - 1 - k s), after Fung; 0: mu/2 s^2
    int slack;        // nonzero: they resist stretching only
} ThawFibre;

typedef struct ThawMaterialDef {
    const char *name;
    ThawMaterialModel model;
    ThawMaterialConstants constants;
    double density; // kg/m^3, > 0
    double young;   // Pa, > 0
    double poisson; // in (-1, 0.5)
    double alpha0;  // 1/s, Rayleigh mass damping, >= 0
    double alpha1;  // s, stiffness damping, >= 0
    ThawDamping damping;
    ThawWeave weave;       // of sheets that are woven
    double edge_stiffness; // N, kl, and
    double area_stiffness; // N/m, ka, of sheets with THAW_MEMBRANE_LENGTHS: sum kl (1-l/l0)^2 l0 + ka (1-A/A0)^2 A0
    // Of sheets: below 1 and above it, what principal stretches are held between (docs/shells.md#limits); 0: no limit.
    double strain_limits[2];
    ThawFibre fibre; // of solids
} ThawMaterialDef;

// A soft rubber: stable neo-Hookean, 1000 kg/m^3, 1 MPa, 0.4, a little stiffness damping.
ThawMaterialDef thaw_material_def_default(void);

// The name used in scenes ("stvk", "neo-hookean", "stable-neo-hookean", "corotational"); NULL if out of range.
const char *thaw_material_model_name(ThawMaterialModel model);

// --- The library: real materials by name (docs/materials.md) ---------------------------------------------------------

typedef struct ThawLibraryMaterial {
    ThawMaterialDef def; // its name included
    double thickness;    // m, of a sheet of it; 0: not sold by the sheet
    const char *stands_for;
    const char *source; // author and year of the figures, and what was chosen rather than measured
} ThawLibraryMaterial;

int thaw_material_library_count(void);
// Never changes and never goes away; NULL when the index is out of range.
const ThawLibraryMaterial *thaw_material_library_get(int index);
// By its exact name ("silicone"); NULL when there is none, or the name is NULL.
const ThawLibraryMaterial *thaw_material_library_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
