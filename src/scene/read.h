// SPDX-License-Identifier: Apache-2.0
// Reading a scene: places in a JSON document that know their own path, and the memory of the scene that comes out.
// The first error sticks to the reader; every function below does nothing (and returns its zero) from then on, so that
// callers need to look only where they would otherwise use something that is not there.
#ifndef THAW_SCENE_READ_H
#define THAW_SCENE_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "registry/method.h"
#include "scene/kind.h"
#include "thaw/mesher.h"
#include "thaw/scene.h"

// A scene and all it owns. The scene comes first: thaw_scene_free turns its pointer back into this one.
typedef struct ThawSceneStore {
    ThawScene scene;
    void **blocks; // block_count pieces of memory, freed with the scene
    size_t block_count, block_room;
    ThawMesh **meshes; // one a shape (NULL until read), freed with the scene
    int32_t mesh_count;
} ThawSceneStore;

typedef struct ThawSceneReader {
    const char *name;               // of the file, for messages
    const char *folder;             // where relative mesh files are looked up; may be NULL
    const ThawReadOptions *options; // of meshes; may be NULL
    ThawSceneStore *store;
    ThawError *error;     // may be NULL
    ThawStatus status;    // the first error, or THAW_OK
    ThawSceneErrors *all; // NULL: only the first is wanted
    // Writable views of store->scene.world, filled in this order.
    ThawMaterialDef *materials; // room for the scene's own and for the whole library
    double *sold_as;            // m, of each material: how thick a sheet of it is in the library; 0: not there
    ThawShapeDef *shapes;
    ThawMesherReport *meshed;
    ThawGroupDef **groups; // for each shape: room for its own groups, all groups of its mesh, and "all"
    ThawBodyDef *bodies;
} ThawSceneReader;

// A value of the document and the way to it. Lives on the stack, its `up` too.
typedef struct ThawPlace {
    ThawSceneReader *reader;
    const struct ThawPlace *up; // NULL: the whole document
    const char *key;            // in an object; NULL: in an array
    size_t index;               // in an array
    json_t *value;              // NULL: absent
} ThawPlace;

// --- memory of the scene (scene.c) -----------------------------------------------------------------------------------

// count * size zeroed bytes that live as long as the scene; NULL with the reader's status set when there are none.
void *thaw_scene_keep(ThawSceneReader *reader, size_t count, size_t size);
char *thaw_scene_keep_text(ThawSceneReader *reader, const char *text);

// --- errors (place.c) ------------------------------------------------------------------------------------------------

