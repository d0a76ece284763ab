// SPDX-License-Identifier: Apache-2.0
// Units of files. Volume meshes are in metres, as they are made for simulation; surfaces come from modelling programs
// and scanners, which use any unit without saying so, and theirs is guessed by their size. One guess serves `thaw
// check`, `thaw mesh` and `thaw new`.
#include <stdio.h>
#include <string.h>

#include "doctor/doctor.h"

static const ThawUnit units[] = {
    {"mm", "millimetres", 0.001}, {"cm", "centimetres", 0.01}, {"m", "metres", 1}, {"in", "inches", 0.0254}};
enum { MILLIMETRES, CENTIMETRES, METRES, COUNT = sizeof units / sizeof *units };

static const double IN_CENTIMETRES = 5, IN_MILLIMETRES = 50; // units: larger than this

const ThawUnit *thaw_unit_find(const char *symbol) {
    for (int i = 0; symbol && i < COUNT; i++)
        if (strcmp(symbol, units[i].symbol) == 0)
            return &units[i];
    return NULL;
}

// Our own surfaces have the word in their first lines (mesh/write_surface.c).
static int says_metres(const char *path) {
    char head[201] = "";
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(head, 1, sizeof head - 1, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i + 6 <= size; i++)
        if (memcmp(head + i, "metres", 6) == 0 && (i == 0 || head[i - 1] == ' '))
            return 1;
    return 0;
}

const ThawUnit *thaw_unit_guess(const char *path, double largest, int *said) {
    const int metres = path && says_metres(path);
    if (said)
        *said = metres;
    return &units[metres || !(largest > IN_CENTIMETRES) ? METRES
                  : largest > IN_MILLIMETRES            ? MILLIMETRES
                                                        : CENTIMETRES];
}
