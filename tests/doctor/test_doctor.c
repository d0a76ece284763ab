// SPDX-License-Identifier: Apache-2.0
// Each row is one slip in a healthy scene, and what the doctor must say about it. A healthy scene must pass in silence:
// complaints that are always there are not read.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh/mesh.h"
#include "thaw/thaw.h"

// Good, with ' for ".
static const char healthy[] =
    "{'thaw': 1, 'gravity': [0, 0, -9.81], 'time': {'integrator': 'semi-implicit', 'step': 0.002, 'steps': 1000}, "
    "'output': {'every': 15},\n"
    " 'materials': {'rubber': {'density': 1000, 'young': 1e5, 'poisson': 0.4, 'alpha0': 0, 'alpha1': 0.001}},\n"
    " 'shapes': {'bar': {'mesh': {'box': {'min': [0, 0, 0], 'max': [0.4, 0.1, 0.1], 'cells': [8, 2, 2]}},\n"
    "                    'scale': 1, 'material': 'rubber',\n"
    "                    'groups': {'left': {'box': {'min': [-1, -1, -1], 'max': [0.01, 1, 1]}},\n"
    "                               'right': {'side': {'point': [0.39, 0, 0], 'normal': [1, 0, 0]}}}}},\n"
    " 'bodies': [{'name': 'one', 'shape': 'bar', 'velocity': [0, 0, 0], 'spin': [0, 0, 0],\n"
    "             'pins': ['left'], 'scripts': [],\n"
    "             'forces': [{'group': 'right', 'total': [0, 0, 2], 'from': 0, 'to': 1, 'ramp': 0.5}]},\n"
    "            {'name': 'two', 'shape': 'bar', 'position': [0, 0, 1], 'pins': ['left'],\n"
    "             'scripts': [{'group': 'right', 'release': 1, 'keys': [{'time': 0},\n"
    "                          {'time': 0.5, 'translation': [0, 0, 0.1]}]}]}]}\n";

typedef struct Slip {
    const char *right, *wrong; // the first occurrence of `right` becomes `wrong`
    int severity;              // ThawSeverity
    const char *id, *where;    // of the complaint
    const char *says;          // part of what or cure
} Slip;

enum { E = THAW_SEVERITY_ERROR, W = THAW_SEVERITY_WARNING, H = THAW_SEVERITY_HINT };

// The second body becomes adaptive, by these thresholds.
#define LAST "[0, 0, 0.1]}]}]}]}"
#define LAST_OPEN "[0, 0, 0.1]}]}]}]"
#define ADAPTIVE(thresholds) "[0, 0, 0.1]}]}], 'method': 'rigidify'}], 'rigidify': {" thresholds "}}"
#define OWN(thresholds) "[0, 0, 0.1]}]}], 'method': 'rigidify', 'rigidify': {" thresholds "}}]}"