// "FILE: PATH: message"
void thaw_place_fail(const ThawPlace *place, ThawStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// "FILE: PATH: what (value X); allowed: allowed"
void thaw_place_refuse(const ThawPlace *place, const char *what, const char *allowed);
// Refuses `text`, which is none of the names, suggesting the nearest. Names of length 0 are passed over.
void thaw_place_refuse_name(const ThawPlace *place, const char *what, const char *text, const char *const *names,
                            size_t count);

// After a part of a scene on which the next one does not build: where all errors are wanted, notes the one there is, so
// that reading goes on. Returns whether there was one.
bool thaw_scene_note_error(ThawSceneReader *reader);

// --- values (value.c) ------------------------------------------------------------------------------------------------

// The largest magnitude taken anywhere, so that squares and products stay finite.
#define THAW_SCENE_HUGE 1e30
extern const ThawRange thaw_range_any, thaw_range_positive, thaw_range_not_negative, thaw_range_share;

ThawPlace thaw_place_member(const ThawPlace *up, const char *key);
ThawPlace thaw_place_item(const ThawPlace *up, size_t index);

// Is it an object with no keys but these (NULL ends them), and are the first `required` of them there?
bool thaw_place_is_object(const ThawPlace *place, const char *const *keys, size_t required);
// Is it an object, of whatever keys? The count of its members goes to *count.
bool thaw_place_is_map(const ThawPlace *place, size_t *count);
// An object of at least `least` members, each of them a name that may be referred to?
bool thaw_place_is_catalogue(const ThawPlace *place, size_t least, size_t *count);
// Is it an array of at least `least` items?
bool thaw_place_is_array(const ThawPlace *place, size_t least, size_t *count);
// Which one of these keys (NULL ends them) the object has; -1 with an error when there is none or more than one.
int thaw_place_which(const ThawPlace *place, const char *const *keys);

// Members. An absent one leaves *value as it is.
void thaw_place_number(const ThawPlace *up, const char *key, ThawRange range, double *value);
void thaw_place_integer(const ThawPlace *up, const char *key, int64_t lo, int64_t hi, int64_t *value);
void thaw_place_choice(const ThawPlace *up, const char *key, const char *const *names, size_t count, int *value);
// dim numbers; in 2D three are taken as well if the last is zero. value[2] is 0 in 2D.
void thaw_place_vector(const ThawPlace *up, const char *key, double value[3]);
// {"axis", "degrees"}, in 2D {"degrees"}: a unit quaternion (w, x, y, z), and degrees times the unit axis (may be
// NULL).
void thaw_place_rotation(const ThawPlace *up, const char *key, double q[4], double turn[3]);

// The place's own value.
double thaw_place_own_number(const ThawPlace *place, ThawRange range);
void thaw_place_own_vector(const ThawPlace *place, double value[3]);
// A text of at least one character, borrowed from the document; NULL with an error otherwise.
const char *thaw_place_own_text(const ThawPlace *place);

// --- the parts of a scene --------------------------------------------------------------------------------------------

// A copy of the text without comments, each line as long as it was up to its last character that is no comment
// (comments.c). *line and *column (from 1) tell where a comment begins that never ends; then, or without memory, NULL.
char *thaw_scene_strip_comments(const char *text, size_t length, size_t *stripped, int *line, int *column);

// The materials that a scene declares; the value may be absent (material.c).
void thaw_scene_read_materials(const ThawPlace *materials);
// The index of a material by its name, appending one of the library where it is first used (material.c).
int32_t thaw_scene_find_material(const ThawPlace *name);
// The document in a text with comments; NULL with *status set when it is none. `name` stands for the file (scene.c).
json_t *thaw_scene_parse_json(const char *text, size_t length, const char *name, ThawStatus *status, ThawError *error);
// Is it one of the words that a solid begins with (solid.c)?
bool thaw_scene_is_solid_key(const char *key);
// The whole file, in memory for thaw_free; NULL with *status set when there is none (scene.c).
char *thaw_scene_read_text(const char *path, size_t *length, ThawStatus *status, ThawError *error);
// Where the file is that the place names, for thaw_free; NULL with an error (shape.c).
char *thaw_scene_path(const ThawPlace *place);
// Adds the solid that the place describes, or the inside of the surface in the file it names (of one piece of it, from
// 1; 0: of all of it); its node, or -1 with an error (solid.c).
int32_t thaw_scene_read_solid(const ThawPlace *place, ThawSolid *solid);
int32_t thaw_scene_read_surface(const ThawPlace *file, int32_t piece, ThawSolid *solid);

// Points (r, z), r of at least 0 and at least two of them, with room for two more; NULL with an error (solid.c).
double *thaw_scene_read_profile(const ThawPlace *place, size_t *count);

// Options of methods, each under the method's name (options.c): in the whole document, where they are the world's, and
// in a body, whose own ones are the world's but for those it gives.
void thaw_scene_read_world_options(const ThawPlace *top);
void thaw_scene_read_body_options(const ThawPlace *place, ThawBodyDef *body);
// keys: these, the names of methods that have options, and NULL.
enum { THAW_SCENE_KEYS = 32 };
void thaw_scene_list_keys(const char *const *own, size_t count, const char *keys[THAW_SCENE_KEYS]);

// The mesh of a sheet: `member` is the value of "sheet" in the mesh `place`. unit: m, what one unit of its own is after
// the shape's scale (sheet.c).
// *uv: of a file's texture points, as ThawShapeDef has it, or as it was.
void thaw_scene_read_sheet(const ThawPlace *place, const ThawPlace *member, double unit, ThawMesh **mesh, double **uv);
// How thick a shape is and, of a sheet, how it stretches and bends: what `place` says, and what suits its mesh
// (sheet.c).
void thaw_scene_read_thickness(const ThawPlace *place, ThawShapeDef *shape);
// fibre.c: fibres and stiffness of a shape whose mesh is where it will be.
void thaw_scene_read_element_data(const ThawPlace *place, ThawShapeDef *shape);
void thaw_scene_read_shapes(const ThawPlace *shapes); // shape.c
void thaw_scene_read_bodies(const ThawPlace *bodies); // body.c
// joint.c: of body `index`, whose shape is known; bodies before it have been read.
void thaw_scene_read_joint(const ThawPlace *place, int32_t index, ThawBodyDef *body);
void thaw_scene_read_carried(const ThawPlace *list, int32_t index, ThawBodyDef *body);
void thaw_scene_read_contact(const ThawPlace *top);      // obstacle.c: contact, obstacles, pairs
void thaw_scene_read_attachments(const ThawPlace *list); // attachment.c; after obstacles
// Keyframes: at least one, times ascending, turns below 180 degrees (body.c).
void thaw_scene_read_keys(const ThawPlace *list, const ThawKey **keys, int32_t *key_count);
// The groups that a shape defines; the value may be absent (group.c).
void thaw_scene_read_groups(const ThawPlace *groups, int32_t shape);
// The index of a group of the shape by its name, appending a group of the mesh where it is first used (group.c).
int32_t thaw_scene_find_group(const ThawPlace *name, int32_t shape);

// A change of a body of that shape (group.c).
void thaw_scene_read_change(const ThawPlace *place, int32_t shape, ThawChangeDef *change);

// A hash of what the trajectory depends on (digest.c).
uint64_t thaw_scene_digest(const ThawWorldDef *world);

#endif
