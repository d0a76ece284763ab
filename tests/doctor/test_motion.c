// SPDX-License-Identifier: Apache-2.0
// What the doctor foresees of motion: spin, swing, rolling and bounce that the scene's integrator and step take away,
// with the cure that it names.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "thaw/thaw.h"

static ThawDoctorReport *examine_text(const char *text) {
    ThawScene *scene = NULL;
    ThawDoctorReport *report = NULL;
    ThawError error = {0};
    if (thaw_scene_parse(text, strlen(text), "s", NULL, &scene, &error) ||
        thaw_doctor_scene(scene, &report, &error) != THAW_OK)
        fail_msg("%s: %s", text, error.message);
    thaw_scene_free(&scene);
    return report;
}

static const ThawComplaint *told_of(const ThawDoctorReport *report, const char *id) {
    for (int32_t k = 0; k < report->complaint_count; k++)
        if (strcmp(report->complaints[k].id, id) == 0)
            return &report->complaints[k];
    return NULL;
}

static void a_stiff_body_that_spins_is_told_that_its_step_takes_the_spin(void **state) {
    (void)state;
    // Measured: 1 percent is left by linearised steps, nearly all by Newton's method (docs/elastic.md), all in a moving
    // frame.
    static const char *const integrators[] = {"semi-implicit", "newton", "semi-implicit", "euler"};
    double steps[] = {0.01, 0.01, 0, 0.01}; // the third as the first is told
    for (int i = 0; i < 4; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "{\"thaw\": 1, \"time\": {\"step\": %g, \"steps\": %d, \"integrator\": \"%s\"},"
                 " \"materials\": {\"m\": {\"young\": 2e11, \"poisson\": 0.3, \"density\": 7800, \"alpha1\": 0}},"
                 " \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [-0.3, -0.03, -0.03], \"max\": [0.3, 0.03, 0.03],"
                 " \"cells\": [10, 1, 1]}}, \"material\": \"m\"}},"
                 " \"bodies\": [{\"name\": \"bar\", \"shape\": \"s\", \"spin\": [0, 0, 5]}]}",
                 steps[i], (int)lround(0.1 / steps[i]), integrators[i]);
        ThawDoctorReport *report = examine_text(text);
        const ThawComplaint *told = told_of(report, "spin-lost");
        assert_true((told != NULL) == (i == 0));
        assert_true(i || (told->severity == THAW_SEVERITY_WARNING && told->value > 0.005 && told->value < 0.02));
        assert_true(i || strstr(told->cure, "\"euler\""));
        assert_true(i || sscanf(strstr(told->cure, "take steps"), "take steps of %lf s", &steps[2]) == 1);
        thaw_doctor_report_free(&report);
    }
}

// Measured by the full method: 1.56 J to fall, and 0.026 J of it left after 1 s (docs/elastic.md).
static void a_stiff_body_on_a_hinge_is_told_that_its_step_takes_the_swing(void **state) {
    (void)state;
    static const struct {
        const char *integrator, *young, *method;
        double reach; // m: how much of its end is held
        int told;
    } cases[] = {{"semi-implicit", "2.1e11", "full", 0.001, 1},     // an edge: a hinge
                 {"semi-implicit", "2.1e11", "rigidify", 0.001, 1}, // of 1.56 J it has 1.15 left: no reason to warn
                 {"newton", "2.1e11", "full", 0.001, 0},
                 {"semi-implicit", "1e6", "full", 0.001, 0},
                 {"semi-implicit", "2.1e11", "full", 0.1, 0}}; // a face
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"thaw\": 1, \"time\": {\"step\": 1e-3, \"steps\": 1000, \"integrator\": \"%s\"},"
                 " \"materials\": {\"m\": {\"like\": \"steel\", \"young\": %s}},"
                 " \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, -0.015, 0], \"max\": [0.3, 0.015, 0.03],"
                 " \"cells\": [20, 2, 2]}}, \"material\": \"m\","
                 " \"groups\": {\"edge\": {\"box\": {\"min\": [-1, -1, -1], \"max\": [0.001, 1, %g]}}}}},"
                 " \"bodies\": [{\"name\": \"bar\", \"shape\": \"s\", \"pins\": [\"edge\"], \"method\": \"%s\","
                 " \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 30}}]}",
                 cases[i].integrator, cases[i].young, cases[i].reach, cases[i].method);
        ThawDoctorReport *report = examine_text(text);
        const ThawComplaint *told = told_of(report, "swing-lost");
        assert_true((told != NULL) == cases[i].told);
        const int adaptive = strcmp(cases[i].method, "rigidify") == 0;
        assert_true(!told || strstr(told->cure, "\"tr-bdf2\""));
        assert_true(!told || told->severity == (adaptive ? THAW_SEVERITY_HINT : THAW_SEVERITY_WARNING));
        assert_true(!told || (strstr(told->what, "as a rigid part it keeps more") != NULL) == adaptive);
        assert_true(!told || !strstr(told->what, "rigid parts too"));
        assert_true(!told || fabs(told->value - sqrt(0.026 / 1.56)) < 0.03);
        thaw_doctor_report_free(&report);
    }
}

