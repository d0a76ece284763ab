// SPDX-License-Identifier: Apache-2.0
// From what a mesh file says to a mesh. The cells of the highest dimension present become the elements, their tags the
// regions. Each tag of any dimension becomes a group: all vertices of its cells. Sets that bear one name, in whatever
// dimension, are one group. Points that no element uses (centres of arcs, mostly) are dropped, inverted elements
// mended.
//
// Every repair is counted in a report, with the ids of the first few; what cannot be mended is refused by name and
// line.
//
// Tags without a name are called N (elements), surface-N, curve-N, point-N, or marker-N (TetGen); tag 0 means none: it
// makes the region "default" and no group.
//
// A cell with several tags is in the draft several times: the first gives an element its region, the others add to
// groups. Cost: n log n in the number of different tags, linear in everything else.
#include "mesh/draft.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/text.h"

// All cells of one dimension with one tag.
struct ThawDraftSet {
    int dim;
    int32_t tag;
    char *name;     // owned; NULL: neither a region nor a group
    int32_t leader; // the first set of the same name; the numbers below are kept with it
    int32_t region; // -1 when it is none
    int32_t group;  // likewise
    int used;       // nonzero: an element has this region
};

void thaw_draft_init(ThawDraft *draft, const char *path) {
    *draft = (ThawDraft){.path = path, .prefix = {"point", "curve", "surface"}};
}

void thaw_draft_free(ThawDraft *draft) {
    for (int d = 0; d < 4; d++) {
        thaw_free(draft->cells[d].corner);
        thaw_free(draft->cells[d].tag);
        thaw_free(draft->cells[d].line);
    }
    for (int32_t i = 0; i < draft->name_count; i++)
        thaw_free(draft->names[i].name);
    for (int32_t i = 0; draft->sets && i < draft->set_first[4]; i++)
        thaw_free(draft->sets[i].name);
    thaw_free(draft->names);
    thaw_free(draft->sets);
    thaw_free(draft->x);
    thaw_free(draft->vertex);
    thaw_free(draft->element);
    *draft = (ThawDraft){0};
}

// --- filling in ------------------------------------------------------------------------------------------------------

ThawStatus thaw_draft_points(ThawDraft *draft, int32_t count, ThawError *error) {
    draft->x = THAW_NEW(double, (size_t)3 * (size_t)count);
    if (!draft->x)
        return thaw_error_memory(error, "the points of a mesh file");
    draft->point_count = count;
    return THAW_OK;
}

static int grow(void **array, int32_t used, int32_t room, size_t size) {
    void *more = thaw_regrow(*array, (size_t)used, (size_t)room, size);
    *array = more ? more : *array;
    return more != NULL;
}

ThawStatus thaw_draft_cell(ThawDraft *draft, int dim, const int32_t *corners, int32_t tag, int64_t line,
                           ThawError *error) {
    ThawCells *cells = draft->cells + dim;
    const size_t nodes = (size_t)dim + 1;
    if (cells->count == cells->room) {
        if (cells->count == INT32_MAX)
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s:%" PRId64 ": more than 2147483647 elements",
                                  thaw_text_path(draft->path), line);
        const int32_t room = cells->room < 64 ? 64 : cells->room > INT32_MAX / 2 ? INT32_MAX : 2 * cells->room;
        if (!grow((void **)&cells->corner, cells->count, room, nodes * sizeof *corners) ||
            !grow((void **)&cells->tag, cells->count, room, sizeof *cells->tag) ||
            !grow((void **)&cells->line, cells->count, room, sizeof *cells->line))
            return thaw_error_memory(error, "the elements of a mesh file");
        cells->room = room;
    }
    memcpy(cells->corner + nodes * (size_t)cells->count, corners, nodes * sizeof *corners);
    cells->tag[cells->count] = tag;
    cells->line[cells->count++] = (uint32_t)line;
    return THAW_OK;
}

void thaw_finding_add(ThawFinding *finding, int64_t id) {
    if (finding->count < THAW_FINDING_IDS)
        finding->ids[finding->count] = id;
    finding->count++;
}

ThawStatus thaw_draft_name(ThawDraft *draft, int dim, int32_t tag, const char *name, size_t length, ThawError *error) {
    if (draft->name_count == draft->name_room) {
        const int32_t room = draft->name_room < 16 ? 16 : 2 * draft->name_room;
        if (!grow((void **)&draft->names, draft->name_count, room, sizeof *draft->names))
            return thaw_error_memory(error, "the names in a mesh file");
        draft->name_room = room;
    }
    char *copy = THAW_NEW(char, length + 1);
    if (!copy)
        return thaw_error_memory(error, "the names in a mesh file");
    memcpy(copy, name, length);
    draft->names[draft->name_count++] = (ThawDraftName){.dim = dim, .tag = tag, .name = copy};
    return THAW_OK;
}

