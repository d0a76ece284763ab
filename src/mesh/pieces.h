// SPDX-License-Identifier: Apache-2.0
// The pieces that a mesh or a surface consists of, and one of them alone.
#ifndef THAW_MESH_PIECES_H
#define THAW_MESH_PIECES_H

#include "mesh/mesh.h"
#include "thaw/mesher.h"

// Which piece each vertex belongs to, that is which ones hang together by elements: piece[v] in 0 .. count-1, numbered
// by lowest vertex.
ThawStatus thaw_mesh_pieces(const ThawMesh *mesh, int32_t *piece, int32_t *count, ThawError *error);
// Leaves piece `which` of the mesh, with what its groups have of it; groups that have nothing are gone. On error the
// mesh is unchanged.
ThawStatus thaw_mesh_keep_piece(ThawMesh *mesh, int32_t which, ThawError *error);

// Which body each triangle of a valid surface bounds: piece[t] in 0 .. count-1, numbered by lowest triangle. Vertices
// at the same place are one; surfaces that cut each other bound one body, and so do a hull and the hollows in it.
ThawStatus thaw_triangles_pieces(const ThawTriangleMesh *surface, int32_t *piece, int32_t *count, ThawError *error);
// The triangles t with piece[t] = which, without groups. The caller frees *part with thaw_triangles_free.
ThawStatus thaw_triangles_piece(const ThawTriangleMesh *surface, const int32_t *piece, int32_t which,
                                ThawTriangleMesh **part, ThawError *error);
// Where the mesh joins two pieces of the surface that it was made from: faces between elements that are nearest to one
// and to the other. `finding` begins with what it has.
ThawStatus thaw_mesh_find_welds(const ThawMesh *mesh, const ThawTriangleMesh *surface, const int32_t *piece,
                                int32_t count, ThawMesherFinding *finding, ThawError *error);

#endif
