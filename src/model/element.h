// SPDX-License-Identifier: Apache-2.0
// Elements: a kind is a table of what it is and what can be asked of it, a block is a list of elements of one kind.
//
// Three numbers that are easily taken for one: the dimension of space (coordinates a vertex), the dimension of the
// element (what its measure is in: m, m^2, m^3) and how many nodes it has. A tetrahedron has 3, 3, 4; a triangle in the
// plane 2, 2, 3; a triangle of a sheet in space 3, 2, 3; a spring 3, 1, 2.
//
// Everything downstream knows elements only through this table. A kind enters a step in one of two ways: by forces and
// stiffness blocks of the body it belongs to, or, where it joins bodies, by rows for the response. The first kernels
// work on one chunk of an integration set (integration.h), whose batches are all of one kind; what they are handed is
// the pass of force/pass.h. A new kind is a table, and a line where shapes are compiled.
#ifndef THAW_ELEMENT_H
#define THAW_ELEMENT_H

#include "base/base.h"
#include "thaw/world.h"

enum {
    THAW_ELEMENT_NODES_MAX = 12,
    THAW_ELEMENT_POINTS_MAX = 1,
    THAW_ELEMENT_GRADIENTS_MAX = 9,
    THAW_ELEMENT_CONSTANTS_MAX = 4
};

struct ThawContact;
struct ThawRowPass;
struct ThawAnchor;
struct ThawMaterial;

typedef struct ThawElementOps {
    const char *name;
    int space;     // 2 or 3; 0: either
    int dim;       // of the element: 0 (a point) to space
    int nodes;     // at most THAW_ELEMENT_NODES_MAX
    int points;    // integration points, at most THAW_ELEMENT_POINTS_MAX
    int rest_size; // doubles of rest data of a point, of kinds whose data are not the (nodes - 1) * dim of gradients
    // Damping is alpha1 times a positive part of the stiffness, whatever is asked of the rest, and never viscous; a
    // block may have an alpha1 of its own.
    int damps_itself;
    int pushes_parts; // has a net force on rigid motion, so it is asked inside rigid parts, too
    // What stands in a batch for the constants of the material model, `factor` times as stiff; NULL: those.
    void (*constants)(const struct ThawMaterial *material, double thickness, double factor,
                      double c[THAW_ELEMENT_CONSTANTS_MAX]);
    // Rest positions X (space * nodes) -> for each point its weight (m^dim, > 0 for a well-oriented element) and the
    // gradients of shape functions 1 .. nodes-1 (`dim` each; the gradient of function 0 is minus their sum). NULL: the
    // code that makes the block fills it.
    void (*rest)(const double *X, double *weight, double *gradient);
    // Kernels over one chunk. The context is a ThawForcePass:
    ThawTaskFn energy;         // partial[chunk] = its energy
    ThawTaskFn energy_looking; // the same, and partial[chunks + chunk]: whether any element is inside out that may be
    ThawTaskFn force;          // adds to y, partial[chunk]: whether any is inside out that must not be
    ThawTaskFn linearise;      // the same, and stiffness into the sink
    ThawTaskFn product;        // adds to y; partial[2 chunk], [2 chunk + 1]: the forms
    ThawTaskFn virial;         // sums of Kirchhoff stress, by group
    ThawTaskFn stress;         // von Mises stress, by element
    int (*inverted)(const void *pass, int32_t chunk); // how many elements are inside out that may be
    // ... and a ThawStrainPass, over batches `first` to `end` of its list: strains, their rates, or what is foreseen.
    // NULL: its strains are those of the elements of another kind.
    void (*strain)(const void *pass, int32_t first, int32_t end);
    // A kind whose elements join bodies has no part in the matrix of any of them, and none of the above, but these two,
    // for one of its elements (model/attachment.h): a row for the response of their island, and its energy, J, at an
    // offset of its sides.
    void (*row)(const struct ThawRowPass *pass, int32_t element, struct ThawContact *row);
    double (*row_energy)(const struct ThawAnchor *anchor, const double offset[3]);
} ThawElementOps;

// Elements of one kind.
typedef struct ThawElementBlock {
    const ThawElementOps *kind;
    int32_t count;
    int32_t first;     // id of its first element in the shape
    int32_t *elements; // nodes * count: vertices, ascending in each element
    int32_t *material; // count, index into the shape's materials
    double *weight;    // points * count, m^3: measure times thickness or section
    double *gradient;  // points * count * (nodes-1) * dim, 1/m; or other rest data of the kind
    int64_t *role;     // count, of kinds whose nodes differ in what they are: thaw_element_role; else NULL
    double *factor;    // count: times which the material is as stiff; NULL: all as it is
    double damping;    // s: in place of the materials' alpha1 where >= 0; of kinds that damp themselves
} ThawElementBlock;

// force/element.c: the kind of mesh elements of that dimension and number of nodes in that space, or NULL.
const ThawElementOps *thaw_element_kind(int space, int dim, int nodes);

// Triangles of sheets (force/membrane.c), the bending of a triangle against its three neighbours, or with theirs, too
// (force/bending.c), and the pressure inside a closed sheet on one (force/pressure.c).
const ThawElementOps *thaw_element_membrane(ThawMembrane membrane);
const ThawElementOps *thaw_element_bending(int wide);
const ThawElementOps *thaw_element_pressure(void);
// The strain limits of a triangle (force/limit.c).
const ThawElementOps *thaw_element_limit(void);
// Fibres of elements that fill a space of that dimension (force/fibre.c).
const ThawElementOps *thaw_element_fibre(int dim);

// Doubles of rest data for a point.
static inline size_t thaw_element_gradients(const ThawElementOps *kind) {
    return (size_t)(kind->rest_size ? kind->rest_size : (kind->nodes - 1) * kind->dim);
}

// Nodes ascend in each element; which of them plays role r, four bits each.
static inline int thaw_element_role(int64_t roles, int r) { return (int)(roles >> (4 * r) & 15); }

#endif