// --- sets: tags and their names --------------------------------------------------------------------------------------

static int compare_keys(int dim_a, int32_t a, int dim_b, int32_t b) {
    return dim_a != dim_b ? (dim_a > dim_b) - (dim_a < dim_b) : (a > b) - (a < b);
}

static int compare_names(const void *a, const void *b) {
    const ThawDraftName *one = a, *two = b;
    return compare_keys(one->dim, one->tag, two->dim, two->tag);
}

static int compare_tags(const void *a, const void *b) {
    const ThawDraftSet *one = a, *two = b;
    return compare_keys(0, one->tag, 0, two->tag);
}

// By name, and among equals by dimension and tag. Sets without a name come first.
static int compare_sets(const void *a, const void *b) {
    const ThawDraftSet *one = *(ThawDraftSet *const *)a, *two = *(ThawDraftSet *const *)b;
    const int order = strcmp(one->name ? one->name : "", two->name ? two->name : "");
    return order ? order : compare_keys(one->dim, one->tag, two->dim, two->tag);
}

// One set for each tag in use, by dimension and then by tag.
static ThawStatus collect_sets(ThawDraft *draft, ThawError *error) {
    int64_t changes = 0; // a bound: how often the tag differs from the cell before
    for (int d = 0; d < 4; d++)
        for (int32_t i = 0; i < draft->cells[d].count; i++)
            changes += i == 0 || draft->cells[d].tag[i] != draft->cells[d].tag[i - 1];
    draft->sets = THAW_NEW(ThawDraftSet, changes);
    if (!draft->sets)
        return thaw_error_memory(error, "the tags of a mesh file");
    int32_t count = 0;
    for (int d = 0; d < 4; d++) {
        const ThawCells *cells = draft->cells + d;
        ThawDraftSet *first = draft->sets + count;
        size_t found = 0;
        for (int32_t i = 0; i < cells->count; i++)
            if (i == 0 || cells->tag[i] != cells->tag[i - 1])
                first[found++] = (ThawDraftSet){.dim = d, .tag = cells->tag[i], .region = -1, .group = -1};
        if (found)
            qsort(first, found, sizeof *first, compare_tags);
        draft->set_first[d] = count;
        for (size_t i = 0; i < found; i++)
            if (i == 0 || first[i].tag != draft->sets[count - 1].tag)
                draft->sets[count++] = first[i];
    }
    draft->set_first[4] = count;
    return THAW_OK;
}

static ThawStatus name_sets(ThawDraft *draft, ThawError *error) {
    if (draft->name_count)
        qsort(draft->names, (size_t)draft->name_count, sizeof *draft->names, compare_names);
    for (int32_t i = 1; i < draft->name_count; i++)
        if (compare_names(draft->names + i - 1, draft->names + i) == 0)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "%s: tag %d of dimension %d has two names, \"%.100s\" and \"%.100s\"",
                                  thaw_text_path(draft->path), draft->names[i].tag, draft->names[i].dim,
                                  draft->names[i - 1].name, draft->names[i].name);
    for (int32_t i = 0; i < draft->set_first[4]; i++) {
        ThawDraftSet *set = draft->sets + i;
        const ThawDraftName key = {.dim = set->dim, .tag = set->tag};
        const ThawDraftName *given =
            draft->name_count ? bsearch(&key, draft->names, (size_t)draft->name_count, sizeof key, compare_names)
                              : NULL;
        char made[40];
        if (set->dim == draft->dim && set->tag == 0)
            snprintf(made, sizeof made, "default");
        else if (set->dim == draft->dim)
            snprintf(made, sizeof made, "%d", set->tag);
        else if (set->tag != 0)
            snprintf(made, sizeof made, "%s-%d", draft->prefix[set->dim], set->tag);
        else
            continue;
        if (!(set->name = thaw_strdup(given && given->name[0] ? given->name : made)))
            return thaw_error_memory(error, "the names in a mesh file");
    }
    return THAW_OK;
}

static ThawDraftSet *find_set(const ThawDraft *draft, int dim, int32_t tag) {
    int32_t low = draft->set_first[dim], high = draft->set_first[dim + 1] - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (draft->sets[middle].tag < tag)
            low = middle + 1;
        else
            high = middle;
    }
    return draft->sets + low; // every cell's tag is there
}

