// SPDX-License-Identifier: Apache-2.0
// The published schema and the reader are two descriptions of one format. Walking good scenes and the schema side by
// side shows that they agree: every key and every choice of the schema is used by a scene that the reader takes, and at
// each object of a scene the reader allows exactly the keys that the schema has there.
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/read.h"

static const char SEEN[] = "x-seen", FOLDER[] = THAW_SOURCE_DIR "/tests/scene/small";

static const char *const files[] = {
    "tests/scene/small/two_materials.json",
    "tests/scene/small/newton.json",
    "tests/scene/small/scripted.json",
    "tests/scene/small/twins.json",
    "tests/scene/library.json",
    "tests/scene/small/solids.json",
    "tests/scene/small/grid.json",
    "tests/scene/small/contact.json",
    "tests/scene/small/sheets.json",
    "tests/scene/small/contact2d.json",
    "tests/scene/small/plane.json",
    "tests/scene/small/rest.json",
    "tests/scene/small/attached.json",
    "tests/scene/small/gripper.json",
    "tests/scene/small/changed.json",
    "tests/scene/small/euler.json",
    "tests/scene/small/euler-newton.json",
    "tests/scene/small/tr-bdf2.json",
    "tests/scene/small/tr-bdf2-newton.json",
    "tests/scene/small/unit.json",
    "tests/scene/small/fibres.json",
    "tests/scene/small/sewn.json",
    "tests/scene/small/condensed.json",
    "tests/scene/small/adapted.json",
    "tests/scene/small/framed.json",
    "tests/scene/small/bones.json",
};
enum { FILES = sizeof files / sizeof *files, PLANE = 10, ROOM = 1 << 16 };

// Its text without comments.
static json_t *load_json(const char *file) {
    static char text[ROOM];
    char path[1000];
    snprintf(path, sizeof path, THAW_SOURCE_DIR "/%s", file);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t length = fread(text, 1, sizeof text, f);
    fclose(f);
    int line, column;
    char *plain = thaw_scene_strip_comments(text, length, &length, &line, &column);
    assert_non_null(plain);
    json_error_t error;
    json_t *document = json_loadb(plain, length, 0, &error);
    thaw_free(plain);
    if (!document)
        fail_msg("%s:%d: %s", file, error.line, error.text);
    return document;
}

static json_t *resolve(json_t *schema, json_t *node) {
    const char *ref = json_string_value(json_object_get(node, "$ref"));
    json_t *defs = json_object_get(schema, "$defs");
    return ref ? json_object_get(defs, ref + strlen("#/$defs/")) : node;
}

// The alternative of an anyOf that describes values of this type; the node itself when there is no choice.
static json_t *choose(json_t *schema, json_t *node, const json_t *value) {
    json_t *choices = json_object_get(node, "anyOf"), *choice;
    size_t i;
    json_array_foreach(choices, i, choice) {
        json_t *form = resolve(schema, choice);
        const char *type = json_string_value(json_object_get(form, "type"));
        if (type && ((json_is_object(value) && strcmp(type, "object") == 0) ||
                     (json_is_array(value) && strcmp(type, "array") == 0)))
            return form;
        if (json_is_string(value) && json_object_get(form, "enum"))
            return form;
    }
    return node;
}

typedef void (*Visit)(json_t *schema, json_t *node, json_t *value, json_t *document);

static void walk(json_t *schema, json_t *at, json_t *value, json_t *document, Visit visit) {
    json_t *node = choose(schema, resolve(schema, at), value), *item;
    visit(schema, node, value, document);
    size_t i;
    json_array_foreach(value, i, item) walk(schema, json_object_get(node, "items"), item, document, visit);
    json_t *properties = json_object_get(node, "properties"), *others = json_object_get(node, "additionalProperties");
    // The visit may change the object for a moment, so its members are walked by a list of their names.
    json_t *names = json_array();
    const char *key;
    if (json_is_object(node))
        json_object_foreach(value, key, item) json_array_append_new(names, json_string(key));
    json_array_foreach(names, i, item) {
        json_t *property = json_object_get(properties, json_string_value(item));
        json_t *form = property ? property : others;
        if (!json_is_object(form))
            fail_msg("the schema has no key \"%s\"", json_string_value(item));
        if (property)
            json_object_set_new(property, SEEN, json_true());
        walk(schema, form, json_object_get(value, json_string_value(item)), document, visit);
    }
    json_decref(names);
}

