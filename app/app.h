// SPDX-License-Identifier: Apache-2.0
// What the subcommands of the `thaw` program share.
#ifndef THAW_APP_H
#define THAW_APP_H

#include <stddef.h>
#include <stdint.h>

#include "thaw/thaw.h"

// Exit status of the program.
enum { APP_DONE = 0, APP_WRONG_INPUT = 1, APP_FAILED = 2 };

typedef struct AppCommand {
    const char *name;
    const char *summary;               // one line, for `thaw --help`
    const char *help;                  // everything, for `thaw help NAME`
    int (*run)(int argc, char **argv); // argv[0] is the program, argv[1] the subcommand; returns the exit status
} AppCommand;

extern const AppCommand app_command_run, app_command_compare, app_command_render;
extern const AppCommand app_command_check, app_command_new;
extern const AppCommand app_command_mesh, app_command_export, app_command_explain, app_command_view;
extern const AppCommand app_command_bench, app_command_tune;

// --- methods (help.c) ------------------------------------------------------------------------------------------------

// `thaw help methods`, and `thaw help NAME` of a method that there is; form: NULL, or "--schema" or "--markdown", as
// the documentation has it. They return the exit status.
int app_help_methods(void);
int app_help_method(const char *name, const char *form);

// --- options (options.c) ---------------------------------------------------------------------------------------------

typedef struct AppOption {
    const char *name;  // "--steps" or "-o"
    const char *value; // what it takes ("N"), NULL: nothing
} AppOption;

// Walks over the arguments behind the subcommand.
typedef struct AppArguments {
    int argc;
    char **argv;
    int next;               // index of the next argument to look at
    const AppOption *table; // ends with a name of NULL
    const char *value;      // of the option that was returned last; NULL if it takes none
} AppArguments;

enum { APP_END = -1, APP_OPERAND = -2, APP_BAD_OPTION = -3 };

// The index of the next option in the table, with its value; APP_OPERAND with the argument as value; APP_END;
// APP_BAD_OPTION after a message on stderr. Both "--opt value" and "--opt=value" are understood.
int app_arguments_next(AppArguments *arguments);

// A whole number in [low, high]; complains on stderr and returns 0 when it is not.
int app_parse_integer(const char *command, const char *option, const char *text, int64_t low, int64_t high,
                      int64_t *value);

// An integrator by its name in scenes; likewise.
int app_parse_integrator(const char *command, const char *text, ThawIntegrator *integrator);

// Puts a number where the pattern has %d or %04d; 0 when it has no such place or more than one.
int app_numbered(const char *pattern, int64_t number, char *path, size_t size);

// Which of `count` names is nearest to the word, NULL when none is near.
const char *app_suggest(const char *word, const char *const *names, int count);

// Writes to stderr "thaw COMMAND: ..." with a line break.
void app_complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The text in lines of at most 100 characters, each behind so many blanks, the first also behind the head.
void app_print_wrapped(int indent, const char *head, const char *text);

// printable.c: standard streams that are closed lead to /dev/null, and what is printed from here on is made printable.
void app_prepare_output(void);
// A text of `size` bytes with nothing in it that a terminal obeys. `to` has room for 4 bytes a byte, and a 0; returns
// the length.
size_t app_printable(const char *text, size_t size, char *to);

// signals.c: none that has a better message; and SIGINT, SIGTERM and (unless it is ignored) SIGHUP come to the handler.
// once: the second of a kind ends the program.
void app_ignore_signals(void);
void app_listen_to_signals(void (*handler)(int), int once);

// The exit status that belongs to an error.
int app_exit_status(ThawStatus status);

// --- BLAS (blas.c) ---------------------------------------------------------------------------------------------------

// Starts the program anew, once, with the environment that makes OpenBLAS use this processor's kernels.
void app_prepare_blas(char **argv);

#endif