// The first element for each set of corners keeps its place; *count of them, the cells they come from in
// draft->element.
static ThawStatus choose_elements(ThawDraft *draft, int32_t *count, ThawMeshReport *report, ThawError *error) {
    const ThawCells *cells = draft->cells + draft->dim;
    const size_t nodes = (size_t)draft->dim + 1;
    char *again = THAW_NEW(char, cells->count); // nonzero: the same corners have been met before, with another tag
    draft->element = THAW_NEW(int32_t, cells->count);
    if (!again || !draft->element) {
        thaw_free(again);
        return thaw_error_memory(error, "the elements of a mesh file");
    }
    ThawStatus status = THAW_OK;
    if (draft->set_first[draft->dim + 1] - draft->set_first[draft->dim] > 1) {
        const ThawMesh raw = {
            .dim = draft->dim, .nodes = draft->dim + 1, .element_count = cells->count, .elements = cells->corner};
        int32_t *rows;
        status = thaw_mesh_element_rows(&raw, &rows, error);
        if (!status)
            status = thaw_rows_sort(raw.nodes, draft->point_count, (size_t)cells->count, &rows, error);
        for (size_t i = 1, first = 0; !status && i < (size_t)cells->count; i++) {
            const int32_t *row = rows + (nodes + 1) * i, *head = rows + (nodes + 1) * first;
            if (memcmp(row, head, nodes * sizeof *row) != 0)
                first = i;
            else
                again[row[nodes]] = cells->tag[row[nodes]] != cells->tag[head[nodes]];
        }
        thaw_free(rows);
    }
    *count = 0;
    for (int32_t i = 0; !status && i < cells->count; i++)
        if (!again[i]) {
            draft->element[(*count)++] = i;
            find_set(draft, draft->dim, cells->tag[i])->used = 1;
        } else {
            thaw_finding_add(&report->retagged, i);
        }
    thaw_free(again);
    return status;
}

// Numbers the regions in use and the groups, following dimension and tag; sets of one name share a number.
static ThawStatus number_sets(ThawDraft *draft, int32_t *regions, int32_t *groups, ThawError *error) {
    const int32_t count = draft->set_first[4];
    ThawDraftSet **sorted = THAW_NEW(ThawDraftSet *, count);
    if (!sorted)
        return thaw_error_memory(error, "the names in a mesh file");
    for (int32_t i = 0; i < count; i++)
        sorted[i] = draft->sets + i;
    qsort(sorted, (size_t)count, sizeof *sorted, compare_sets);
    for (int32_t i = 0; i < count; i++) {
        const int same = i && sorted[i]->name && sorted[i - 1]->name && !strcmp(sorted[i]->name, sorted[i - 1]->name);
        sorted[i]->leader = same ? sorted[i - 1]->leader : (int32_t)(sorted[i] - draft->sets);
    }
    thaw_free(sorted);
    *regions = *groups = 0;
    for (int32_t i = 0; i < count; i++) {
        const ThawDraftSet *set = draft->sets + i;
        ThawDraftSet *leader = draft->sets + set->leader;
        if (set->used && leader->region < 0)
            leader->region = (*regions)++;
        if (set->name && set->tag && leader->group < 0)
            leader->group = (*groups)++;
    }
    return THAW_OK;
}

// --- the mesh --------------------------------------------------------------------------------------------------------

// Ids for the points that elements use, in the order of the file.
static ThawStatus number_vertices(ThawDraft *draft, int32_t element_count, int32_t *count, ThawMeshReport *report,
                                  ThawError *error) {
    const int nodes = draft->dim + 1;
    draft->vertex = THAW_NEW(int32_t, draft->point_count);
    if (!draft->vertex)
        return thaw_error_memory(error, "the points of a mesh file");
    for (int32_t e = 0; e < element_count; e++)
        for (int i = 0; i < nodes; i++)
            draft->vertex[draft->cells[draft->dim].corner[(size_t)nodes * (size_t)draft->element[e] + (size_t)i]] = 1;
    *count = 0;
    for (int32_t p = 0; p < draft->point_count; p++) {
        if (!draft->vertex[p])
            thaw_finding_add(&report->unused, p);
        draft->vertex[p] = draft->vertex[p] ? (*count)++ : -1;
    }
    return THAW_OK;
}