// Measured: a steel bar on a hinge, 20 degrees from hanging, has 0.50 of its swing after 6 s by steps of 10 ms.
static void a_swing_is_told_what_a_moving_frame_takes(void **state) {
    (void)state;
    static const char *const integrators[] = {"euler", "euler-newton", "tr-bdf2"};
    for (int i = 0; i < 3; i++)
        for (int m = 0; m < 2; m++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 600, \"integrator\": \"%s\"}, \"shapes\": "
                     "{\"s\": {\"mesh\": {\"box\": {\"min\": [0, -0.02, -0.02], \"max\": [0.5, 0.02, 0.02], \"cells\": "
                     "[12, 2, 2]}}, \"material\": \"steel\", \"groups\": {\"axis\": {\"box\": {\"min\": [-1e-6, -1, "
                     "-1e-6], \"max\": [1e-6, 1, 1e-6]}}}}}, \"bodies\": [{\"shape\": \"s\", \"method\": \"%s\", "
                     "\"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 70}, \"pins\": [\"axis\"]}]}",
                     integrators[i], m ? "rigidify" : "full");
            ThawDoctorReport *report = examine_text(text);
            const ThawComplaint *told = told_of(report, "swing-lost");
            assert_true((told != NULL) == (i < 2));
            assert_true(!told || (told->value > 0.35 && told->value < 0.55));
            assert_true(!told || (strstr(told->cure, "\"tr-bdf2\"") && !strstr(told->what, "rigid")));
            thaw_doctor_report_free(&report);
        }
}

static ThawDoctorReport *examine_ball(const char *material, const char *body, double h, double seconds,
                                      double degrees) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "{\"thaw\": 1, \"time\": {\"step\": %g, \"steps\": %d, \"integrator\": \"semi-implicit\"}, \"materials\": "
        "{\"m\": {%s}}, \"shapes\": {\"s\": "
        "{\"mesh\": {\"solid\": {\"sphere\": {\"radius\": 0.1}}, \"elements\": 3000}, \"material\": \"m\"}}, "
        "\"bodies\": [{\"name\": \"ball\", \"shape\": \"s\", %s}], \"obstacles\": [{\"plane\": {\"normal\": [%g, 0, "
        "%g]}}]}",
        h, (int)lround(seconds / h), material, body, sin(degrees * M_PI / 180), cos(degrees * M_PI / 180));
    return examine_text(text);
}

