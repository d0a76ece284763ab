// SPDX-License-Identifier: Apache-2.0
// Finite elements: how many nodes, where they are integrated, and the gradients of their shape functions there.
// Everything downstream knows elements only through these tables, so an element with more nodes or more integration
// points is one more entry here.
#ifndef THAW_ELEMENT_H
#define THAW_ELEMENT_H

enum { THAW_ELEMENT_NODES_MAX = 4, THAW_ELEMENT_POINTS_MAX = 1 };

typedef struct ThawElementKind {
    const char *name;
    int dim;    // of space: 2 or 3
    int nodes;  // at most THAW_ELEMENT_NODES_MAX
    int points; // integration points, at most THAW_ELEMENT_POINTS_MAX
    // Rest positions X (dim * nodes) -> for each point its weight (m^dim, > 0 for a well-oriented element) and the
    // gradients of shape functions 1 .. nodes-1 (dim each; the gradient of function 0 is minus their sum).
    void (*rest)(const double *X, double *weight, double *gradient);
} ThawElementKind;

// Linear triangles (dim 2) and tetrahedra (dim 3); NULL for any other pair.
const ThawElementKind *thaw_element_kind(int dim, int nodes);

#endif