// A mesh of triangles must lie in a plane z = constant, up to a billionth of its extent.
static ThawStatus check_plane(const ThawDraft *draft, ThawError *error) {
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t p = 0; p < draft->point_count; p++)
        for (int k = 0; k < 3 && draft->vertex[p] >= 0; k++) {
            lo[k] = fmin(lo[k], draft->x[3 * (size_t)p + (size_t)k]);
            hi[k] = fmax(hi[k], draft->x[3 * (size_t)p + (size_t)k]);
        }
    if (hi[2] - lo[2] > 1e-9 * fmax(hi[0] - lo[0], hi[1] - lo[1]))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: no tetrahedra, and triangles between z = %g and z = %g; allowed are tetrahedra, or "
                              "triangles with all z equal (thaw mesh fills a closed surface with tetrahedra)",
                              thaw_text_path(draft->path), lo[2], hi[2]);
    return THAW_OK;
}

static void fill_mesh(const ThawDraft *draft, ThawMesh *mesh, ThawMeshReport *report) {
    const ThawCells *cells = draft->cells + draft->dim;
    const size_t nodes = (size_t)mesh->nodes, dim = (size_t)mesh->dim;
    for (size_t p = 0; p < (size_t)draft->point_count; p++)
        if (draft->vertex[p] >= 0)
            memcpy(mesh->x + dim * (size_t)draft->vertex[p], draft->x + 3 * p, dim * sizeof *mesh->x);
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t cell = draft->element[e];
        for (size_t i = 0; i < nodes; i++)
            mesh->elements[nodes * (size_t)e + i] = draft->vertex[cells->corner[nodes * (size_t)cell + i]];
        mesh->region[e] = draft->sets[find_set(draft, draft->dim, cells->tag[cell])->leader].region;
        if (thaw_mesh_volume(mesh, e) < 0) {
            thaw_mesh_flip(mesh, e);
            thaw_finding_add(&report->reoriented, e);
        }
    }
}

// Walks over all (vertex, group) pairs. Without `entry` counts them at next[vertex + 1], else writes them there.
static void visit_groups(const ThawDraft *draft, int64_t *next, int32_t *entry) {
    for (int d = 0; d <= draft->dim; d++)
        for (int32_t i = 0; i < draft->cells[d].count; i++) {
            const ThawDraftSet *set = find_set(draft, d, draft->cells[d].tag[i]);
            if (set->tag == 0)
                continue;
            for (size_t k = 0; k <= (size_t)d; k++) {
                const int32_t v = draft->vertex[draft->cells[d].corner[((size_t)d + 1) * (size_t)i + k]];
                if (v >= 0 && entry)
                    entry[next[v]++] = draft->sets[set->leader].group;
                else if (v >= 0)
                    next[v + 1]++;
            }
        }
}

// With the pairs sorted by vertex, each group meets its vertices in ascending order. last[g]: the vertex it has met
// last.
static ThawStatus fill_groups(const ThawMesh *mesh, const int64_t *end, const int32_t *entry, int32_t *last,
                              ThawMeshGroup *groups, int32_t group_count, ThawError *error) {
    for (int pass = 0; pass < 2; pass++) { // count, then write
        memset(last, -1, (size_t)group_count * sizeof *last);
        for (int32_t g = 0; pass && g < group_count; g++) {
            if (!(groups[g].vertices = THAW_NEW(int32_t, groups[g].count)))
                return thaw_error_memory(error, "the groups of a mesh");
            groups[g].count = 0;
        }
        int64_t at = 0;
        for (int32_t v = 0; v < mesh->vertex_count; v++)
            for (; at < end[v]; at++) {
                ThawMeshGroup *group = groups + entry[at];
                if (last[entry[at]] == v)
                    continue;
                last[entry[at]] = v;
                if (pass)
                    group->vertices[group->count] = v;
                group->count++;
            }
    }
    return THAW_OK;
}

static ThawStatus make_groups(const ThawDraft *draft, ThawMesh *mesh, int32_t group_count, ThawError *error) {
    ThawStatus status = thaw_mesh_set_groups(mesh, group_count, error);
    if (status || group_count == 0)
        return status;
    for (int32_t i = 0; i < draft->set_first[4]; i++) {
        const ThawDraftSet *set = draft->sets + i, *leader = draft->sets + set->leader;
        if (leader->group >= 0 && !mesh->groups[leader->group].name &&
            !(mesh->groups[leader->group].name = thaw_strdup(leader->name)))
            return thaw_error_memory(error, "the groups of a mesh");
    }
    int64_t *next = THAW_NEW(int64_t, (size_t)mesh->vertex_count + 1);
    int32_t *entry = NULL, *last = THAW_NEW(int32_t, group_count);
    if (next && last) {
        visit_groups(draft, next, NULL);
        for (int32_t v = 0; v < mesh->vertex_count; v++)
            next[v + 1] += next[v];
        entry = THAW_NEW(int32_t, next[mesh->vertex_count]);
    }
    if (entry) {
        visit_groups(draft, next, entry); // next[v] has now moved to the end of v's entries
        status = fill_groups(mesh, next, entry, last, mesh->groups, group_count, error);
    } else {
        status = thaw_error_memory(error, "the groups of a mesh");
    }
    thaw_free(next);
    thaw_free(entry);
    thaw_free(last);
    int32_t kept = 0; // groups of points that no element uses are empty, and go
    for (int32_t g = 0; !status && g < group_count; g++) {
        if (mesh->groups[g].count) {
            mesh->groups[kept++] = mesh->groups[g];
        } else {
            thaw_free(mesh->groups[g].name);
            thaw_free(mesh->groups[g].vertices);
        }
    }
    if (!status)
        mesh->group_count = kept;
    return status;
}