static const Slip slips[] = {
    // units
    {"'scale': 1", "'scale': 300", W, "odd-size", "shape bar", "0.001"},
    {"'young': 1e5", "'young': 5", W, "odd-young", "material rubber", "5e6"},
    {"'young': 1e5", "'young': 1e13", W, "odd-young", "material rubber", "diamond"},
    {"'density': 1000", "'density': 1", W, "odd-density", "material rubber", "write 1000"},
    {"'density': 1000", "'density': 7.8e4", W, "odd-density", "material rubber", "7850"},
    {"'density': 1000", "'density': 1.2", W, "odd-density", "material rubber", "write 1200"},
    {"-9.81", "-9810", W, "odd-gravity", "gravity", "1e+03 times"},
    {"-9.81", "9.81", H, "gravity-up", "gravity", "upwards"},
    {"'young': 1e5", "'young': 3e3", W, "too-soft", "shape bar", "own weight"},
    // material against elements and time
    {"'poisson': 0.4", "'poisson': 0.47", H, "locking", "material rubber", "lock"},
    {"'poisson': 0.4", "'poisson': 0.499", W, "locking", "material rubber", "0.45"},
    {"'young': 1e5", "'young': 1e11", H, "step-blind", "shape bar", "less than four steps"},
    {"'step': 0.002", "'step': 0.02", H, "step-damps", "shape bar", "of its energy in each swing"},
    {"'step': 0.002", "'step': 1e-6", H, "step-short", "shape bar", "very small"},
    {"'steps': 1000", "'steps': 50", H, "short-run", "shape bar", "the run ends after 0.1 s"},
    {"'alpha1': 0.001", "'alpha1': 2", H, "overdamped", "shape bar", "creeps"},
    {"'alpha0': 0", "'alpha0': 500", H, "overdamped", "shape bar", "creeps"},
    // meshes
    {"'cells': [8, 2, 2]", "'cells': [8, 2, 1]", W, "one-layer", "shape bar", "surface to surface"},
    {"'cells': [8, 2, 2]", "'cells': [8, 4, 30]", H, "thin-angle", "shape bar", "below 5 degrees"},
    {"'cells': [8, 2, 2]", "'cells': [1, 1, 80]", W, "thin-angle", "shape bar", "dihedral angle"},
    // output
    {"'every': 15", "'every': 5000", H, "no-output", "output", "only the first"},
    {"'every': 15", "'formats': []", H, "no-output", "output", "\"vtu\""},
    {"'steps': 1000}, 'output': {'every': 15}", "'steps': 900000}, 'output': {'every': 1}", H, "much-output",
     "output.every", "900001 frames"},
    {"'steps': 1000}, 'output': {'every': 15}", "'steps': 9000000}, 'output': {'every': 1}", W, "much-output",
     "output.every", "GB"},
    // groups, materials and shapes
    {"[0.01, 1, 1]", "[1, 1, 1]", W, "selects-all", "shape bar, group left", "every vertex"},
    {"'groups': {", "'groups': {'middle': {'nearest': [0.2, 0, 0]}, ", H, "unused", "shape bar, group middle",
     "no pin"},
    {"'materials': {", "'materials': {'wax': {}, ", H, "unused", "material wax", "no shape"},
    {"'shapes': {",
     "'shapes': {'spare': {'mesh': {'beam': {'length': 1, 'width': 0.2, 'height': 0.2, 'size': 0.1}}, "
     "'material': 'rubber'}, ",
     H, "unused", "shape spare", "no body"},
    // pins
    {"'pins': ['left'], 'scripts': []", "'pins': []", W, "falls", "body one", "falls freely, 19.6 m"},
    {"'pins': ['left'], 'scripts': []", "'pins': ['all']", W, "held-whole", "body one", "nothing of it can move"},
    {"'max': [0.01, 1, 1]", "'max': [0.26, 1, 1]", H, "held-mostly", "body one", "only a small part"},
    {"'left': {'box': {'min': [-1, -1, -1], 'max': [0.01, 1, 1]}}", "'left': {'nearest': [0, 0, 0]}", H, "held-loosely",
     "body one", "at one point"},
    {"'max': [0.01, 1, 1]", "'max': [0.01, 1, 0.01]", H, "held-loosely", "body one", "along one line"},
    {"'pins': ['left'], 'scripts': []", "'pins': ['left', 'x-min']", W, "held-twice", "body one", "the last one"},
    // scripts
    {"{'time': 0},", "{'time': 0, 'translation': [0.1, 0, 0]},", W, "script-jumps", "body two, script 1 (group right)",
     "jumps by 0.1 m"},
    {"{'time': 0},", "{'time': 0, 'translation': [0.0001, 0, 0]},", H, "script-jumps",
     "body two, script 1 (group right)", "first key"},
    {"{'time': 0.5, 'translation': [0, 0, 0.1]}", "{'time': 0.001, 'translation': [0, 0, 0.1]}", W,
     "script-outruns-sound", "body two, script 1 (group right)", "50 m/s"},
    {"{'time': 0.5,", "{'time': 5,", H, "keys-not-reached", "body two, script 1 (group right)", "lets go"},
    {"'release': 1, 'keys': [{'time': 0}",
     "'keys': [{'time': 0}, {'time': 3}, {'time': 9}], 'release': 1e9},\n"
     "{'group': 'y-max', 'release': 1.5, 'keys': [{'time': 0}",
     H, "never-released", "body two, group right", "1e+09 s"},
    // changes
    {LAST, "[0, 0, 0.1]}]}], 'changes': [{'at': 50, 'cut': {'side': {'point': [0.2, 0, 0], 'normal': [1, 0, 0]}}}]}]}",
     H, "changes-not-reached", "body two, changes[0]", "25000 or more"},
    // forces
    {"'total': [0, 0, 2]", "'total': [0, 0, 0]", W, "idle-force", "body one, force 0 (group right)", "it is zero"},
    {"'from': 0, 'to': 1", "'from': 3, 'to': 4", W, "idle-force", "body one, force 0 (group right)", "after the end"},
    {"'to': 1, 'ramp': 0.5", "'to': 0.001", W, "idle-force", "body one, force 0 (group right)", "shorter than a step"},
    {"'group': 'right', 'total'", "'group': 'left', 'total'", W, "idle-force", "body one, force 0 (group left)",
     "pinned"},
    {"'ramp': 0.5", "'ramp': 2", H, "ramp-unfinished", "body one, force 0 (group right)", "50 %"},
    {"'total': [0, 0, 2]", "'total': [0, 0, 2e5]", W, "huge-force", "body one, force 0 (group right)", "newtons"},
    {"'forces': [", "'forces': [{'group': 'right', 'total': [0, 0, 2], 'from': 0, 'to': 1}, ", H, "force-twice",
     "body one, force 1 (group right)", "same as force 0"},
    // attachments: 'attachments' goes behind the bodies
    {LAST, "[0, 0, 0.1]}]}]}], 'attachments': [{'body': 'one', 'group': 'left'}]}", W, "attached-pins",
     "attachments[0] (attachment-0)", "out of the \"pins\""},
    {LAST,
     "[0, 0, 0.1]}]}]}], 'attachments': [{'name': 'a', 'body': 'one', 'group': 'right'}, "
     "{'name': 'b', 'body': 'one', 'group': 'right', 'release': 1}]}",
     W, "attached-twice", "attachments[1] (b)", "as attachments[0] (a)"},
    {LAST, "[0, 0, 0.1]}]}]}], 'attachments': [{'body': 'one', 'group': 'right', 'release': 50}]}", H, "never-released",
     "attachments[0] (attachment-0)", "more than 25000"},
    {LAST,
     "[0, 0, 0.1]}]}]}, {'name': 'in', 'shape': 'bar', 'position': [0.25, 0.02, 0.02]}], "
     "'attachments': [{'name': 'tie', 'body': 'in', 'group': 'left', 'to': 'one'}]}",
     W, "attached-overlap", "one and in", "\"between\": [\"one\", \"in\"], \"enabled\": false"},
    {LAST, "[0, 0, 0.1]}]}], 'rigidify': {'epsilon': 1e-3}}]}", H, "unread-options", "rigidify, body two", "\"full\""},
    {LAST, LAST_OPEN ", 'rigidify': {'tau_elastic': 1}}", H, "unread-threshold", "rigidify.tau_elastic", "\"static\""},
    // speeds
    {"'velocity': [0, 0, 0]", "'velocity': [0, 0, 300]", W, "too-fast", "body one", "300 m/s"},
    {"'spin': [0, 0, 0]", "'spin': [0, 0, 360]", W, "too-fast", "body one", "rad/s"},
    {"'young': 1e5", "'young': 1e11, 'like': 'steel'", H, "step-blind", "shape bar", "nearly rigid"},
    {"'velocity': [0, 0, 0], 'spin': [0, 0, 0]", "'spin': [0, 0, 60], 'rotation': {'axis': [0, 0, 1], 'degrees': 1}", W,
     "too-fast", "body one", "torn apart"},
    {"'spin': [0, 0, 0],\n             'pins': ['left'], 'scripts': []", "'spin': [0, 0, 10]", H, "spin-damped",
     "body one", "viscous"},
    {"'spin': [0, 0, 0],\n             'pins': ['left'], 'scripts': []", "'spin': [0, 0, 10]", H, "spin-lost",
     "body one", "take steps of"},
    // thresholds
    {LAST, ADAPTIVE("'epsilon': 2"), W, "odd-threshold", "rigidify.epsilon", "strains of 2"},
    {LAST, ADAPTIVE("'tau_rigid': 100"), W, "odd-threshold", "rigidify.tau_rigid, body two", "frozen"},
    {LAST, ADAPTIVE("'oracle': 'paper', 'epsilon': 1e-3"), H, "unread-threshold", "rigidify.epsilon", "tau_elastic"},
    {LAST, OWN("'epsilon': 2"), W, "odd-threshold", "rigidify.epsilon, body two", "strains of 2"},
    {LAST, OWN("'tau_elastic': 1e-3"), H, "unread-threshold", "rigidify.tau_elastic, body two", "paper"},
    {LAST, ADAPTIVE("'tau_elastic': 1e-3"), H, "unread-threshold", "rigidify.tau_elastic", "paper"},
    // bodies in each other
    {"'position': [0, 0, 1]", "'position': [0, 0, 0.05]", W, "overlap", "bodies one and two", "0.05 m deep"},
    {"'position': [0, 0, 1]", "'position': [0, 0, 0]", W, "duplicate-body", "bodies one and two", "exactly"},
    // what cannot run
    {"'poisson': 0.4", "'poisson': 0.05, 'constants': 'unmodified'", E, "refused", "scene", "1/18"},
};

