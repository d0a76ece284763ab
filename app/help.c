// SPDX-License-Identifier: Apache-2.0
// `thaw help methods` and `thaw help METHOD`: the registry and a method's table of options, in words; and the same for
// docs/scene.schema.json (--schema) and docs/scene-format.md (--markdown), into which scripts/options.sh puts it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "registry/method.h"
#include "scene/read.h" // THAW_SCENE_HUGE

// "; only with oracle "paper"", or nothing.
static void say_condition(const ThawOptionTable *table, const ThawOption *o, char *text, size_t room) {
    text[0] = 0;
    if (o->only_with)
        snprintf(text, room, "; only with the %s \"%s\"", o->only_with,
                 thaw_option_find(table, o->only_with)->names[o->only_choice]);
}

static void print_option(const ThawOptionTable *table, const ThawOption *o) {
    char range[100], value[100], condition[100], help[400];
    thaw_option_say_range(o, range, sizeof range);
    thaw_option_say_default(o, value, sizeof value);
    say_condition(table, o, condition, sizeof condition);
    snprintf(help, sizeof help, "%s%s", o->help, condition);
    printf("  %-14s %s; default: %s\n", o->name, range, value);
    app_print_wrapped(17, "", help);
}

static void print_method(const ThawMethod *method) {
    printf("%s: %s\n", method->name, method->summary);
    printf("\nA body says \"method\": \"%s\"; `--method %s` says so for all. More: docs/%s\n", method->name,
           method->name, method->page);
    if (method->options.count == 0) {
        printf("\nIt has no options.\n");
        return;
    }
    printf("\nOptions, in \"%s\": {...} of the scene for all bodies, or of a body for that one:\n\n", method->name);
    for (int i = 0; i < method->options.count; i++)
        print_option(&method->options, &method->options.rows[i]);
}

// --- for the documentation -------------------------------------------------------------------------------------------

static void print_markdown(const ThawOptionTable *table) {
    printf("| key | value | default | |\n|---|---|---|---|\n");
    for (const ThawOption *o = table->rows; o < table->rows + table->count; o++) {
        char range[100], value[100], condition[100];
        thaw_option_say_range(o, range, sizeof range);
        thaw_option_say_default(o, value, sizeof value);
        say_condition(table, o, condition, sizeof condition);
        printf("| `%s` | %s | %s | %s%s |\n", o->name, range, value, o->help, condition);
    }
}

static void print_bound(const char *name, const char *open_name, double value, int open) {
    printf("\"%s\": %.12g, ", open ? open_name : name, value);
}

// What JSON Schema says of the value, but for its description.
static void print_constraint(const ThawOption *o) {
    const int whole = o->kind == THAW_OPTION_COUNT;
    if (o->kind == THAW_OPTION_FLAG)
        printf("\"type\": \"boolean\", ");
    else if (o->kind == THAW_OPTION_CHOICE) {
        printf("\"enum\": [");
        for (int i = 0; o->names[i]; i++)
            printf("%s\"%s\"", i ? ", " : "", o->names[i]);
        printf("], ");
    } else {
        if (o->derived)
            printf("\"anyOf\": [{\"enum\": [\"auto\"]}, {");
        else
            printf("\"type\": \"%s\", ", whole ? "integer" : "number");
        print_bound("minimum", "exclusiveMinimum", o->zero ? 0 : o->range.lo, o->range.lo_open);
        print_bound("maximum", "exclusiveMaximum", fmin(o->range.hi, THAW_SCENE_HUGE), o->range.hi_open);
        if (o->zero)
            printf("\"not\": {\"exclusiveMinimum\": 0, \"exclusiveMaximum\": %.12g}, ", o->range.lo);
        if (o->derived)
            printf("\"type\": \"%s\"}], ", whole ? "integer" : "number");
    }
}

static void print_schema(const ThawMethod *method) {
    const ThawOptionTable *table = &method->options;
    printf("        \"%s\": {\n            \"type\": \"object\",\n            \"additionalProperties\": false,\n"
           "            \"properties\": {\n",
           method->name);
    for (int i = 0; i < table->count; i++) {
        const ThawOption *o = &table->rows[i];
        char value[100], condition[100];
        thaw_option_say_default(o, value, sizeof value);
        say_condition(table, o, condition, sizeof condition);
        for (char *c = condition; *c; c++) // inside a text
            *c = *c == '"' ? '\'' : *c;
        printf("                \"%s\": {", o->name);
        print_constraint(o);
        if (!o->derived)
            printf("\"default\": %s, ", value);
        printf("\"description\": \"%s%s%s%s\"}%s\n", o->unit, *o->unit ? ": " : "", o->help, condition,
               i + 1 < table->count ? "," : "");
    }
    printf("            }\n        },\n");
}

// --- the command -----------------------------------------------------------------------------------------------------

int app_help_methods(void) {
    printf("methods: how a body is moved\n\n");
    for (int i = 0; i < thaw_method_count(); i++)
        printf("  %-10s %s\n", thaw_method_at(i)->name, thaw_method_at(i)->summary);
    printf("\nA body of a scene says \"method\": NAME; `--method NAME` says so for all. Options: `thaw help NAME`\n");
    return APP_DONE;
}

int app_help_method(const char *name, const char *form) {
    const ThawMethod *method = thaw_method_at(thaw_method_index(name));
    if (!form)
        print_method(method);
    else if (strcmp(form, "--schema") != 0 && strcmp(form, "--markdown") != 0) {
        app_complain("help", "there is no option %s; allowed: --schema, --markdown", form);
        return APP_WRONG_INPUT;
    } else if (method->options.count > 0) {
        if (strcmp(form, "--schema") == 0)
            print_schema(method);
        else
            print_markdown(&method->options);
    }
    return APP_DONE;
}