static ThawStatus make_regions(const ThawDraft *draft, ThawMesh *mesh, int32_t region_count, ThawError *error) {
    ThawStatus status = thaw_mesh_set_regions(mesh, region_count, error);
    for (int32_t i = 0; !status && i < draft->set_first[4]; i++) {
        const int32_t region = draft->sets[i].region;
        if (region >= 0 && !(mesh->region_names[region] = thaw_strdup(draft->sets[i].name)))
            status = thaw_error_memory(error, "the regions of a mesh");
    }
    return status;
}

// thaw_mesh_check, with the file and the line of the culprit in front of the message.
static ThawStatus check_mesh(const ThawDraft *draft, const ThawMesh *mesh, ThawError *error) {
    int32_t culprit, *across = NULL;
    ThawError found = {0};
    ThawStatus status = thaw_mesh_check(mesh, &culprit, &found);
    if (!status)
        status = thaw_mesh_neighbours(mesh, &across, &found); // three elements at one face overlap
    thaw_free(across);
    if (status == THAW_OK)
        return status;
    const uint32_t line = culprit < 0 ? 0 : draft->cells[draft->dim].line[draft->element[culprit]];
    if (line == 0)
        return thaw_error_set(error, status, "%s: %.600s", thaw_text_path(draft->path), found.message);
    return thaw_error_set(error, status, "%s:%" PRIu32 ": %.600s", thaw_text_path(draft->path), line, found.message);
}

static ThawStatus report_coincident(const ThawMesh *mesh, ThawMeshReport *report, ThawError *error) {
    int32_t *first = THAW_NEW(int32_t, mesh->vertex_count);
    if (!first)
        return thaw_error_memory(error, "finding points at the same place");
    const ThawStatus status = thaw_points_first(mesh->dim, mesh->vertex_count, mesh->x, first, error);
    for (int32_t v = 0; !status && v < mesh->vertex_count; v++)
        if (first[v] != v)
            thaw_finding_add(&report->coincident, v);
    thaw_free(first);
    return status;
}

ThawStatus thaw_draft_finish(ThawDraft *draft, ThawMesh **mesh, ThawMeshReport *report, ThawError *error) {
    int32_t elements = 0, vertices = 0, regions = 0, groups = 0;
    *mesh = NULL;
    draft->dim = draft->cells[3].count ? 3 : 2;
    if (draft->sheet && draft->dim == 3)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: it has tetrahedra; a sheet is of triangles only",
                              thaw_text_path(draft->path));
    if (draft->cells[draft->dim].count == 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: neither tetrahedra nor triangles; one of them is needed",
                              thaw_text_path(draft->path));
    ThawStatus status = collect_sets(draft, error);
    if (!status)
        status = name_sets(draft, error);
    if (!status)
        status = choose_elements(draft, &elements, report, error);
    if (!status)
        status = number_sets(draft, &regions, &groups, error);
    if (!status)
        status = number_vertices(draft, elements, &vertices, report, error);
    if (!status && draft->dim == 2 && !draft->sheet)
        status = check_plane(draft, error);
    if (!status)
        status = draft->sheet ? thaw_mesh_create_sheet(vertices, elements, mesh, error)
                              : thaw_mesh_create(draft->dim, vertices, elements, mesh, error);
    if (status)
        return status;
    fill_mesh(draft, *mesh, report);
    status = make_regions(draft, *mesh, regions, error);
    if (!status)
        status = make_groups(draft, *mesh, groups, error);
    if (!status)
        status = check_mesh(draft, *mesh, error);
    if (!status)
        status = report_coincident(*mesh, report, error);
    if (status)
        thaw_mesh_free(mesh);
    return status;
}