static void make_text(const Slip *slip, char *text, size_t room) {
    const char *at = slip ? strstr(healthy, slip->right) : healthy;
    if (!at)
        fail_msg("the healthy scene has no %s", slip->right);
    snprintf(text, room, "%.*s%s%s", (int)(at - healthy), healthy, slip ? slip->wrong : "",
             slip ? at + strlen(slip->right) : healthy);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
}

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

static ThawDoctorReport *examine(const Slip *slip) {
    char text[8000];
    make_text(slip, text, sizeof text);
    return examine_text(text);
}

static void print_all(const ThawDoctorReport *report) {
    for (int32_t i = 0; i < report->complaint_count; i++) {
        const ThawComplaint *c = &report->complaints[i];
        print_error("  %s [%s] %s: %s | %s\n", thaw_severity_name(c->severity), c->id, c->where, c->what, c->cure);
    }
}

static const ThawComplaint *find(const ThawDoctorReport *report, const char *id) {
    for (int32_t i = 0; i < report->complaint_count; i++)
        if (strcmp(report->complaints[i].id, id) == 0)
            return &report->complaints[i];
    print_all(report);
    fail_msg("no complaint [%s]", id);
    return NULL;
}

static void a_healthy_scene_passes_in_silence(void **state) {
    (void)state;
    ThawDoctorReport *report = examine(NULL);
    print_all(report);
    assert_int_equal(report->complaint_count, 0);
    assert_int_equal(report->errors + report->warnings + report->hints, 0);
    assert_string_equal(report->kind, "scene");
    assert_int_equal(report->patient_count, 2);
    const ThawPatient *one = &report->patients[0];
    assert_string_equal(one->name, "one");
    assert_int_equal(one->elements, 8 * 2 * 2 * 6);
    assert_int_equal(one->held, 9);
    assert_true(fabs(one->mass - 4) < 1e-9 && fabs(one->size[0] - 0.4) < 1e-9);
    assert_true(fabs(one->max_angle - M_PI / 2) < 1e-9);
    // A clamped bar: 0.1615 * 10 m/s * 0.1 m / (0.4 m)^2 = 1.009 Hz; so few elements are much stiffer (32 x 8 x 8
    // cells: 0.95 s).
    print_message("first modes %.4g s and %.4g s\n", one->period, report->patients[1].period);
    assert_true(one->measured && one->period > 0.6 / 1.009 && one->period < 0.9 / 1.009);
    // Held at both ends (4.730 / 1.875)^2 = 6.4 times that, less what shear gives way (a quarter of its length high).
    assert_true(report->patients[1].period > one->period / 6.4 && report->patients[1].period < one->period / 4);
    assert_int_equal(report->patients[1].held, 18);
    assert_true(report->disk > 67 * 2 * 81 * 28);
    thaw_doctor_report_free(&report);
    assert_null(report);
}

