// SPDX-License-Identifier: Apache-2.0
// The `thaw` program: finds the subcommand and hands over. Exit status: 0 done, 1 the input is wrong, 2 the run failed.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "registry/method.h"

static const AppCommand *const commands[] = {&app_command_run,    &app_command_compare, &app_command_view,
                                             &app_command_render, &app_command_check,   &app_command_mesh,
                                             &app_command_new,    &app_command_export,  &app_command_explain,
                                             &app_command_bench,  &app_command_tune};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const AppCommand *find_command(const char *name) {
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown_command(const char *name) {
    const char *names[COMMANDS + 1];
    for (int i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    names[COMMANDS] = "help";
    const char *near = app_suggest(name, names, COMMANDS + 1);
    app_complain("", "there is no subcommand '%s'%s%s%s; see `thaw --help`", name, near ? " (did you mean " : "",
                 near ? near : "", near ? "?)" : "");
    return APP_WRONG_INPUT;
}

// `thaw help NAME [FORM]`.
static int help(const char *name, const char *form) {
    const AppCommand *command = find_command(name);
    if (command) {
        fputs(command->help, stdout);
        return APP_DONE;
    }
    if (strcmp(name, "methods") == 0)
        return app_help_methods();
    if (thaw_method_index(name) >= 0)
        return app_help_method(name, form);
    for (int i = 0; i < thaw_method_count(); i++)
        if (app_suggest(name, &thaw_method_at(i)->name, 1)) {
            app_complain("", "there is no method '%s' (did you mean %s?); see `thaw help methods`", name,
                         thaw_method_at(i)->name);
            return APP_WRONG_INPUT;
        }
    return unknown_command(name);
}

static int print_help(void) {
    printf("thaw: adaptive elastodynamics (SI units everywhere)\n\nusage: thaw SUBCOMMAND [OPTIONS]\n\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf("  %-10s %s\n", "help", "everything about a subcommand: thaw help SUBCOMMAND");
    printf("  %-10s %s\n\n", "", "how bodies are moved: thaw help methods; options of a method: thaw help METHOD");
    printf("  thaw --version   which version this is and how it was built\n\n"
           "first steps:\n  thaw run                        twist a bar and let it go\n"
           "  thaw render out/twist -o twist.png\n");
    return APP_DONE;
}

static int dispatch(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "--help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("%s\n", thaw_build_info());
        return APP_DONE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (strcmp(word, "help") == 0 && argc < 3))
        return print_help();
    if (strcmp(word, "help") == 0)
        return help(argv[2], argc > 3 ? argv[3] : NULL);
    const AppCommand *command = find_command(word);
    if (!command)
        return unknown_command(word);
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return help(word, NULL);
    return command->run(argc, argv);
}

int main(int argc, char **argv) {
    app_prepare_output();
    app_ignore_signals();
    int status = dispatch(argc, argv);
    if (fflush(stdout) && errno != EPIPE && status == APP_DONE) {
        app_complain("", "cannot write to standard output: %s", strerror(errno));
        return APP_FAILED;
    }
    return status;
}