// Takes the value out of the choices that are still to be seen.
static void mark_choice(json_t *schema, json_t *node, json_t *value, json_t *document) {
    (void)schema, (void)document;
    json_t *choices = json_object_get(node, "enum"), *choice;
    size_t i;
    json_array_foreach(choices, i, choice) if (json_equal(choice, value)) {
        json_array_remove(choices, i);
        break;
    }
}

// What no scene used: properties that are not marked, and choices that are left over.
static int count_unseen(const char *name, json_t *node) {
    int unseen = 0;
    const char *key;
    json_t *value;
    size_t i;
    json_t *properties = json_object_get(node, "properties");
    json_object_foreach(properties, key, value) if (!json_object_get(value, SEEN)) {
        print_error("%s: no scene uses \"%s\"\n", name, key);
        unseen++;
    }
    if (properties && !json_is_false(json_object_get(node, "additionalProperties"))) {
        print_error("%s: additionalProperties is not false\n", name);
        unseen++;
    }
    json_array_foreach(json_object_get(node, "enum"), i, value) {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        print_error("%s: no scene chooses %s\n", name, text);
        unseen++;
        free(text);
    }
    json_object_foreach(node, key, value) unseen += count_unseen(key, value);
    if (json_is_array(node))
        json_array_foreach(node, i, value) unseen += count_unseen(name, value);
    return unseen;
}

static void every_key_and_choice_of_the_schema_is_used_by_a_good_scene(void **state) {
    (void)state;
    json_t *schema = load_json("docs/scene.schema.json");
    for (int i = 0; i < FILES; i++) {
        json_t *document = load_json(files[i]);
        walk(schema, schema, document, document, mark_choice);
        json_decref(document);
    }
    // The one choice without a scene to run: whether CHOLMOD is there is a matter of the build.
    json_t *solver = json_pack("{s:s}", "name", "cholmod");
    walk(schema, json_object_get(json_object_get(schema, "$defs"), "solver"), solver, NULL, mark_choice);
    json_decref(solver);
    assert_int_equal(count_unseen("schema", schema), 0);
    json_decref(schema);
}

static int checked;

// Puts a key into the object that no object has, and compares the keys that the reader's complaint lists as allowed.
static void compare_keys(json_t *schema, json_t *node, json_t *value, json_t *document) {
    (void)schema;
    json_t *properties = json_object_get(node, "properties");
    if (!properties || !json_is_object(value))
        return;
    json_object_set_new(value, "qqqqqqqqqqqq", json_null());
    char *text = json_dumps(document, 0);
    json_object_del(value, "qqqqqqqqqqqq");
    ThawScene *scene = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_scene_parse(text, strlen(text), "s", FOLDER, &scene, &error), THAW_ERROR_INPUT);
    free(text);
    char *list = strstr(error.message, "allowed: "), *rest = NULL;
    if (!strstr(error.message, "unknown key") || !list)
        fail_msg("%s", error.message);
    size_t count = 0;
    for (char *key = strtok_r(list + strlen("allowed: "), ", ", &rest); key; key = strtok_r(NULL, ", ", &rest), count++)
        if (!json_object_get(properties, key))
            fail_msg("the reader allows \"%s\", the schema does not", key);
    assert_int_equal(count, json_object_size(properties));
    checked++;
}

static void at_each_object_reader_and_schema_allow_the_same_keys(void **state) {
    (void)state;
    json_t *schema = load_json("docs/scene.schema.json");
    checked = 0;
    for (int i = 0; i < PLANE; i++) { // in the plane, the reader allows fewer: no axis, no width
        json_t *document = load_json(files[i]);
        walk(schema, schema, document, document, compare_keys);
        json_decref(document);
    }
    assert_true(checked > 40);
    json_decref(schema);
}

static void the_example_of_the_documentation_is_taken(void **state) {
    (void)state;
    static char text[ROOM];
    FILE *f = fopen(THAW_SOURCE_DIR "/docs/scene-format.md", "rb");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    char *begin = strstr(text, "```json\n"), *end = begin ? strstr(begin, "\n```\n") : NULL;
    assert_non_null(end);
    begin += strlen("```json\n");
    ThawScene *scene = NULL;
    ThawError error = {0};
    if (thaw_scene_parse(begin, (size_t)(end - begin), "scene-format.md", NULL, &scene, &error))
        fail_msg("%s", error.message);
    thaw_scene_free(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_and_choice_of_the_schema_is_used_by_a_good_scene),
        cmocka_unit_test(at_each_object_reader_and_schema_allow_the_same_keys),
        cmocka_unit_test(the_example_of_the_documentation_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
