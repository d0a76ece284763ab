// SPDX-License-Identifier: Apache-2.0
// What the readers of all formats fill in: points, cells of every dimension with a tag each, and names of tags.
// thaw_draft_finish makes a mesh of it.
#ifndef THAW_MESH_DRAFT_H
#define THAW_MESH_DRAFT_H

#include "mesh/mesh.h"

// Points, edges, triangles or tetrahedra.
typedef struct ThawCells {
    int32_t count, room;
    int32_t *corner; // dim + 1 point indices a cell
    int32_t *tag;    // what the file calls them by; 0: nothing
    uint32_t *line;  // where in the file it is; 0 when the file has no lines
} ThawCells;

typedef struct ThawDraftName {
    int dim;
    int32_t tag;
    char *name;
} ThawDraftName;

typedef struct ThawDraftSet ThawDraftSet;

typedef struct ThawDraft {
    const char *path; // of the file with the cells, for messages; not owned
    int32_t point_count;
    double *x; // 3 * point_count, m
    ThawCells cells[4];
    int32_t name_count, name_room;
    ThawDraftName *names;
    const char *prefix[3]; // unnamed tags of points, edges, triangles become the group PREFIX-TAG
    int sheet;             // nonzero: triangles in space are wanted

    // Scratch of thaw_draft_finish:
    int dim;              // of the elements of the mesh to be
    int32_t set_first[5]; // sets of dimension d are set_first[d] .. set_first[d+1]
    ThawDraftSet *sets;
    int32_t *vertex;  // point_count: its id in the mesh, -1 when no element has it
    int32_t *element; // element_count of the mesh: the cell it comes from
} ThawDraft;

void thaw_draft_init(ThawDraft *draft, const char *path);
void thaw_draft_free(ThawDraft *draft);

ThawStatus thaw_draft_points(ThawDraft *draft, int32_t count, ThawError *error);
// corners: dim + 1 indices below point_count. A cell with several tags is added once for each.
ThawStatus thaw_draft_cell(ThawDraft *draft, int dim, const int32_t *corners, int32_t tag, int64_t line,
                           ThawError *error);
ThawStatus thaw_draft_name(ThawDraft *draft, int dim, int32_t tag, const char *name, size_t length, ThawError *error);

// Remembers one more thing of a kind.
void thaw_finding_add(ThawFinding *finding, int64_t id);

// A validated mesh, elements re-oriented where needed; *report says what was mended.
ThawStatus thaw_draft_finish(ThawDraft *draft, ThawMesh **mesh, ThawMeshReport *report, ThawError *error);

// The readers (read_*.c). They leave their text open for the caller to close. Beside each, what its files begin with.
struct ThawText;
ThawStatus thaw_read_gmsh(struct ThawText *text, ThawDraft *draft);
const char *thaw_head_gmsh(const char *head, size_t size, int64_t file_size);
ThawStatus thaw_read_medit(struct ThawText *text, ThawDraft *draft);
const char *thaw_head_medit(const char *head, size_t size, int64_t file_size);
ThawStatus thaw_read_meshb(struct ThawText *text, ThawDraft *draft);
const char *thaw_head_meshb(const char *head, size_t size, int64_t file_size);
ThawStatus thaw_read_vtk(struct ThawText *text, ThawDraft *draft);
const char *thaw_head_vtk(const char *head, size_t size, int64_t file_size);
ThawStatus thaw_read_vtu(struct ThawText *text, ThawDraft *draft);
const char *thaw_head_vtu(const char *head, size_t size, int64_t file_size);
// face (TetGen) and poly (Triangle) may be NULL; node may be NULL when poly holds the points.
ThawStatus thaw_read_tetgen(struct ThawText *node, struct ThawText *ele, struct ThawText *face, struct ThawText *poly,
                            ThawDraft *draft);
const char *thaw_head_tetgen(const char *head, size_t size, int64_t file_size);

#endif