static void an_adaptive_body_is_told_the_thresholds_that_it_goes_by(void **state) {
    (void)state;
    const Slip slip = {.right = LAST, .wrong = ADAPTIVE("'epsilon': 1e-3")};
    ThawDoctorReport *report = examine(&slip);
    const ThawPatient *one = &report->patients[0], *two = &report->patients[1];
    print_all(report);
    assert_int_equal(report->complaint_count, 0);
    assert_true(one->option_count == 0 && two->option_count > 0);
    assert_true(thaw_patient_option(two, "epsilon") == 1e-3 && thaw_patient_option(two, "tau_rigid") > 0 &&
                thaw_patient_option(two, "sleep_speed") > 0);
    assert_true(fabs(thaw_patient_option(two, "horizon") - two->period) < 1e-9);
    thaw_doctor_report_free(&report);
}

static void of_a_large_adaptive_body_what_is_given_is_told_and_doubted(void **state) {
    (void)state;
    const char scene[] =
        "{\"thaw\": 1, \"rigidify\": {\"epsilon\": 2, \"tau_elastic\": 1e-3}, \"shapes\": {\"s\": {\"mesh\": {\"box\": "
        "{\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [22, 22, 22]}}, \"material\": \"foam\"}}, "
        "\"bodies\": [{\"shape\": \"s\", \"method\": \"rigidify\", \"pins\": [\"z-min\"]}]}";
    ThawDoctorReport *report = examine_text(scene);
    const ThawPatient *p = &report->patients[0];
    assert_true(p->elements > 60000 && p->option_count > 0 && !p->measured && p->period > 0);
    assert_true(thaw_patient_option(p, "epsilon") == 2 && thaw_patient_option(p, "tau_elastic") == 1e-3);
    assert_true(isnan(thaw_patient_option(p, "tau_rigid")) && isnan(thaw_patient_option(p, "horizon")) &&
                isnan(thaw_patient_option(p, "sleep_speed")));
    assert_non_null(find(report, "odd-threshold"));
    assert_non_null(find(report, "unread-threshold"));
    thaw_doctor_report_free(&report);
}

// Bodies that condensation is not for: compact ones, by either form; soft ones and fast spins by the published one.
static void limits_of_condensation_are_told(void **state) {
    (void)state;
    static const struct {
        const char *cells, *young, *body, *options, *option;
    } cases[] = {
        {"12, 2, 2", "1e6", "\"pins\": [\"x-min\"]", "", NULL},
        {"12, 2, 2", "1e6", "\"spin\": [0, 0, 20]", "", NULL},
        {"16, 16, 16", "1e6", "\"pins\": [\"x-min\"]", "", "regions"},
        {"12, 2, 2", "3e2", "\"pins\": [\"x-min\"]", "\"form\": \"published\"", "form"},
        {"12, 2, 2", "1e6", "\"spin\": [0, 0, 20]", "\"form\": \"published\"", "form"},
        {"12, 2, 2", "1e6", "\"spin\": [0, 0, 1]", "\"form\": \"published\"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "{\"thaw\": 1, \"time\": {\"step\": 0.005, \"integrator\": \"semi-implicit\"}, \"condense\": {%s}, "
                 "\"materials\": {\"m\": {\"density\": 1000, \"young\": %s, \"poisson\": 0.45}}, \"shapes\": {\"s\": "
                 "{\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.12, 0.02, 0.02], \"cells\": [%s]}}, "
                 "\"material\": \"m\"}}, \"bodies\": [{\"shape\": \"s\", \"method\": \"condense\", %s}]}",
                 cases[i].options, cases[i].young, cases[i].cells, cases[i].body);
        ThawDoctorReport *report = examine_text(text);
        const ThawComplaint *c = NULL;
        for (int32_t k = 0; k < report->complaint_count && !c; k++)
            c = strcmp(report->complaints[k].id, "odd-threshold") == 0 ? &report->complaints[k] : NULL;
        if (!c != !cases[i].option || (c && !strstr(c->where, cases[i].option)))
            fail_msg("case %d: %s", (int)i, c ? c->where : "no complaint");
        thaw_doctor_report_free(&report);
    }
}

static void what_cannot_move_has_no_first_mode(void **state) {
    (void)state;
    const Slip slip = {.right = "'pins': ['left'], 'scripts': []", .wrong = "'pins': ['all']"};
    ThawDoctorReport *report = examine(&slip);
    assert_true(report->patients[0].measured && isnan(report->patients[0].period));
    assert_true(report->patients[1].period > 0);
    thaw_doctor_report_free(&report);
    report =
        examine_text("{\"thaw\": 1, \"time\": {\"step\": 0.05}, \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": "
                     "[0, 0, 0], \"max\": [1, 1, 1], \"cells\": [4, 4, 4]}}, \"material\": \"foam\"}}, "
                     "\"bodies\": [{\"shape\": \"s\", \"pins\": [\"all\"]}]}");
    print_all(report);
    assert_non_null(find(report, "held-whole"));
    assert_int_equal(report->complaint_count, 1);
    thaw_doctor_report_free(&report);
}

static void every_slip_is_found_and_named(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        ThawDoctorReport *report = examine(&slips[i]);
        int found = 0, counts[3] = {0};
        for (int32_t k = 0; k < report->complaint_count; k++) {
            const ThawComplaint *c = &report->complaints[k];
            found |= (int)c->severity == slips[i].severity && strcmp(c->id, slips[i].id) == 0 &&
                     strcmp(c->where, slips[i].where) == 0 &&
                     (strstr(c->what, slips[i].says) || strstr(c->cure, slips[i].says));
            assert_true(*c->what && *c->cure);
            assert_true(k == 0 || c->severity >= report->complaints[k - 1].severity);
            counts[c->severity]++;
        }
        assert_true(report->errors == counts[0] && report->warnings == counts[1] && report->hints == counts[2]);
        if (!found) {
            print_error("%s -> %s\n  wanted: %s [%s] %s: %s\n", slips[i].right, slips[i].wrong,
                        thaw_severity_name((ThawSeverity)slips[i].severity), slips[i].id, slips[i].where,
                        slips[i].says);
            print_all(report);
            wrong++;
        }
        thaw_doctor_report_free(&report);
    }
    assert_int_equal(wrong, 0);
}

