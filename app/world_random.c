// SPDX-License-Identifier: Apache-2.0
// Random worlds. Scenes made by hand test what was thought of; these are drawn. Every property has a stream of its own,
// hashed from the seed, the property's name and the body's number: whether a bar is of steel says nothing about whether
// it is pinned, so a few hundred seeds cover many products of properties, and a property added later leaves the others
// as they were. Numbers go into the text with nine digits, behind which libraries of mathematics may differ.
//
// What is drawn is mostly kept within what can be simulated at all: a body is stiff enough not to collapse under its
// weight, and blows are slower than a third of its waves. One world in twenty, "wild", is not tamed so.
#include "world_random.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "registry/scheme.h"

typedef enum Form {
    FORM_BOX,
    FORM_BAR,
    FORM_PLATE,
    FORM_BALL,
    FORM_ELL,
    FORM_RING,
    SOLID_FORMS,
    FORM_CLOTH = SOLID_FORMS, // sheets, in worlds that have them
    FORM_DISC,
    FORM_BALLOON,
    FORM_SHADE,
    FORM_COUNT
} Form;
typedef enum Pin { PIN_NONE, PIN_FACE, PIN_EDGE, PIN_POINT } Pin;
typedef enum Ground { GROUND_NONE, GROUND_PLANE, GROUND_SLOPE, GROUND_SPHERE, GROUND_BOX } Ground;

static const char *const form_names[FORM_COUNT] = {"box",  "bar",   "plate", "ball",    "ell",
                                                   "ring", "cloth", "disc",  "balloon", "shade"};
static const char *const pin_names[] = {"free", "pin-face", "pin-edge", "pin-point"};
static const char *const ground_names[] = {"nothing-below", "floor", "slope", "on-sphere", "on-box"};

typedef struct Body {
    Form form;
    Pin pin;
    double length;      // m, its longest side
    double slender;     // thickness over length
    double thickness;   // m, of a sheet
    double half[3];     // m, of its box, in its own axes
    double extent[3];   // m, of its box in the world
    double position[3]; // m
    double degrees, axis[3];
    double density, young, poisson;
    double velocity[3], spin[3];
} Body;

typedef struct World {
    uint64_t seed;
    int small, sheets, dim, up, count, steps;
    ThawIntegrator integrator;
    int closed, wild, overlap, row;
    int calm; // nothing is thrown or dropped far, and there is time to come to rest
    double size, g, h, duration;
    double gravity[3];
    double gap; // m, between a body and what is below it
    Ground ground;
    double slope; // rad
    Body body[WORLD_BODIES];
    char words[WORLD_WORDS];
} World;

// --- dice ------------------------------------------------------------------------------------------------------------

// The mixing of splitmix64: every bit of the result depends on every bit of x.
static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// In [0, 1), a function of seed, property and body.
static double draw(const World *w, const char *property, int body) {
    uint64_t x = mix(w->seed);
    for (const char *c = property; *c; c++)
        x = mix(x ^ (uint64_t)(unsigned char)*c);
    return (double)(mix(x ^ (uint64_t)(body + 1)) >> 11) * 0x1p-53;
}

static double between(const World *w, const char *property, int body, double low, double high) {
    return low + (high - low) * draw(w, property, body);
}

static double log_between(const World *w, const char *property, int body, double low, double high) {
    return low * pow(high / low, draw(w, property, body));
}

static int whole(const World *w, const char *property, int body, int low, int high) {
    return low + (int)(draw(w, property, body) * (high - low + 1));
}

static int chance(const World *w, const char *property, int body, double share) {
    return draw(w, property, body) < share;
}

