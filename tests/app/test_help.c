// SPDX-License-Identifier: Apache-2.0
// `thaw help methods` and `thaw help METHOD`; and what the documentation says of options is what their tables say.
static const char program[] = THAW_PROGRAM;

#include "app/program.h"

#include <jansson.h>

#include "registry/method.h"

static void help_lists_methods_and_their_options(void **state) {
    (void)state;
    expect("help methods", 0, thaw_method_full.summary);
    expect("help methods", 0, thaw_method_rigidify.summary);
    expect("help full", 0, "It has no options.");
    const ThawOptionTable *table = &thaw_method_rigidify.options;
    for (int i = 0; i < table->count; i++) {
        char line[200], range[100], value[60];
        thaw_option_say_range(&table->rows[i], range, sizeof range);
        thaw_option_say_default(&table->rows[i], value, sizeof value);
        snprintf(line, sizeof line, "\n  %-14s %s; default: %s\n", table->rows[i].name, range, value);
        expect("help rigidify", 0, line);
    }
    expect("help rigidify", 0, "docs/rigidification.md");
    expect("help", 0, "thaw help methods");
    expect("help rigidfy", 1, "no method 'rigidfy' (did you mean rigidify?)");
    expect("help nothing", 1, "no subcommand 'nothing'");
    expect("help rigidify --yaml", 1, "allowed: --schema, --markdown");
    expect("rigidify", 1, "no subcommand 'rigidify'");
}

// After a change of a table: scripts/options.sh.
static void assert_documented(const char *file, const char *command) {
    size_t size = 0;
    char *text = slurp(file, &size);
    assert_non_null(text);
    assert_int_equal(thaw(command), 0);
    if (strlen(said) > 0 && !strstr(text, said))
        fail_msg("%s does not have what `thaw %s` says; run scripts/options.sh", file, command);
    free(text);
}

static void the_documentation_has_the_options_of_every_method(void **state) {
    (void)state;
    for (int i = 0; i < thaw_method_count(); i++) {
        char command[100];
        snprintf(command, sizeof command, "help %s --schema", thaw_method_at(i)->name);
        assert_documented(THAW_SOURCE_DIR "/docs/scene.schema.json", command);
        snprintf(command, sizeof command, "help %s --markdown", thaw_method_at(i)->name);
        assert_documented(THAW_SOURCE_DIR "/docs/scene-format.md", command);
    }
}

static void the_schema_names_every_method_and_where_its_options_go(void **state) {
    (void)state;
    json_t *schema = json_load_file(THAW_SOURCE_DIR "/docs/scene.schema.json", 0, NULL);
    json_t *defs = json_object_get(schema, "$defs"), *top = json_object_get(schema, "properties");
    json_t *body = json_object_get(json_object_get(defs, "body"), "properties");
    json_t *names = json_object_get(json_object_get(body, "method"), "enum");
    assert_int_equal(json_array_size(names), thaw_method_count());
    for (int i = 0; i < thaw_method_count(); i++) {
        const ThawMethod *method = thaw_method_at(i);
        assert_string_equal(json_string_value(json_array_get(names, (size_t)i)), method->name);
        if (method->options.count == 0)
            continue;
        char ref[100];
        snprintf(ref, sizeof ref, "#/$defs/%s", method->name);
        json_t *const places[] = {json_object_get(top, method->name), json_object_get(body, method->name)};
        for (int k = 0; k < 2; k++)
            assert_string_equal(json_string_value(json_object_get(places[k], "$ref")), ref);
        json_t *options = json_object_get(json_object_get(defs, method->name), "properties");
        assert_int_equal(json_object_size(options), method->options.count);
    }
    json_decref(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_lists_methods_and_their_options),
        cmocka_unit_test(the_documentation_has_the_options_of_every_method),
        cmocka_unit_test(the_schema_names_every_method_and_where_its_options_go),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