static void an_overlap_is_told_with_depth_place_and_vertices(void **state) {
    (void)state;
    static const Slip slip = {"'position': [0, 0, 1]", "'position': [0.3, 0.02, 0.03]", W, "", "", ""};
    ThawDoctorReport *report = examine(&slip);
    const ThawComplaint *c = find(report, "overlap");
    // They share the box from (0.3, 0.02, 0.03) to (0.4, 0.1, 0.1): half of its shortest side at most.
    assert_true(c->value > 0.02 && c->value < 0.07);
    assert_true(c->has_place && c->place[0] > 0.29 && c->place[0] < 0.41 && c->place[2] > 0.02 && c->place[2] < 0.11);
    assert_true(c->found.count > 0);
    // The cure cures: moving the first one way is moving the second the other.
    double way, at[3] = {0.3, 0.02, 0.03};
    char sign, axis, place[80];
    const char *cure = strstr(c->cure, "move one by ");
    assert_non_null(cure);
    assert_int_equal(sscanf(cure, "move one by %lf m along %c%c", &way, &sign, &axis), 3);
    at[axis - 'x'] -= sign == '+' ? way : -way;
    snprintf(place, sizeof place, "'position': [%.9g, %.9g, %.9g]", at[0], at[1], at[2]);
    thaw_doctor_report_free(&report);
    const Slip mended = {"'position': [0, 0, 1]", place, W, "", "", ""};
    report = examine(&mended);
    for (int32_t i = 0; i < report->complaint_count; i++)
        assert_string_not_equal(report->complaints[i].id, "overlap");
    thaw_doctor_report_free(&report);
}

static ThawDoctorReport *examine_with(const char *right, const char *wrong) {
    return examine(&(Slip){.right = right, .wrong = wrong});
}

static void attachments_are_listed_with_what_they_hold(void **state) {
    (void)state;
    ThawDoctorReport *report = examine_with(
        LAST,
        "[0, 0, 0.1]}]}]}, {'name': 'in', 'shape': 'bar', 'position': [0.39, 0, 0]}], "
        "'attachments': [{'name': 'tie', 'body': 'in', 'group': 'left', 'to': 'one'}, "
        "{'name': 'rope', 'body': 'in', 'group': 'right', 'kind': 'distance', 'at': [0.79, 0.05, 1], 'length': 0.5, "
        "'stiffness': 50, 'damping': 0.1, 'release_force': 9}]}");
    assert_int_equal(report->attachment_count, 2);
    const ThawAttachmentNote *tie = &report->attachments[0], *rope = &report->attachments[1];
    assert_string_equal(tie->name, "tie");
    assert_string_equal(tie->body, "in");
    assert_string_equal(tie->group, "left");
    assert_string_equal(tie->to, "one");
    assert_true(tie->glue && !tie->touches && !tie->to_frame && tie->vertices == 9 && tie->stiffness > 1e5);
    assert_true(isinf(tie->release_time) && isinf(tie->release_force));
    assert_string_equal(rope->kind, "distance");
    assert_true(rope->to_frame && !rope->glue && fabs(rope->stiffness - 50) < 1e-9 && rope->length == 0.5);
    assert_true(rope->damping == 0.1 && rope->release_force == 9);
    // It stands in what it is glued to, but only where it is: nothing to complain about.
    for (int32_t i = 0; i < report->complaint_count; i++)
        assert_null(strstr(report->complaints[i].id, "overlap"));
    thaw_doctor_report_free(&report);
}

static void what_pins_let_go_is_not_held_whole(void **state) {
    (void)state;
    ThawDoctorReport *report = examine_with("'pins': ['left'], 'scripts': []",
                                            "'scripts': [{'group': 'all', 'release': 1, 'keys': [{'time': 0}]}]");
    for (int32_t i = 0; i < report->complaint_count; i++)
        assert_null(strstr(report->complaints[i].id, "held-"));
    thaw_doctor_report_free(&report);
}

static void bodies_that_only_touch_do_not_overlap(void **state) {
    (void)state;
    static const Slip slip = {"'position': [0, 0, 1]", "'position': [0, 0, 0.1]", W, "", "", ""};
    ThawDoctorReport *report = examine(&slip);
    print_all(report);
    assert_int_equal(report->complaint_count, 0);
    thaw_doctor_report_free(&report);
}