// Which of the shares, that add up to one, was hit.
static int pick(const World *w, const char *property, int body, const double *shares, int count) {
    double x = draw(w, property, body);
    for (int i = 0; i + 1 < count; i++)
        if ((x -= shares[i]) < 0)
            return i;
    return count - 1;
}
#define PICK(w, property, body, ...)                                                                                   \
    pick(w, property, body, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

// Each word once.
static void say(World *w, const char *word) {
    char spaced[WORLD_WORDS + 2], wanted[64];
    snprintf(spaced, sizeof spaced, " %s ", w->words);
    snprintf(wanted, sizeof wanted, " %s ", word);
    size_t length = strlen(w->words);
    if (!strstr(spaced, wanted) && length + strlen(word) + 2 < sizeof w->words)
        snprintf(w->words + length, sizeof w->words - length, "%s%s", length ? " " : "", word);
}

static void direction(const World *w, const char *property, int body, double *d) {
    double turn = 2 * M_PI * draw(w, property, body), height = 2 * draw(w, property, body + 100) - 1;
    d[0] = cos(turn);
    d[1] = sin(turn);
    d[2] = 0;
    if (w->dim == 3) {
        double across = sqrt(1 - height * height);
        d[0] *= across;
        d[1] *= across;
        d[2] = height;
    }
}

// --- bodies ----------------------------------------------------------------------------------------------------------

static int is_sheet(const Body *b) { return b->form >= SOLID_FORMS; }

// A rectangle, a disc, a closed sphere under pressure or the shade of a lamp.
static void draw_sheet(World *w, int i) {
    Body *b = &w->body[i];
    const double half = b->length / 2, side = between(w, "sheet-side", i, 0.4, 1);
    b->form = (Form)(FORM_CLOTH + PICK(w, "sheet-form", i, 0.5, 0.15, 0.2, 0.15));
    b->slender = log_between(w, "sheet-thin", i, 1e-3, 3e-2);
    b->thickness = b->slender * b->length;
    b->half[0] = half;
    b->half[1] = b->form == FORM_CLOTH ? side * half : half;
    b->half[2] = b->form <= FORM_DISC ? 0 : b->form == FORM_BALLOON ? half : 0.4 * half;
    for (int k = 0; k < 3; k++)
        b->half[k] += b->thickness / 2;
    say(w, form_names[b->form]);
    say(w, b->slender < 5e-3 ? "thin" : "thick");
}

static void draw_form(World *w, int i) {
    Body *b = &w->body[i];
    b->length = w->size * log_between(w, "length", i, 0.58, 1.73);
    if (w->sheets && chance(w, "sheet", i, 0.75)) {
        draw_sheet(w, i);
        return;
    }
    b->form = (Form)PICK(w, "form", i, 0.35, 0.2, 0.12, 0.17, 0.08, 0.08);
    double thin = log_between(w, "thin", i, w->small ? 0.12 : 0.07, 0.25), half = b->length / 2;
    double sides[SOLID_FORMS][3] = {{1, between(w, "side-y", i, 0.5, 1), between(w, "side-z", i, 0.5, 1)},
                                    {1, thin, thin},
                                    {1, 1, thin},
                                    {1, 1, 1},
                                    {1, 1, 0.4},
                                    {1, 1, 0.3}};
    if (w->dim == 2)
        sides[FORM_PLATE][1] = thin;
    b->slender = b->form == FORM_BAR || b->form == FORM_PLATE ? thin : b->form >= FORM_ELL ? 0.3 : 0.7;
    for (int k = 0; k < 3; k++)
        b->half[k] = half * sides[b->form][k];
    if (w->dim == 2)
        b->half[2] = 0;
    say(w, form_names[b->form]);
}

// Rotations: none, a quarter, a small tilt, any. The box in the world follows from |R|.
static void draw_rotation(World *w, int i) {
    Body *b = &w->body[i];
    double any[3], shares = draw(w, "rotation", i);
    direction(w, "rotation-axis", i, any);
    int which = shares < 0.55 ? 0 : shares < 0.7 ? 1 : shares < 0.85 ? 2 : 3;
    b->degrees = which == 0   ? 0
                 : which == 1 ? 90
                 : which == 2 ? between(w, "tilt", i, -8, 8)
                              : between(w, "degrees", i, -180, 180);
    for (int k = 0; k < 3; k++)
        b->axis[k] = w->dim == 2 ? (k == 2) : which == 3 ? any[k] : (k == whole(w, "rotation-about", i, 0, 2));
    double c = cos(b->degrees * M_PI / 180), s = sin(b->degrees * M_PI / 180), *n = b->axis;
    double cross[3][3] = {{0, -n[2], n[1]}, {n[2], 0, -n[0]}, {-n[1], n[0], 0}};
    for (int r = 0; r < 3; r++) {
        b->extent[r] = 0;
        for (int k = 0; k < 3; k++)
            b->extent[r] += fabs(c * (r == k) + (1 - c) * n[r] * n[k] + s * cross[r][k]) * b->half[k];
    }
    if (which >= 2)
        say(w, "tilted");
}

// Weight that would fold a body is met by more stiffness, and where there is none left by less density.
static void draw_material(World *w, int i) {
    Body *b = &w->body[i];
    b->density = log_between(w, "density", i, 30, 1e4);
    b->young = log_between(w, "young", i, 1e3, 2e11);
    b->poisson = between(w, "poisson", i, 0, 0.45);
    // Sheets may fold, but not tear.
    double fold = b->density * w->g * b->length / (is_sheet(b) ? 0.01 : b->slender * b->slender);
    if (!w->wild && b->young < 3 * fold) {
        b->young = 3 * fold * log_between(w, "stiffer", i, 1, 1e3);
        if (b->young > 2e11) {
            b->density *= fmax(30 / b->density, 2e11 / b->young);
            b->young = 2e11;
        }
    }
    say(w, b->young < 1e5 ? "soft" : b->young < 1e8 ? "firm" : "stiff");
}

static double wave_speed(const Body *b) { return sqrt(b->young / b->density); }

// About the period of its lowest mode, s.
static double period(const World *w, const Body *b) {
    const double own =
        2 * M_PI * b->length * (is_sheet(b) ? 0.3 / b->slender : fmin(1, 0.5 / b->slender)) / wave_speed(b);
    return is_sheet(b) && w->g > 0 ? fmin(own, 2 * M_PI * sqrt(b->length / w->g)) : own;
}

// --- the whole -------------------------------------------------------------------------------------------------------

static void draw_surroundings(World *w) {
    w->dim = chance(w, "dimension", 0, 0.5) && !w->sheets ? 2 : 3;
    w->up = w->dim - 1;
    w->size = log_between(w, "size", 0, 1e-3, 1e2);
    w->closed = chance(w, "closed", 0, 0.2);
    w->wild = chance(w, "wild", 0, 0.05);
    w->overlap = chance(w, "overlap", 0, 0.05);
    w->row = chance(w, "row", 0, 0.4);
    w->calm = !w->closed && chance(w, "calm", 0, 0.35);
    w->count = whole(w, "bodies", 0, 1, w->small ? 3 : WORLD_BODIES);
    if (w->closed && w->count < 2)
        w->count = 2;
    static const double sizes[] = {0, 9.81e-3, 9.81, 100};
    w->g = w->closed ? 0 : sizes[PICK(w, "gravity", 0, 0.15, 0.1, 0.6, 0.15)];
    double any[3], aside = chance(w, "gravity-tilts", 0, 0.25) ? between(w, "gravity-tilt", 0, 0, M_PI / 6) : 0;
    direction(w, "gravity-direction", 0, any);
    w->ground = w->closed ? GROUND_NONE : (Ground)PICK(w, "ground", 0, 0.2, 0.45, 0.15, 0.1, 0.1);
    if (w->ground == GROUND_NONE && chance(w, "gravity-anywhere", 0, 0.3)) {
        for (int k = 0; k < 3; k++)
            w->gravity[k] = w->g * any[k];
    } else {
        w->gravity[0] = w->g * sin(aside);
        w->gravity[w->up] = -w->g * cos(aside);
    }
    w->slope = w->ground == GROUND_SLOPE ? between(w, "slope", 0, 0, M_PI / 6) : 0;
    say(w, w->dim == 2 ? "2d" : "3d");
    say(w, w->closed ? "closed" : w->g == 0 ? "weightless" : w->g < 1 ? "light" : w->g > 50 ? "heavy" : "earth");
    say(w, ground_names[w->ground]);
    if (w->wild)
        say(w, "wild");
    if (aside > 0 && w->ground != GROUND_NONE && w->g > 0)
        say(w, "gravity-aslant");
}

// Boxes around bodies do not overlap, whatever is in them: one above the other, or side by side, `gap` apart.
static void place_bodies(World *w) {
    double at = 0, lift = 0, stiffest = INFINITY;
    for (int i = 0; i < w->count; i++)
        if (w->g > 0)
            stiffest = fmin(stiffest, 0.02 * w->body[i].young / (w->body[i].density * w->g));
    static const double gaps[] = {0, 1e-4, 1e-2, 1};
    int which = PICK(w, "gap", 0, 0.3, 0.15, 0.2, 0.35);
    which = w->calm && which == 3 ? 2 : which;
    w->gap = w->size * (which < 3 ? gaps[which] : between(w, "height", 0, 0.02, 3));
    if (!w->wild && which == 3)
        w->gap = fmin(w->gap, stiffest);
    for (int i = 0; i < w->count; i++) {
        Body *b = &w->body[i];
        double half = b->extent[w->row ? 0 : w->up];
        if (i > 0)
            at += half + (w->overlap            ? -0.1 * fmin(half, w->body[i - 1].extent[w->row ? 0 : w->up])
                          : w->row || w->closed ? w->size * log_between(w, "beside", i, 1e-3, 1)
                                                : w->gap);
        else if (!w->row)
            at = half;
        b->position[w->row ? 0 : w->up] = at;
        at += half;
        if (w->row)
            b->position[w->up] = b->extent[w->up];
        else
            b->position[0] = w->size * between(w, "aside", i, -0.15, 0.15);
        if (w->dim == 3)
            b->position[1] = w->size * between(w, "aside-y", i, -0.1, 0.1);
        lift = fmax(lift, (fabs(b->position[0]) + b->extent[0]) * tan(w->slope));
    }
    double middle = w->row ? at / 2 : 0;
    for (int i = 0; i < w->count; i++) {
        w->body[i].position[0] -= middle;
        w->body[i].position[w->up] += w->gap + lift;
    }
    if (w->calm)
        say(w, "calm");
    say(w, w->count == 1 ? "one" : w->row ? "row" : "column");
    if (w->ground != GROUND_NONE)
        say(w, which == 3 ? "dropped" : "set-down");
    if (w->overlap && w->count > 1)
        say(w, "overlap");
}

// A run shall cover something: a fall, some swings, or whatever comes.
static void draw_time(World *w) {
    const Body *b = &w->body[whole(w, "time-of", 0, 0, w->count - 1)];
    double fall = w->g > 0 ? sqrt(2 * (w->gap + 0.3 * w->size) / w->g) : 0, swing = period(w, b);
    double related = fall > 0 && chance(w, "by-fall", 0, 0.7) ? fall : swing;
    w->steps = whole(w, "steps", 0, 60, w->small ? 200 : 400);
    if (w->calm)
        related *= 3;
    if (chance(w, "time-any", 0, 0.3))
        w->h = log_between(w, "h", 0, 1e-4, 1e-1);
    else
        w->h = related * log_between(w, "times", 0, 1, 20) / w->steps;
    if (chance(w, "long", 0, 0.15)) {
        w->h *= 5;
        say(w, "long");
    }
    double furthest = w->g > 0 ? 30 * sqrt(w->size / w->g) : INFINITY;
    if (w->ground == GROUND_NONE)
        w->h = fmin(w->h, furthest / w->steps);
    w->h = fmin(0.1, fmax(1e-5, w->h));
    w->duration = w->h * w->steps;
    say(w, w->h < 1e-3 ? "h<1ms" : w->h < 1e-2 ? "h<10ms" : "h>10ms");
}

// Throws, spins and slow drifts of bodies that nothing holds; those of a closed world fly at each other.
static void draw_motion(World *w, int i) {
    Body *b = &w->body[i];
    double d[3], most = w->wild ? INFINITY : 0.2 * wave_speed(b), speed = 0;
    int which = PICK(w, "motion", i, 0.4, 0.2, 0.15, 0.25);
    direction(w, "throw", i, d);
    if (which == 1)
        speed = w->size / w->duration * log_between(w, "speed", i, 0.1, 5);
    else if (which == 2)
        speed = log_between(w, "drift", i, 1e-4 * w->size, fmax(2e-4 * w->size, 0.01));
    if (w->closed) {
        speed = w->size / w->duration * log_between(w, "speed", i, 0.05, 5);
        int along = w->row ? 0 : w->up;
        for (int k = 0; k < 3; k++)
            d[k] = 0.1 * d[k] + (k == along ? (2 * i < w->count ? 1 : -1) : 0);
    }
    speed = fmin(speed, most);
    for (int k = 0; k < w->dim; k++)
        b->velocity[k] = speed * d[k];
    if (speed > 0)
        say(w, w->closed ? "collide" : which == 1 ? "throw" : "drift");
    if (which == 3 || (w->closed && chance(w, "spins", i, 0.3))) {
        double rate = fmin(log_between(w, "spin", i, 0.02, 6) / w->duration, most / b->length);
        direction(w, "spin-axis", i, d);
        for (int k = 0; k < 3; k++)
            b->spin[k] = rate * (w->dim == 2 ? (k == 2) : d[k]);
        say(w, "spin");
    }
}

static void draw_world(World *w) {
    draw_surroundings(w);
    for (int i = 0; i < w->count; i++) {
        draw_form(w, i);
        draw_rotation(w, i);
        draw_material(w, i);
        w->body[i].pin = w->closed ? PIN_NONE : (Pin)PICK(w, "pin", i, 0.62, 0.18, 0.1, 0.1);
    }
    place_bodies(w);
    draw_time(w);
    for (int i = 0; i < w->count; i++)
        if (w->body[i].pin == PIN_NONE && !w->calm)
            draw_motion(w, i);
}

// --- the text --------------------------------------------------------------------------------------------------------

static void put_vector(FILE *f, const char *key, const double *x, int dim) {
    fprintf(f, "\"%s\": [", key);
    for (int k = 0; k < dim; k++)
        fprintf(f, "%s%.9g", k ? ", " : "", x[k] + 0.0); // no -0
    fputc(']', f);
}

static int membrane_of(const World *w, int i) { return PICK(w, "sheet-membrane", i, 0.55, 0.1, 0.2, 0.15); }

static double edge_of_sheet(const World *w, int i) {
    return w->body[i].length / whole(w, "sheet-cells", i, 4, w->small ? 6 : 10);
}

// What membranes need beside moduli.
static void write_weave(const World *w, int i, FILE *f) {
    const Body *b = &w->body[i];
    const double stretch = b->young * b->thickness; // N/m
    if (membrane_of(w, i) == 2)
        fprintf(f, ", \"weave\": {\"weft_young\": %.9g, \"shear\": %.9g}", b->young * log_between(w, "weft", i, 0.3, 1),
                b->young * log_between(w, "shear", i, 0.01, 0.3));
    else if (membrane_of(w, i) == 3)
        fprintf(f, ", \"edge_stiffness\": %.9g, \"area_stiffness\": %.9g",
                stretch * edge_of_sheet(w, i) * log_between(w, "lengths", i, 0.2, 1), stretch * draw(w, "areas", i));
}

static void write_material(World *w, int i, FILE *f) {
    static const char *const models[] = {"stable-neo-hookean", "neo-hookean", "stvk", "corotational"};
    const Body *b = &w->body[i];
    int model = PICK(w, "model", i, 0.4, 0.2, 0.2, 0.2), mass = PICK(w, "alpha0", i, 0.6, 0.25, 0.15),
        stiffness = PICK(w, "alpha1", i, 0.25, 0.5, 0.25);
    double alpha0 = mass == 0 || w->closed ? 0
                    : mass == 1            ? log_between(w, "alpha0-small", i, 0.01, 0.3)
                                           : log_between(w, "alpha0-large", i, 1, 20);
    double alpha1 = stiffness == 0   ? 0
                    : stiffness == 1 ? log_between(w, "alpha1-small", i, 1e-5, 3e-3)
                                     : log_between(w, "alpha1-large", i, 1e-2, 1);
    int viscous = chance(w, "viscous", i, 0.3);
    fprintf(
        f,
        "        \"m%d\": {\"model\": \"%s\", \"density\": %.9g, \"young\": %.9g, \"poisson\": %.9g, \"alpha0\": %.9g, "
        "\"alpha1\": %.9g%s",
        i, models[model], b->density, b->young, b->poisson, alpha0, alpha1,
        viscous ? ", \"damping\": \"viscous\"" : "");
    if (is_sheet(b))
        write_weave(w, i, f);
    fprintf(f, "}%s\n", i + 1 < w->count ? "," : "");
    say(w, models[model]);
    say(w, stiffness == 0 ? "undamped" : stiffness == 2 ? "overdamped" : "damped");
    if (mass == 2 && !w->closed)
        say(w, "drag");
    if (viscous && stiffness)
        say(w, "viscous");
}

static int cells_along(double side, double cell, int most) {
    int n = (int)(side / cell + 0.5);
    return n < 1 ? 1 : n > most ? most : n;
}

static void write_grid(const World *w, int i, FILE *f) {
    const Body *b = &w->body[i];
    int most = b->form == FORM_BOX ? (w->dim == 2 ? 8 : 4) : b->form == FORM_BAR ? 12 : w->dim == 2 ? 16 : 6;
    int fine = whole(w, "cells", i, w->dim == 2 ? 3 : 2, w->small ? (w->dim == 2 ? 4 : 2) : w->dim == 2 ? 8 : 4);
    double cell = b->length / fine, low[3];
    if (b->form != FORM_BOX) // as thick as the body, or half of that
        cell = b->length * b->slender * (w->dim == 2 && !w->small ? 0.5 : 1);
    most = w->small && w->dim == 3 && b->form == FORM_PLATE ? 4 : most;
    for (int k = 0; k < 3; k++)
        low[k] = -b->half[k];
    fprintf(f, "\"box\": {");
    put_vector(f, "min", low, w->dim);
    fprintf(f, ", ");
    put_vector(f, "max", b->half, w->dim);
    fprintf(f, ", \"cells\": [");
    for (int k = 0; k < w->dim; k++)
        fprintf(f, "%s%d", k ? ", " : "", cells_along(2 * b->half[k], cell, most));
    fprintf(f, "]}");
}

static void write_solid(const World *w, int i, FILE *f) {
    const Body *b = &w->body[i];
    double r = b->length / 2;
    int elements = whole(w, "elements", i, w->dim == 2 ? 30 : 90,
                         w->small      ? (w->dim == 2 ? 60 : 120)
                         : w->dim == 2 ? 200
                                       : 350);
    fprintf(f, "\"solid\": ");
    if (b->form == FORM_BALL)
        fprintf(f, "{\"sphere\": {\"radius\": %.9g}}", r);
    else if (b->form == FORM_RING)
        fprintf(f, "{\"torus\": {\"radius\": %.9g, \"tube\": %.9g}}", 0.7 * r, 0.3 * r);
    else {
        double p[6][2] = {{-r, -r}, {r, -r}, {r, -0.2 * r}, {-0.2 * r, -0.2 * r}, {-0.2 * r, r}, {-r, r}};
        fprintf(f, "{\"prism\": {\"points\": [");
        for (int k = 0; k < 6; k++)
            fprintf(f, "%s[%.9g, %.9g]", k ? ", " : "", p[k][0], p[k][1]);
        fprintf(f, "]");
        if (w->dim == 3)
            fprintf(f, ", \"min\": %.9g, \"max\": %.9g", -b->half[2], b->half[2]);
        fprintf(f, "}}");
    }
    fprintf(f, ", \"elements\": %d", elements);
}

// Groups: `root`, that pins hold, and `tip`, at the other end. A solid's vertices are not on its box: sides cut deeper.
static void write_groups(const World *w, int i, FILE *f) {
    const Body *b = &w->body[i];
    int grid = b->form <= FORM_PLATE;
    double end[3] = {-b->half[0], -b->half[1], -b->half[2]}, tip[3] = {b->half[0], 0, 0}, low[3], high[3];
    double cut[3] = {-b->half[0] * (grid ? 1 - 1e-6 : b->form == FORM_BALL ? 0.5 : 0.7), 0, 0}, normal[3] = {-1, 0, 0};
    if (is_sheet(b) && b->pin == PIN_EDGE) // the last row of vertices, where there is one: a hinge
        cut[0] = -(1 - 1e-6) * b->length / 2;
    fprintf(f, ", \"groups\": {\"root\": {");
    if (b->pin == PIN_EDGE && w->dim == 3 && grid) { // a line across the lower end: a hinge
        for (int k = 0; k < 3; k++) {
            low[k] = k == 1 ? -2 * b->half[k] : -1.001 * b->half[k];
            high[k] = k == 1 ? 2 * b->half[k] : -0.999 * b->half[k];
        }
        fprintf(f, "\"box\": {");
        put_vector(f, "min", low, 3);
        fprintf(f, ", ");
        put_vector(f, "max", high, 3);
        fprintf(f, "}");
    } else if (b->pin == PIN_FACE || (b->pin == PIN_EDGE && b->form == FORM_CLOTH)) {
        fprintf(f, "\"side\": {");
        put_vector(f, "point", cut, w->dim);
        fprintf(f, ", ");
        put_vector(f, "normal", normal, w->dim);
        fprintf(f, "}");
    } else
        put_vector(f, "nearest", end, w->dim);
    fprintf(f, "}, \"tip\": {");
    put_vector(f, "nearest", tip, w->dim);
    fprintf(f, "}}");
}

static void write_sheet(World *w, int i, FILE *f) {
    static const char *const membranes[] = {"plane-stress", "fixed-thickness", "woven", "lengths"};
    const Body *b = &w->body[i];
    const double r = b->length / 2;
    const int membrane = membrane_of(w, i);
    fprintf(f, "\"sheet\": ");
    if (b->form == FORM_CLOTH)
        fprintf(f, "{\"grid\": {\"width\": %.9g, \"height\": %.9g}}", b->length, 2 * b->half[1] - b->thickness);
    else if (b->form == FORM_SHADE)
        fprintf(f, "{\"revolution\": {\"profile\": [[%.9g, %.9g], [%.9g, %.9g]]}}", r, -0.4 * r, 0.5 * r, 0.4 * r);
    else
        fprintf(f, "{\"%s\": {\"radius\": %.9g}}", b->form == FORM_DISC ? "disc" : "sphere", r);
    fprintf(f, ", \"size\": %.9g}, \"thickness\": %.9g, \"membrane\": \"%s\", \"bending\": \"%s\"", edge_of_sheet(w, i),
            b->thickness, membranes[membrane], chance(w, "sheet-hinge", i, 0.25) ? "hinge" : "plate");
    if (membrane == 2)
        fprintf(f, ", \"warp\": [%.9g, 0.3, 0.2]", between(w, "sheet-warp", i, -1, 1) + 1.5);
    if (b->form == FORM_BALLOON && chance(w, "sheet-pressure", i, 0.75)) {
        fprintf(f, ", \"pressure\": %.9g", log_between(w, "sheet-strain", i, 1e-4, 0.03) * b->young * b->thickness / r);
        say(w, "pressure");
    }
    say(w, membranes[membrane]);
}

static void write_shape(World *w, int i, FILE *f) {
    fprintf(f, "        \"s%d\": {\"mesh\": {", i);
    if (is_sheet(&w->body[i])) {
        write_sheet(w, i, f);
        fprintf(f, ", \"material\": \"m%d\"", i);
        write_groups(w, i, f);
        fprintf(f, "}%s\n", i + 1 < w->count ? "," : "");
        return;
    }
    if (w->body[i].form <= FORM_PLATE)
        write_grid(w, i, f);
    else
        write_solid(w, i, f);
    fprintf(f, "}, \"material\": \"m%d\"", i);
    write_groups(w, i, f);
    fprintf(f, "}%s\n", i + 1 < w->count ? "," : "");
}

// A force: by a strain for what is held, by a way for what is free, by weight for either.
static void write_force(World *w, int i, FILE *f) {
    const Body *b = &w->body[i];
    double d[3], mass = b->density, area = 1;
    for (int k = 0; k < w->dim; k++)
        mass *= 2 * b->half[k];
    for (int k = 1; k < w->dim; k++)
        area *= 2 * b->half[k];
    double strain = log_between(w, "force-strain", i, 1e-4, 0.3) * b->young * area * b->slender * b->slender;
    double way = 2 * mass * w->size * log_between(w, "force-way", i, 1e-3, 2) / (w->duration * w->duration);
    double weight = mass * w->g * log_between(w, "force-weight", i, 1e-3, 3);
    double total = w->g > 0 && chance(w, "force-by-weight", i, 0.4) ? weight : b->pin != PIN_NONE ? strain : way;
    int all = b->pin == PIN_NONE || chance(w, "force-on-all", i, 0.4);
    direction(w, "force", i, d);
    for (int k = 0; k < 3; k++)
        d[k] *= total;
    fprintf(f, ", \"forces\": [{\"group\": \"%s\", ", all ? "all" : "tip");
    put_vector(f, "total", d, w->dim);
    int window = PICK(w, "force-window", i, 0.35, 0.3, 0.35);
    double from = w->duration * between(w, "force-from", i, 0, 0.6), t = w->duration;
    if (window == 0 && chance(w, "force-late", i, 0.5))
        fprintf(f, ", \"from\": %.9g", from);
    else if (window == 1)
        fprintf(f, ", \"from\": %.9g, \"ramp\": %.9g", from, t * log_between(w, "force-ramp", i, 0.02, 0.5));
    else if (window == 2)
        fprintf(f, ", \"from\": %.9g, \"to\": %.9g", from, from + t * log_between(w, "force-pulse", i, 0.01, 0.3));
    fprintf(f, "}]");
    say(w, window == 0 ? "force" : window == 1 ? "force-ramp" : "force-pulse");
}

// Wind that lifts what it blows on, or not.
static void write_wind(World *w, int i, FILE *f) {
    const Body *b = &w->body[i];
    double d[3], speed = w->g > 0 ? sqrt(5 * b->density * b->thickness * w->g) : w->size / w->duration;
    speed *= log_between(w, "wind-speed", i, 0.1, 1);
    direction(w, "wind", i, d);
    for (int k = 0; k < 3; k++)
        d[k] *= speed;
    fprintf(f, ", \"forces\": [{\"group\": \"all\", ");
    put_vector(f, "wind", d, 3);
    if (chance(w, "wind-ramp", i, 0.5))
        fprintf(f, ", \"ramp\": %.9g", 0.3 * w->duration);
    if (chance(w, "wind-ends", i, 0.4))
        fprintf(f, ", \"to\": %.9g", w->duration * between(w, "wind-to", i, 0.2, 0.7));
    fprintf(f, "}]");
    say(w, "wind");
}

static void write_body(World *w, int i, FILE *f) {
    const Body *b = &w->body[i];
    fprintf(f, "        {\"name\": \"b%d\", \"shape\": \"s%d\", \"method\": \"rigidify\", ", i, i);
    put_vector(f, "position", b->position, w->dim);
    if (b->degrees != 0) {
        fprintf(f, ", \"rotation\": {");
        if (w->dim == 3) {
            put_vector(f, "axis", b->axis, 3);
            fprintf(f, ", ");
        }
        fprintf(f, "\"degrees\": %.9g}", b->degrees);
    }
    fprintf(f, ", ");
    put_vector(f, "velocity", b->velocity, w->dim);
    if (w->dim == 2)
        fprintf(f, ", \"spin\": %.9g", b->spin[2]);
    else {
        fprintf(f, ", ");
        put_vector(f, "spin", b->spin, 3);
    }
    say(w, pin_names[b->pin]);
    int released = b->pin != PIN_NONE && chance(w, "released", i, 0.25);
    if (released) {
        fprintf(f, ", \"pins\": [{\"group\": \"root\", \"release\": %.9g}]",
                w->duration * between(w, "release", i, 0.1, 0.7));
        say(w, "released");
    } else if (b->pin != PIN_NONE)
        fprintf(f, ", \"pins\": [\"root\"]");
    if (b->pin == PIN_FACE && !released && !is_sheet(b) && chance(w, "start-at-rest", i, 0.2)) {
        fprintf(f, ", \"start\": \"rest\"");
        say(w, "start-at-rest");
    }
    if (!w->closed && chance(w, "forced", i, w->calm ? 0.15 : 0.3))
        write_force(w, i, f);
    else if (!w->closed && is_sheet(b) && chance(w, "windy", i, 0.3))
        write_wind(w, i, f);
    fprintf(f, ", \"friction\": %.9g", chance(w, "smooth", i, 0.15) ? 0 : between(w, "friction", i, 0.05, 1));
    if (!is_sheet(b) && chance(w, "self-contact", i, 0.04)) {
        fprintf(f, ", \"self_contact\": true");
        say(w, "self-contact");
    }
    fprintf(f, "}%s\n", i + 1 < w->count ? "," : "");
}

static void write_contact(World *w, FILE *f) {
    const Body *b = &w->body[0];
    int stiffness = PICK(w, "contact", 0, 0.6, 0.15, 0.15, 0.1), damping = PICK(w, "contact-damping", 0, 0.8, 0.1, 0.1);
    // About what the elements behind a contact have: E times an edge, in 2D E times the thickness of a metre.
    double k = b->young *
               (is_sheet(b)   ? b->thickness
                : w->dim == 3 ? 0.3 * b->length
                              : 1) *
               log_between(w, "contact-stiffness", 0, 0.1, 30);
    fprintf(f, "    \"contact\": {\"friction\": \"%s\", \"edges\": %s",
            chance(w, "box-friction", 0, 0.25) ? "box" : "cone", chance(w, "edges", 0, 0.75) ? "true" : "false");
    if (stiffness == 1)
        fprintf(f, ", \"stiffness\": \"hard\"");
    else if (stiffness == 2)
        fprintf(f, ", \"stiffness\": %.9g", k);
    else if (stiffness == 3) // the paper's form, with a compliance of about such a spring
        fprintf(f, ", \"erp\": %.9g, \"cfm\": %.9g", between(w, "erp", 0, 0.1, 0.9), 1 / (k * w->h));
    if (damping == 1)
        fprintf(f, ", \"damping\": 0");
    else if (damping == 2)
        fprintf(f, ", \"damping\": %.9g", k * w->h * log_between(w, "contact-damper", 0, 0.01, 10));
    if (chance(w, "tangent", 0, 0.3))
        fprintf(f, ", \"tangent\": %s", chance(w, "tangent-hard", 0, 0.5) ? "0" : "0.1");
    if (chance(w, "no-contact", 0, 0.03)) {
        fprintf(f, ", \"enabled\": false");
        say(w, "no-contact");
    }
    fprintf(f, "}");
    say(w, stiffness == 0   ? "contact-auto"
           : stiffness == 1 ? "contact-hard"
           : stiffness == 2 ? "contact-given"
                            : "contact-erp");
}

// The ground may shake, and something may come down from above.
static void write_keys(World *w, const char *property, const double *way, FILE *f) {
    double t0 = w->duration * between(w, property, 1, 0.05, 0.4), t1 = w->duration * between(w, property, 2, 0.5, 0.9);
    static const double zero[3];
    fprintf(f, ", \"keys\": [{\"time\": %.9g, ", t0);
    put_vector(f, "translation", zero, w->dim);
    fprintf(f, "}, {\"time\": %.9g, ", t1);
    put_vector(f, "translation", way, w->dim);
    fprintf(f, "}], \"interpolation\": \"%s\"", chance(w, property, 3, 0.5) ? "smooth" : "linear");
    say(w, "moving-obstacle");
}

static void write_ground(World *w, FILE *f) {
    double normal[3] = {0}, size[3], position[3] = {0}, way[3] = {0},
           r = w->size * log_between(w, "ground-size", 0, 2, 10);
    if (w->ground <= GROUND_SLOPE && w->ground != GROUND_NONE) {
        normal[0] = sin(w->slope);
        normal[w->up] = cos(w->slope);
        fprintf(f, "{\"name\": \"ground\", \"plane\": {");
        put_vector(f, "normal", normal, w->dim);
    } else if (w->ground == GROUND_SPHERE) {
        fprintf(f, "{\"name\": \"ground\", \"%s\": {\"radius\": %.9g", w->dim == 2 ? "circle" : "sphere", r);
        position[w->up] = -r;
    } else {
        for (int k = 0; k < 3; k++)
            size[k] = k == w->up ? w->size : 2 * r;
        fprintf(f, "{\"name\": \"ground\", \"box\": {");
        put_vector(f, "size", size, w->dim);
        position[w->up] = -w->size / 2;
    }
    fprintf(f, "}, ");
    put_vector(f, "position", position, w->dim);
    fprintf(f, ", \"friction\": %.9g",
            chance(w, "ground-smooth", 0, 0.15) ? 0 : between(w, "ground-friction", 0, 0.05, 1));
    if (chance(w, "ground-moves", 0, 0.12)) {
        way[0] = w->size * between(w, "ground-way", 0, -0.3, 0.3);
        write_keys(w, "ground-key", way, f);
    }
    fprintf(f, "}");
}

static void write_press(World *w, FILE *f) {
    double top = 0, position[3] = {0}, way[3] = {0}, r = w->size * between(w, "press-size", 0, 0.4, 1.5);
    for (int i = 0; i < w->count; i++)
        top = fmax(top, w->body[i].position[w->up] + w->body[i].extent[w->up]);
    double gap = w->size * log_between(w, "press-gap", 0, 0.01, 0.5);
    position[w->up] = top + gap + r;
    way[w->up] = -gap - w->gap * (w->ground != GROUND_NONE) - 0.05 * w->size * draw(w, "press-depth", 0);
    if (chance(w, "press-round", 0, 0.5))
        fprintf(f, "{\"name\": \"press\", \"%s\": {\"radius\": %.9g}, ", w->dim == 2 ? "circle" : "sphere", r);
    else {
        double size[3] = {2 * r, 2 * r, 2 * r};
        fprintf(f, "{\"name\": \"press\", \"box\": {");
        put_vector(f, "size", size, w->dim);
        fprintf(f, "}, ");
    }
    put_vector(f, "position", position, w->dim);
    write_keys(w, "press-key", way, f);
    fprintf(f, ", \"friction\": %.9g}", between(w, "press-friction", 0, 0, 1));
    say(w, "pressed");
}

static void write_world(World *w, FILE *f) {
    int newton = chance(w, "newton", 0, 0.15), press = !w->closed && chance(w, "press", 0, 0.12);
    fprintf(f, "{\n    \"thaw\": 1,\n    \"dimension\": %d,\n    ", w->dim);
    put_vector(f, "gravity", w->gravity, w->dim);
    fprintf(f, ",\n    \"time\": {\"step\": %.9g, \"steps\": %d, \"integrator\": \"%s\"},\n", w->h, w->steps,
            thaw_scheme(thaw_scheme_twin(w->integrator, newton))->name);
    if (newton)
        say(w, "newton");
    fprintf(f, "    \"materials\": {\n");
    for (int i = 0; i < w->count; i++)
        write_material(w, i, f);
    fprintf(f, "    },\n    \"shapes\": {\n");
    for (int i = 0; i < w->count; i++)
        write_shape(w, i, f);
    fprintf(f, "    },\n    \"bodies\": [\n");
    for (int i = 0; i < w->count; i++)
        write_body(w, i, f);
    fprintf(f, "    ],\n    \"obstacles\": [");
    if (w->ground != GROUND_NONE)
        write_ground(w, f);
    if (press) {
        fprintf(f, "%s", w->ground != GROUND_NONE ? ", " : "");
        write_press(w, f);
    }
    fprintf(f, "],\n");
    write_contact(w, f);
    fprintf(f, ",\n    \"title\": \"random world %llu%s%s: %s\"\n}\n", (unsigned long long)w->seed,
            w->small ? ", small" : "", w->sheets ? ", sheets" : "", w->words);
}

char *world_random(uint64_t seed, int flags, ThawIntegrator integrator, WorldKind *kind) {
    World w = {.seed = seed,
               .small = (flags & WORLD_SMALL) != 0,
               .sheets = (flags & WORLD_SHEETS) != 0,
               .integrator = integrator};
    char *text = NULL, *own = NULL;
    size_t length = 0;
    draw_world(&w);
    FILE *f = open_memstream(&text, &length);
    if (f)
        write_world(&w, f);
    if (f && fclose(f) == 0 && (own = THAW_NEW(char, length + 1)))
        memcpy(own, text, length + 1);
    free(text);
    if (kind) {
        *kind = (WorldKind){w.dim, w.count, w.steps, w.size, w.h, w.closed, ""};
        memcpy(kind->words, w.words, sizeof kind->words);
    }
    return own;
}
