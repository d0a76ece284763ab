// SPDX-License-Identifier: Apache-2.0
#include "contact_physics/support_touch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"

Touch touch_open(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    assert_true(length > 0);
    for (int i = 0; i < length; i++)
        if (text[i] == '\'')
            text[i] = '"';
    Touch touch = {0};
    ThawError error = {0};
    if (thaw_scene_parse(text, (size_t)length, "test", THAW_SOURCE_DIR "/scenes", &touch.scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    free(text);
    touch.scene->world.threads = 1;
    if (thaw_world_create(&touch.scene->world, &touch.world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return touch;
}

void touch_close(Touch *touch) {
    thaw_world_free(&touch->world);
    thaw_scene_free(&touch->scene);
}

void touch_try(Touch *touch, int64_t steps) {
    ThawError error = {0};
    for (int64_t i = 0; i < steps; i++) {
        if (thaw_world_step(touch->world, &touch->last, &error) != THAW_OK)
            fail_msg("%s", error.message);
        touch->residual = fmax(touch->residual, touch->last.response_residual);
        touch->left += touch->last.response_residual > touch->scene->world.contact.tolerance;
    }
}

void touch_run(Touch *touch, int64_t steps) {
    for (int64_t i = 0; i < steps; i++) {
        int64_t left = touch->left;
        touch_try(touch, 1);
        if (touch->left > left)
            fail_msg("step %lld: a residual of %g is left after %d iterations on %lld contacts",
                     (long long)touch->last.step, touch->last.response_residual, touch->last.response_iterations,
                     (long long)touch->last.contacts);
    }
}

typedef struct Vertices {
    int32_t count;
    int dim;
    double *x, *v, *m;
} Vertices;

static Vertices look(const Touch *touch, int32_t body) {
    Vertices look = {thaw_world_vertex_count(touch->world, body), thaw_world_dim(touch->world), NULL, NULL, NULL};
    size_t room = sizeof(double) * (size_t)look.dim * (size_t)look.count;
    look.x = malloc(room);
    look.v = malloc(room);
    look.m = malloc(room);
    assert_true(look.x && look.v && look.m);
    assert_int_equal(thaw_world_get_positions(touch->world, body, look.x), THAW_OK);
    assert_int_equal(thaw_world_get_velocities(touch->world, body, look.v), THAW_OK);
    assert_int_equal(thaw_world_get_masses(touch->world, body, look.m), THAW_OK);
    return look;
}

static void look_away(Vertices *look) {
    free(look->x);
    free(look->v);
    free(look->m);
}

static void mean(const Vertices *l, const double *of, double out[3]) {
    double mass = 0;
    memset(out, 0, 3 * sizeof *out);
    for (int32_t i = 0; i < l->count; i++) {
        mass += l->m[i];
        for (int k = 0; k < l->dim; k++)
            out[k] += l->m[i] * of[i * l->dim + k];
    }
    for (int k = 0; k < 3; k++)
        out[k] /= mass;
}

void touch_centre(const Touch *touch, int32_t body, double x[3]) {
    Vertices l = look(touch, body);
    mean(&l, l.x, x);
    look_away(&l);
}

void touch_velocity(const Touch *touch, int32_t body, double v[3]) {
    Vertices l = look(touch, body);
    mean(&l, l.v, v);
    look_away(&l);
}

double touch_mass(const Touch *touch, int32_t body) {
    Vertices l = look(touch, body);
    double mass = 0;
    for (int32_t i = 0; i < l.count; i++)
        mass += l.m[i];
    look_away(&l);
    return mass;
}

// Angular momentum over the moment of inertia about each axis: exact for bodies whose inertia is round.
void touch_spin(const Touch *touch, int32_t body, double spin[3]) {
    Vertices l = look(touch, body);
    double x[3], v[3], inertia[3] = {0, 0, 0};
    mean(&l, l.x, x);
    mean(&l, l.v, v);
    memset(spin, 0, 3 * sizeof *spin);
    for (int32_t i = 0; i < l.count; i++) {
        double r[3] = {0, 0, 0}, u[3] = {0, 0, 0};
        for (int k = 0; k < l.dim; k++) {
            r[k] = l.x[i * l.dim + k] - x[k];
            u[k] = l.v[i * l.dim + k] - v[k];
        }
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            spin[k] += l.m[i] * (r[a] * u[b] - r[b] * u[a]);
            inertia[k] += l.m[i] * (r[a] * r[a] + r[b] * r[b]);
        }
    }
    for (int k = 0; k < 3; k++)
        spin[k] /= inertia[k];
    look_away(&l);
}

static double extreme(const Touch *touch, int32_t body, int axis, double sign) {
    Vertices l = look(touch, body);
    double best = -INFINITY;
    for (int32_t i = 0; i < l.count; i++)
        best = fmax(best, sign * l.x[i * l.dim + axis]);
    look_away(&l);
    return sign * best;
}

double touch_lowest(const Touch *touch, int32_t body, int axis) { return extreme(touch, body, axis, -1); }
double touch_highest(const Touch *touch, int32_t body, int axis) { return extreme(touch, body, axis, 1); }

double *touch_positions(const Touch *touch, int32_t body) {
    Vertices l = look(touch, body);
    free(l.v);
    free(l.m);
    return l.x;
}

double touch_moved(const Touch *touch, int32_t body, const double *from) {
    Vertices l = look(touch, body);
    double most = 0;
    for (int32_t i = 0; i < l.count; i++) {
        double square = 0;
        for (int k = 0; k < l.dim; k++)
            square += pow(l.x[i * l.dim + k] - from[i * l.dim + k], 2);
        most = fmax(most, sqrt(square));
    }
    look_away(&l);
    return most;
}

double touch_balance(const Touch *touch) {
    ThawLedger l;
    assert_int_equal(thaw_world_get_ledger(touch->world, &l), THAW_OK);
    return ledger_balance(&l);
}
