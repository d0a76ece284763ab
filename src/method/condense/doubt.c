// SPDX-License-Identifier: Apache-2.0
// Options of condensation that are allowed and of little use, for `thaw check`.
#include <stdio.h>

#include "method/condense/condense.h"

static int remark(ThawOptionRemark *remarks, int count, const char *option, const char *what, const char *cure) {
    ThawOptionRemark *r = &remarks[count];
    r->option = option;
    snprintf(r->what, sizeof r->what, "%s", what);
    snprintf(r->cure, sizeof r->cure, "%s", cure);
    return count + 1;
}

int thaw_condense_doubt(const void *given, double omega, ThawOptionRemark *remarks) {
    const ThawCondenseOptions *options = given;
    int count = 0;
    if (omega > 0) // nothing of it depends on the body
        return 0;
    const int published = options->form == THAW_CONDENSE_PUBLISHED;
    if (published && options->beta < 0.5)
        count = remark(remarks, count, "beta", "below 0.5 vibrations grow, whatever the step is", "take 0.5 or more");
    if (published && options->gamma == 0)
        count = remark(remarks, count, "gamma",
                       "vertices drift away from balance where nothing draws them back, and stay distorted",
                       "take 1/3, or 1 with \"search\"");
    if (published && options->gamma > 1 && !options->search)
        count = remark(remarks, count, "gamma", "each step goes beyond balance, and may make energy",
                       "take 1 or less, or \"search\"");
    return count;
}
