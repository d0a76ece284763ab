// SPDX-License-Identifier: Apache-2.0
// The obstacle course for shells as meshes are refined, and its picture, shells.png where the test runs, which is that
// of docs/shells-results.md.
#include "physics/plates.h"
#include "plot.h"

enum { LEVELS = 5, FAMILIES = 3, SHELLS = 3, PANEL_WIDTH = 330, PANEL_HEIGHT = 300, LEGEND = 34 };

// within: of the finest mesh, percent.
static const struct Course {
    const char *name, *title;
    PlateShell *shell;
    double within;
} COURSE[SHELLS] = {{"roof", "Scordelis-Lo roof", plate_roof, 1},
                    {"cylinder", "Pinched cylinder", plate_cylinder, 2.5},
                    {"hemisphere", "Hemisphere with a hole", plate_hemisphere, 1}};
static const unsigned char COLOUR[FAMILIES][3] = {{30, 84, 130}, {232, 147, 92}, {178, 60, 40}};

static void draw(const double error[SHELLS][FAMILIES][LEVELS]) {
    static const unsigned char white[3] = {255, 255, 255};
    double n[LEVELS];
    Picture picture;
    ThawError message = {0};
    assert_true(picture_create(SHELLS * PANEL_WIDTH, PANEL_HEIGHT + LEGEND, &picture));
    picture_fill(&picture, 0, 0, picture.width, picture.height, white);
    for (int level = 0; level < LEVELS; level++)
        n[level] = 4 << level;
    for (int k = 0; k < SHELLS; k++) {
        const Plot plot = {.title = COURSE[k].title,
                           .axes = "error in percent over cells along an edge",
                           .x = k * PANEL_WIDTH,
                           .width = PANEL_WIDTH,
                           .height = PANEL_HEIGHT,
                           .from = {1, 0.01},
                           .to = {100, 100}};
        plot_frame(&picture, &plot);
        for (int family = 0; family < FAMILIES; family++)
            plot_line(&picture, &plot, n, error[k][family], LEVELS, COLOUR[family]);
    }
    for (int family = 0; family < FAMILIES; family++)
        plot_key(&picture, PANEL_WIDTH / 4 + family * PANEL_WIDTH / 2, PANEL_HEIGHT + LEGEND / 3,
                 plate_family((SheetFamily)family), COLOUR[family]);
    if (picture_write(&picture, "shells.png", &message) != THAW_OK)
        fail_msg("%s", message.message);
    picture_clear(&picture);
}

static void the_obstacle_course(void **state) {
    (void)state;
    double error[SHELLS][FAMILIES][LEVELS];
    for (int k = 0; k < SHELLS; k++)
        for (int family = 0; family < FAMILIES; family++)
            for (int level = 0; level < LEVELS; level++) {
                const double off = COURSE[k].shell(4 << level, (SheetFamily)family) - 1;
                error[k][family][level] = 100 * fabs(off);
                print_message("%-10s %2d cells, %-9s: off by %+6.2f percent\n", COURSE[k].name, 4 << level,
                              plate_family((SheetFamily)family), 100 * off);
                if (level == LEVELS - 1)
                    assert_true(fabs(100 * off) < COURSE[k].within);
            }
    draw(error);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_obstacle_course)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
