// SPDX-License-Identifier: Apache-2.0
// Command lines: options from a table, in any order, with suggestions for misspelt ones.
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "registry/scheme.h"

void app_complain(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, *command ? "thaw %s: " : "thaw: ", command);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void app_print_wrapped(int indent, const char *head, const char *text) {
    enum { WIDTH = 100 };
    size_t column = (size_t)indent + strlen(head);
    printf("%*s%s", indent, "", head);
    while (*text) {
        size_t word = strcspn(text, " ");
        if (column + word > WIDTH && column > (size_t)indent) {
            printf("\n%*s", indent, "");
            column = (size_t)indent;
        }
        printf("%.*s", (int)word, text);
        column += word;
        text += word;
        if (*text == ' ') {
            if (text[1] && column + 1 + strcspn(text + 1, " ") <= WIDTH) {
                putchar(' ');
                column++;
            } else {
                column = WIDTH;
            }
            text++;
        }
    }
    printf("\n");
}

int app_exit_status(ThawStatus status) {
    return status == THAW_OK ? APP_DONE : status == THAW_ERROR_INPUT ? APP_WRONG_INPUT : APP_FAILED;
}

// Levenshtein distance; words longer than the row count as far away.
static int edit_distance(const char *a, const char *b) {
    enum { LONGEST = 32 };
    int row[LONGEST + 1];
    int m = (int)strlen(a), n = (int)strlen(b);
    if (m > LONGEST || n > LONGEST)
        return 2 * LONGEST;
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; i <= m; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[n];
}

const char *app_suggest(const char *word, const char *const *names, int count) {
    const char *nearest = NULL;
    int least = 1 + (int)strlen(word) / 3; // a third of the letters may be wrong
    for (int i = 0; i < count; i++) {
        int distance = edit_distance(word, names[i]);
        if (distance <= least) {
            least = distance - 1;
            nearest = names[i];
        }
    }
    for (int i = 0; i < count && !nearest && strlen(word) > 2; i++) // rubber means natural-rubber
        nearest = strstr(names[i], word) ? names[i] : NULL;
    return nearest;
}

static int unknown_option(const AppArguments *a, const char *word, size_t length) {
    char option[40];
    snprintf(option, sizeof option, "%.*s", (int)(length < 39 ? length : 39), word);
    const char *names[64];
    int count = 0;
    while (count < 64 && a->table[count].name) {
        names[count] = a->table[count].name;
        count++;
    }
    const char *near = app_suggest(option, names, count);
    for (int i = 0; i < count; i++) // --drop-height means --drop, not --height
        if (strlen(names[i]) > 4 && strncmp(option, names[i], strlen(names[i])) == 0)
            near = names[i];
    app_complain(a->argv[1], "there is no option %s%s%s%s; see `thaw help %s`", option, near ? " (did you mean " : "",
                 near ? near : "", near ? "?)" : "", a->argv[1]);
    return APP_BAD_OPTION;
}

int app_arguments_next(AppArguments *a) {
    if (a->next >= a->argc)
        return APP_END;
    const char *word = a->argv[a->next++];
    a->value = word;
    if (word[0] != '-' || !word[1])
        return APP_OPERAND;
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    for (int i = 0; a->table[i].name; i++) {
        const AppOption *option = &a->table[i];
        if (strlen(option->name) != length || strncmp(option->name, word, length) != 0)
            continue;
        a->value = equals ? equals + 1 : NULL;
        if (!option->value && equals) {
            app_complain(a->argv[1], "%s takes no value", option->name);
            return APP_BAD_OPTION;
        }
        if (option->value && option->value[0] == '[' && !equals) { // optional: the next word, if it is a number
            char *end = NULL;
            if (a->next < a->argc && (strtod(a->argv[a->next], &end), end != a->argv[a->next] && !*end))
                a->value = a->argv[a->next++];
            return i;
        }
        if (option->value && !equals) {
            if (a->next >= a->argc) {
                app_complain(a->argv[1], "%s needs a value: %s %s", option->name, option->name, option->value);
                return APP_BAD_OPTION;
            }
            a->value = a->argv[a->next++];
        }
        return i;
    }
    return unknown_option(a, word, length);
}

int app_parse_integer(const char *command, const char *option, const char *text, int64_t low, int64_t high,
                      int64_t *value) {
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno || number < low || number > high) {
        app_complain(command, "%s is '%s'; allowed: a whole number from %lld to %lld", option, text, (long long)low,
                     (long long)high);
        return 0;
    }
    *value = number;
    return 1;
}

int app_parse_integrator(const char *command, const char *text, ThawIntegrator *integrator) {
    char names[256] = "";
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
        const char *name = thaw_scheme((ThawIntegrator)i)->name;
        *integrator = (ThawIntegrator)i;
        if (strcmp(text, name) == 0)
            return 1;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", name);
    }
    app_complain(command, "--integrator is '%s'; allowed: %s", text, names);
    return 0;
}

int app_numbered(const char *pattern, int64_t number, char *path, size_t size) {
    const char *percent = strchr(pattern, '%');
    if (!percent || strchr(percent + 1, '%'))
        return 0;
    char *end;
    long digits =
        percent[1] >= '0' && percent[1] <= '9' ? strtol(percent + 1, &end, 10) : (end = (char *)percent + 1, 1);
    if (*end != 'd' || digits > 20)
        return 0;
    snprintf(path, size, "%.*s%0*" PRId64 "%s", (int)(percent - pattern), pattern, (int)digits, number, end + 1);
    return 1;
}