// A loose bar above (or in, or beside) an obstacle, and what is said of its start.
static void a_body_falls_only_where_nothing_catches_it(void **state) {
    (void)state;
    static const char loose[] = "'bodies': [{'name': 'loose', 'shape': 'bar', 'position': [3, 0, 1]%s}, ";
    static const struct {
        const char *more, *world; // of the loose body; of the scene
        const char *id, *says;    // NULL: nothing is said
    } cases[] = {
        {"", "", "falls", "nothing holds it: it falls freely"},
        {"", "'obstacles': [{'plane': {'normal': [0, 0, 1]}, 'position': [0, 0, -2]}], ", NULL, NULL},
        {"", "'contact': {'enabled': false}, 'obstacles': [{'plane': {'normal': [0, 0, 1]}, 'position': [0, 0, -2]}], ",
         "falls", "nothing holds it: it"},
        {"", "'obstacles': [{'name': 'b', 'box': {'size': [1, 1, 1]}, 'position': [3, 0, -5]}], ", NULL, NULL},
        {"", "'obstacles': [{'name': 'b', 'box': {'size': [1, 1, 1]}, 'position': [6, 0, -5]}], ", "falls",
         "no obstacle is on its way"},
        {", 'velocity': [2.9, 0, 0]",
         "'obstacles': [{'name': 'b', 'box': {'size': [1, 1, 1]}, 'position': [6, 0, -5]}], ", NULL, NULL},
        {"",
         "'obstacles': [{'name': 'b', 'sphere': {'radius': 1}, 'position': [3, 0, -5]}], 'pairs': [{'between': "
         "['loose', 'b'], 'enabled': false}], ",
         "falls", "no obstacle is on its way"},
        {"", "'obstacles': [{'name': 'b', 'box': {'size': [1, 1, 1]}, 'position': [3, 0, 0.55]}], ", "in-obstacle",
         "0.05 m deep"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[300], bodies[900];
        snprintf(body, sizeof body, loose, cases[i].more);
        snprintf(bodies, sizeof bodies, "%s%s", cases[i].world, body);
        Slip slip = {"'bodies': [", bodies, W, "", "", ""};
        ThawDoctorReport *report = examine(&slip);
        int32_t count = 0; // how it lands is another matter
        for (int32_t k = 0; k < report->complaint_count; k++)
            count += strcmp(report->complaints[k].id, "bounce-lost") != 0;
        if (count != (cases[i].id != NULL) ||
            (cases[i].id && !strstr(find(report, cases[i].id)->what, cases[i].says))) {
            print_all(report);
            fail_msg("case %zu", i);
        }
        thaw_doctor_report_free(&report);
    }
}

static void a_body_is_caught_by_one_that_is_held(void **state) {
    (void)state;
    static const Slip slip = {
        "'bodies': [",
        "'bodies': [{'shape': 'bar', 'position': [0, 0, 3]}, {'shape': 'bar', 'position': [0, 0, 2]}, ",
        W,
        "",
        "",
        ""};
    ThawDoctorReport *report = examine(&slip);
    assert_int_equal(report->complaint_count, 0);
    thaw_doctor_report_free(&report);
}

static void the_same_complaint_about_many_bodies_is_cut_short(void **state) {
    (void)state;
    char bodies[4000] = "'bodies': [";
    for (int i = 0; i < 30; i++) {
        size_t n = strlen(bodies);
        snprintf(bodies + n, sizeof bodies - n, "{'shape': 'bar', 'position': [%d, 5, 0]}, ", i);
    }
    Slip slip = {"'bodies': [", bodies, W, "", "", ""};
    ThawDoctorReport *report = examine(&slip);
    assert_int_equal(report->left_off, 18 + 0);
    assert_true(report->warnings >= 30);
    assert_true(report->complaint_count < 20);
    thaw_doctor_report_free(&report);
}

// --- meshes ----------------------------------------------------------------------------------------------------------

// Tetrahedra on given points.
static ThawMesh *make_mesh(int32_t points, const double (*x)[3], int32_t elements, const int32_t (*corner)[4]) {
    ThawMesh *mesh = NULL;
    assert_int_equal(thaw_mesh_create(3, points, elements, &mesh, NULL), THAW_OK);
    assert_int_equal(thaw_mesh_set_regions(mesh, 1, NULL), THAW_OK);
    mesh->region_names[0] = thaw_strdup("default");
    memcpy(mesh->x, x, (size_t)points * sizeof *x);
    memcpy(mesh->elements, corner, (size_t)elements * sizeof *corner);
    return mesh;
}

static ThawDoctorReport *examine_mesh(ThawMesh *mesh) {
    ThawDoctorReport *report = NULL;
    ThawError error = {0};
    if (thaw_doctor_mesh(mesh, "m", &report, &error))
        fail_msg("%s", error.message);
    thaw_mesh_free(&mesh);
    assert_string_equal(report->kind, "mesh");
    return report;
}

static void pieces_hinges_and_seams_are_found(void **state) {
    (void)state;
    static const double x[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {3, 0, 0},
                                  {4, 0, 0}, {3, 1, 0}, {3, 0, 1}, {3, 0, 0}, {3, 0, -1}, {3, -1, 0}};
    static const int32_t corner[][4] = {{0, 1, 2, 3}, {5, 6, 7, 8}, {9, 6, 11, 10}, {0, 2, 1, 4}};
    ThawDoctorReport *report = examine_mesh(make_mesh(12, x, 4, corner));
    const ThawComplaint *pieces = find(report, "loose-pieces"), *hinge = find(report, "hinge");
    const ThawComplaint *seam = find(report, "open-seam");
    assert_true(pieces->value == 2 && pieces->severity == THAW_SEVERITY_WARNING);
    assert_int_equal(pieces->found.ids[0], 0); // the smaller piece, of five vertices
    assert_true(hinge->value == 3);
    assert_int_equal(seam->found.count, 1);
    assert_int_equal(seam->found.ids[0], 9);
    assert_true(seam->place[0] == 3 && seam->place[1] == 0);
    thaw_doctor_report_free(&report);
}

static void a_piece_that_nothing_holds_falls_off(void **state) {
    (void)state;
    static const double x[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                  {3, 0, 0}, {4, 0, 0}, {3, 1, 0}, {3, 0, 1}};
    static const int32_t corner[][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    ThawMesh *mesh = make_mesh(8, x, 2, corner);
    ThawMaterialDef material = thaw_material_def_default();
    ThawGroupDef group = thaw_group_def_default();
    ThawShapeDef shape = thaw_shape_def_default();
    ThawScriptDef pin = thaw_script_def_default();
    ThawBodyDef body = thaw_body_def_default();
    ThawScene scene = {.world = thaw_world_def_default(), .steps = 100, .frame_every = 1, .frames = THAW_FRAMES_VTU};
    group.select = THAW_SELECT_SPHERE;
    group.radius = 1.1;
    shape.mesh = mesh;
    shape.groups = &group;
    body.scripts = &pin;
    shape.group_count = body.script_count = scene.world.material_count = scene.world.shape_count = 1;
    scene.world.body_count = 1;
    scene.world.materials = &material;
    scene.world.shapes = &shape;
    scene.world.bodies = &body;
    ThawDoctorReport *report = NULL;
    assert_int_equal(thaw_doctor_scene(&scene, &report, NULL), THAW_OK);
    const ThawComplaint *c = find(report, "piece-falls");
    assert_true(c->value == 1 && c->place[0] >= 3);
    assert_true(c->found.ids[0] >= 4);
    thaw_doctor_report_free(&report);
    thaw_mesh_free(&mesh);
}

static void contrasts_and_wild_spins_are_found(void **state) {
    (void)state;
    static const char text[] = "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.1, \"steps\": 10}, "
                               "\"shapes\": {\"s\": {\"mesh\": {\"file\": \"hub.msh\"}, \"material\": \"gelatine\", "
                               "\"regions\": {\"hub\": \"steel\"}}, \"t\": {\"mesh\": {\"file\": \"hub.msh\"}, "
                               "\"material\": \"steel\"}}, \"bodies\": [{\"shape\": \"s\"}, {\"shape\": \"t\", "
                               "\"position\": [0, 0, 3], \"spin\": [0, 20, 0]}]}";
    ThawScene *scene = NULL;
    ThawDoctorReport *report = NULL;
    assert_int_equal(thaw_scene_parse(text, strlen(text), "s", THAW_SOURCE_DIR "/tests/scene/small", &scene, NULL),
                     THAW_OK);
    assert_int_equal(thaw_doctor_scene(scene, &report, NULL), THAW_OK);
    assert_true(find(report, "contrast")->value > 1e7);
    assert_string_equal(find(report, "turns-too-far")->where, "body body-1");
    thaw_doctor_report_free(&report);
    thaw_scene_free(&scene);
}

static void the_worst_elements_are_named_first(void **state) {
    (void)state;
    // A fan of ever flatter tetrahedra on one base.
    double x[3 + 20][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int32_t corner[20][4];
    for (int i = 0; i < 20; i++) {
        x[3 + i][0] = x[3 + i][1] = 0.3;
        x[3 + i][2] = 0.5 * pow(0.4, i);
        memcpy(corner[i], (int32_t[]){0, 1, 2, 3 + i}, sizeof corner[i]);
    }
    ThawMesh *mesh = make_mesh(23, x, 20, corner);
    ThawDoctorReport *report = NULL;
    assert_int_equal(thaw_doctor_mesh(mesh, NULL, &report, NULL), THAW_OK);
    thaw_mesh_free(&mesh);
    const ThawComplaint *thin = find(report, "thin-angle"), *wide = find(report, "wide-angle");
    assert_int_equal(thin->severity, THAW_SEVERITY_WARNING);
    assert_int_equal(thin->found.ids[0], 19);
    assert_int_equal(thin->found.ids[7], 12);
    assert_int_equal(wide->found.ids[0], 19);
    assert_true(thin->found.count > 8 && thin->value < 0.01 && wide->value > 179);
    assert_true(fabs(thin->place[0] - 0.325) < 1e-9);
    assert_int_equal(find(report, "tiny-element")->found.ids[0], 19);
    assert_int_equal(find(report, "crowded-face")->severity, THAW_SEVERITY_ERROR); // 20 elements on one face
    thaw_doctor_report_free(&report);
}

// Silk hangs over by 1.2 cm: triangles of 2 cm are too coarse for its drape, those of 5 mm are not; denim bears more.
static void cloth_too_coarse_for_its_folds_is_found(void **state) {
    (void)state;
    static const struct {
        const char *fabric;
        double size;
        int coarse;
    } cases[] = {{"silk", 0.02, 1}, {"silk", 0.005, 0}, {"denim", 0.012, 0}, {"paper", 0.02, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{\"thaw\": 1, \"shapes\": {\"s\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 0.1, \"height\": "
                 "0.1}}, \"size\": %g}, \"material\": \"%s\"}}, "
                 "\"bodies\": [{\"shape\": \"s\", \"pins\": [\"x-min\"]}]}",
                 cases[i].size, cases[i].fabric);
        ThawDoctorReport *report = examine_text(text);
        int told = 0;
        for (int32_t k = 0; k < report->complaint_count; k++)
            told += strcmp(report->complaints[k].id, "coarse-cloth") == 0;
        assert_int_equal(told, cases[i].coarse);
        if (told)
            assert_non_null(strstr(find(report, "coarse-cloth")->what, "its bending length"));
        thaw_doctor_report_free(&report);
    }
}

static void a_mesh_in_the_wrong_unit_is_doubted(void **state) {
    (void)state;
    static const double lo[3] = {0}, hi[2][3] = {{70, 50, 60}, {1e-4, 1e-4, 1e-4}};
    for (int i = 0; i < 2; i++) {
        ThawMesh *mesh = NULL;
        assert_int_equal(thaw_mesh_box(3, lo, hi[i], (int32_t[]){3, 3, 3}, &mesh, NULL), THAW_OK);
        ThawDoctorReport *report = examine_mesh(mesh);
        assert_int_equal(report->complaint_count, 1);
        assert_non_null(strstr(find(report, "odd-size")->what, i ? "grain of rice" : "larger than a house"));
        thaw_doctor_report_free(&report);
    }
}

static void files_of_every_kind_are_examined(void **state) {
    (void)state;
    ThawDoctorReport *report = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_doctor_file(THAW_SOURCE_DIR "/tests/scene/small/hub.msh", &report, &error), THAW_OK);
    assert_string_equal(report->kind, "mesh");
    assert_string_equal(report->patients[0].name, "hub.msh");
    assert_true(isnan(report->patients[0].mass));
    assert_int_equal(report->errors, 0);
    thaw_doctor_report_free(&report);
    static const char *const refused[] = {"/nowhere.msh", "/nowhere.json", "/nowhere.obj", "/nowhere.xyz",
                                          "/CMakeLists.txt"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char path[500];
        snprintf(path, sizeof path, THAW_SOURCE_DIR "%s", refused[i]);
        assert_int_equal(thaw_doctor_file(path, &report, &error), THAW_OK);
        assert_int_equal(report->errors, 1);
        assert_string_equal(report->complaints[0].id, "refused");
        assert_string_equal(report->complaints[0].where, refused[i] + 1);
        thaw_doctor_report_free(&report);
    }
}

static void every_published_scene_is_free_of_errors_and_warnings(void **state) {
    (void)state;
    static const char *const names[] = {"beam", "cantilever2d", "jelly", "tumble", "twist"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[500];
        ThawDoctorReport *report = NULL;
        snprintf(path, sizeof path, THAW_SOURCE_DIR "/scenes/%s.json", names[i]);
        assert_int_equal(thaw_doctor_file(path, &report, NULL), THAW_OK);
        if (report->errors || report->warnings)
            print_all(report);
        assert_int_equal(report->errors + report->warnings, 0);
        thaw_doctor_report_free(&report);
    }
}

static void what_the_mesher_had_to_leave_out_is_told_again(void **state) {
    (void)state;
    ThawDoctorReport *report = NULL;
    int told = 0;
    assert_int_equal(thaw_doctor_file(THAW_SOURCE_DIR "/scenes/wheels.json", &report, NULL), THAW_OK);
    for (int32_t i = 0; i < report->complaint_count; i++)
        told += strcmp(report->complaints[i].id, "lost-walls") == 0 && report->complaints[i].value > 0.4;
    assert_int_equal(told, 1); // lips of its tread
    thaw_doctor_report_free(&report);
}

static void null_arguments_are_refused_or_allowed_as_documented(void **state) {
    (void)state;
    ThawDoctorReport *report = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_doctor_file(NULL, &report, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_doctor_file("x", NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_doctor_scene(NULL, &report, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_doctor_scene(NULL, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_doctor_mesh(NULL, "m", &report, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_doctor_mesh(NULL, "m", NULL, &error), THAW_ERROR_INPUT);
    assert_null(report);
    thaw_doctor_report_free(&report);
    thaw_doctor_report_free(NULL);
    assert_string_equal(thaw_severity_name(THAW_SEVERITY_HINT), "hint");
    assert_string_equal(thaw_severity_name((ThawSeverity)7), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_scene_passes_in_silence),
        cmocka_unit_test(an_adaptive_body_is_told_the_thresholds_that_it_goes_by),
        cmocka_unit_test(of_a_large_adaptive_body_what_is_given_is_told_and_doubted),
        cmocka_unit_test(limits_of_condensation_are_told),
        cmocka_unit_test(what_cannot_move_has_no_first_mode),
        cmocka_unit_test(every_slip_is_found_and_named),
        cmocka_unit_test(an_overlap_is_told_with_depth_place_and_vertices),
        cmocka_unit_test(attachments_are_listed_with_what_they_hold),
        cmocka_unit_test(what_pins_let_go_is_not_held_whole),
        cmocka_unit_test(bodies_that_only_touch_do_not_overlap),
        cmocka_unit_test(a_body_falls_only_where_nothing_catches_it),
        cmocka_unit_test(a_body_is_caught_by_one_that_is_held),
        cmocka_unit_test(the_same_complaint_about_many_bodies_is_cut_short),
        cmocka_unit_test(pieces_hinges_and_seams_are_found),
        cmocka_unit_test(a_piece_that_nothing_holds_falls_off),
        cmocka_unit_test(contrasts_and_wild_spins_are_found),
        cmocka_unit_test(the_worst_elements_are_named_first),
        cmocka_unit_test(cloth_too_coarse_for_its_folds_is_found),
        cmocka_unit_test(a_mesh_in_the_wrong_unit_is_doubted),
        cmocka_unit_test(files_of_every_kind_are_examined),
        cmocka_unit_test(every_published_scene_is_free_of_errors_and_warnings),
        cmocka_unit_test(what_the_mesher_had_to_leave_out_is_told_again),
        cmocka_unit_test(null_arguments_are_refused_or_allowed_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