// Rolling and bouncing are not there at the start: they follow from slope, throw and drop.
static void motion_that_begins_during_the_run_is_told_where_the_step_takes_it(void **state) {
    (void)state;
    static const char STEEL[] = "\"young\": 2e11, \"poisson\": 0.3, \"density\": 7800, \"alpha1\": 0",
                      RUBBER[] = "\"young\": 1e6, \"poisson\": 0.4, \"density\": 1000, \"alpha1\": 0",
                      DAMPED[] = "\"young\": 1e6, \"poisson\": 0.4, \"density\": 1000, \"alpha1\": 0.05";
    static const struct {
        const char *material, *body;
        double h, degrees;
        const char *id;
        int severity; // -1: it is not told
    } cases[] = {
        {STEEL, "\"position\": [0, 0, 0.102]", 5e-3, 10, "roll-lost", THAW_SEVERITY_WARNING},
        {STEEL, "\"position\": [0, 0, 0.102], \"method\": \"rigidify\"", 5e-3, 10, "roll-lost", THAW_SEVERITY_HINT},
        {STEEL, "\"position\": [0, 0, 0.102], \"velocity\": [1, 0, 0]", 5e-3, 0, "roll-lost", THAW_SEVERITY_WARNING},
        {STEEL, "\"position\": [0, 0, 0.102]", 5e-3, 0, "roll-lost", -1},                   // it lies
        {STEEL, "\"position\": [0, 0, 0.102], \"friction\": 0", 5e-3, 10, "roll-lost", -1}, // it slides
        {STEEL, "\"position\": [0, 0, 0.102]", 5e-6, 10, "roll-lost", -1},
        {RUBBER, "\"position\": [0, 0, 1.1]", 5e-3, 0, "bounce-lost", THAW_SEVERITY_HINT},
        {RUBBER, "\"position\": [0, 0, 1.1]", 5e-5, 0, "bounce-lost", -1},
        {RUBBER, "\"position\": [0, 0, 0.101]", 5e-3, 0, "bounce-lost", -1}, // hardly a drop
        {DAMPED, "\"position\": [0, 0, 1.1]", 5e-3, 0, "bounce-lost", -1},   // its material takes it
        {RUBBER, "\"position\": [0, 0, 1.1]}, {\"shape\": \"s\", \"position\": [0, 0, 0.102]", 5e-3, 0, "bounce-lost",
         -1}, // it lands on another
        {RUBBER,
         "\"position\": [0, 0, 1.1]}], \"attachments\": [{\"body\": \"ball\", \"group\": \"surface\", \"kind\": "
         "\"point\", \"stiffness\": 10",
         5e-3, 0, "bounce-lost", -1}, // it hangs
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ThawDoctorReport *report = examine_ball(cases[i].material, cases[i].body, cases[i].h, 1, cases[i].degrees);
        const ThawComplaint *told = told_of(report, cases[i].id);
        if ((told ? (int)told->severity : -1) != cases[i].severity)
            fail_msg("case %d: %s", (int)i, told ? told->what : "nothing is told");
        double step = 1;
        assert_true(!told || !strstr(told->what, "e-")); // no figures like 5e-254 %
        assert_true(!told || strstr(told->cure, "steps of "));
        if (told && told->value < 0.5) // the cure is another integrator, or smaller steps
            assert_true(sscanf(strstr(told->cure, "steps of "), "steps of %lf s", &step) == 1 &&
                        (step < cases[i].h || strstr(told->cure, "\"integrator\"")));
        thaw_doctor_report_free(&report);
    }
}

