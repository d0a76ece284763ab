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

// Beyond these a body is not what the published form is for: strain by its own weight, and what a spin loses of its
// energy in a second.
static const double SOFT = 0.5, LOST = 0.1;

static int doubt_body(const ThawCondenseOptions *options, const ThawBuild *body, ThawOptionRemark *remarks) {
    const int published = options->form == THAW_CONDENSE_PUBLISHED;
    int count = 0;
    char what[240];
    if (body->iterative)
        count = remark(remarks, count, "regions",
                       "conjugate gradients solve for this body several times as fast as a factor does, which is what "
                       "condensation goes by",
                       "take the method \"full\", unless its high modes are a nuisance");
    if (published && body->sag > SOFT) {
        snprintf(what, sizeof what,
                 "its own weight strains it by %.2g: single nodes turn elements of so soft a body inside out",
                 body->sag);
        count = remark(remarks, count, "form", what, "take the form \"regions\", or the method \"full\"");
    }
    const double lost = options->beta * body->h * body->spin * body->spin;
    if (published && lost > LOST) {
        snprintf(what, sizeof what,
                 "it goes by the world's axes, and a spin of %.3g rad/s loses %.2g of itself in a second", body->spin,
                 lost < 1 ? lost : 1);
        count = remark(remarks, count, "form", what,
                       "take the form \"regions\" with an integrator in moving frames, which keeps it");
    }
    return count;
}

int thaw_condense_doubt(const void *given, const ThawBuild *body, ThawOptionRemark *remarks) {
    const ThawCondenseOptions *options = given;
    int count = 0;
    if (body)
        return doubt_body(options, body, remarks);
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