// A coefficient of restitution is the cure of what no step resolves, and idle elsewhere.
static void restitution_is_named_where_it_helps_and_where_it_is_idle(void **state) {
    (void)state;
    static const struct {
        const char *young, *integrator, *body, *floor, *says; // NULL: nothing
    } cases[] = {
        {"2e11", "euler", "", "", "or a coefficient, \"restitution\""},
        {"2e11", "euler", ", \"restitution\": 0.8", ", \"restitution\": 0.8", NULL},
        {"2e11", "euler", ", \"restitution\": 0.8", "", "\"restitution\" of the other side"},
        {"2e11", "semi-implicit", ", \"restitution\": 0.8", ", \"restitution\": 0.8", "\"integrator\": \"euler\""},
        {"1e6", "euler", ", \"restitution\": 0.8", ", \"restitution\": 0.8", "fewer \"substeps\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "{\"thaw\": 1, \"time\": {\"step\": 0.005, \"steps\": 200, \"integrator\": \"%s\"}, "
                 "\"materials\": {\"m\": {\"young\": %s, \"poisson\": 0.4, \"density\": 7850, \"alpha1\": 0}}, "
                 "\"shapes\": {\"s\": {\"mesh\": {\"solid\": {\"sphere\": {\"radius\": 0.1}}, \"elements\": 3000}, "
                 "\"material\": \"m\"}}, \"bodies\": [{\"name\": \"ball\", \"shape\": \"s\", \"position\": [0, 0, "
                 "1.1]%s}], \"obstacles\": [{\"plane\": {}%s}]}",
                 cases[i].integrator, cases[i].young, cases[i].body, cases[i].floor);
        ThawDoctorReport *report = examine_text(text);
        const ThawComplaint *idle = told_of(report, "restitution-idle"), *lost = told_of(report, "bounce-lost");
        const ThawComplaint *told = idle ? idle : lost;
        if (cases[i].says ? !told || !strstr(told->cure, cases[i].says) : told != NULL)
            fail_msg("case %d: %s", (int)i, told ? told->cure : "nothing is told");
        assert_int_equal(idle != NULL, i > 1);
        thaw_doctor_report_free(&report);
    }
}

// In moving frames it rolls on and rebounds; only over facets it is too fast.
static void the_default_keeps_what_rolls_and_bounces(void **state) {
    (void)state;
    static const struct {
        const char *body;
        double h;
        int coarse;
    } cases[] = {{"\"position\": [0, 0, 0.102], \"velocity\": [1, 0, 0]", 5e-3, 0},
                 {"\"position\": [0, 0, 0.102], \"velocity\": [9, 0, 0]", 5e-3, 1},
                 {"\"position\": [0, 0, 1.1]", 5e-3, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "{\"thaw\": 1, \"time\": {\"step\": %g, \"steps\": 200}, \"materials\": {\"m\": {\"young\": 1e6, "
                 "\"poisson\": 0.4, \"density\": 1000, \"alpha1\": 0}}, \"shapes\": {\"s\": {\"mesh\": {\"solid\": "
                 "{\"sphere\": {\"radius\": 0.1}}, \"elements\": 3000}, \"material\": \"m\"}}, \"bodies\": [{\"name\": "
                 "\"ball\", \"shape\": \"s\", %s}], \"obstacles\": [{\"plane\": {}}]}",
                 cases[i].h, cases[i].body);
        ThawDoctorReport *report = examine_text(text);
        assert_null(told_of(report, "roll-lost"));
        assert_null(told_of(report, "bounce-lost"));
        const ThawComplaint *coarse = told_of(report, "roll-coarse");
        assert_int_equal(coarse != NULL, cases[i].coarse);
        assert_true(!coarse || (coarse->severity == THAW_SEVERITY_HINT && coarse->value > 0.25));
        thaw_doctor_report_free(&report);
    }
}

// Measured: a ball of 819 elements stays on a slope of 4 degrees and rolls on 6, from rest.
static void a_ball_of_coarse_facets_is_told_what_it_does(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *young;
        int told;
    } cases[] = {{"{\"solid\": {\"sphere\": {\"radius\": 0.1}}, \"elements\": 800}", "2e7", 1},
                 {"{\"solid\": {\"sphere\": {\"radius\": 0.1}}, \"elements\": 30000}", "2e7", 0}, // fine enough
                 {"{\"solid\": {\"sphere\": {\"radius\": 0.1}}, \"elements\": 800}", "2e3", 0},   // flat by its weight
                 {"{\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [1, 1, 1]}}", "2e7", 0},
                 {"{\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [3, 3, 3]}}", "2e7", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "{\"thaw\": 1, \"time\": {\"step\": 0.002, \"steps\": 500}, \"materials\": {\"m\": {\"young\": %s, "
                 "\"poisson\": 0.3, \"density\": 1000}}, \"shapes\": {\"s\": {\"mesh\": %s, \"material\": \"m\"}}, "
                 "\"bodies\": [{\"shape\": \"s\", \"position\": [0, 0, 1]}], \"obstacles\": [{\"plane\": {}}]}",
                 cases[i].young, cases[i].mesh);
        ThawDoctorReport *report = examine_text(text);
        const ThawComplaint *told = told_of(report, "rolls-on-facets");
        assert_true((told != NULL) == cases[i].told);
        if (told)
            print_message("%s | %s\n", told->what, told->cure);
        assert_true(!told || (told->value > 4 && told->value < 9 && told->severity == THAW_SEVERITY_HINT));
        thaw_doctor_report_free(&report);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_body_that_spins_is_told_that_its_step_takes_the_spin),
        cmocka_unit_test(a_stiff_body_on_a_hinge_is_told_that_its_step_takes_the_swing),
        cmocka_unit_test(a_swing_is_told_what_a_moving_frame_takes),
        cmocka_unit_test(motion_that_begins_during_the_run_is_told_where_the_step_takes_it),
        cmocka_unit_test(restitution_is_named_where_it_helps_and_where_it_is_idle),
        cmocka_unit_test(the_default_keeps_what_rolls_and_bounces),
        cmocka_unit_test(a_ball_of_coarse_facets_is_told_what_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
