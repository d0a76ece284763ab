// SPDX-License-Identifier: Apache-2.0
// A sheet of a few pictures shall show what happened, and an impact lies between any two of evenly spaced moments.
//
// From each frame to the next four things change, each by a root mean square: places, velocities, stresses, and the share of
// elements that became rigid or elastic. Each is divided by its sum over the run, and so is time, so that all five count the
// same. Their sum, added up along the run, is a clock that goes fast where much happens; pictures are taken at even
// strokes of it. Then each is moved to the most strained frame near it, if that is more strained than its neighbours, for
// the moment of largest compression is the one to see. Cost: every frame is read once, MOST of them where there are more.
#include "moments.h"

#include <math.h>

#include "base/base.h"

enum { MOST = 600 };
enum { TIME, PLACE, SPEED, STRESS, STATE, KINDS };

typedef struct Film {
    int count;                  // frames that are looked at
    int64_t frame[MOST];        // their indices
    double change[MOST][KINDS]; // since the one before; 0 for the first
    double clock[MOST];         // from 0 to 1 in what happened
    double strain[MOST];        // sum of stresses
} Film;

int64_t moments_evenly(int64_t all, int64_t i, int64_t count) {
    return count > 1 ? i * (all - 1) / (count - 1) : all - 1;
}

static double distance(size_t count, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; a && b && i < count; i++)
        sum += isfinite(a[i] - b[i]) ? (a[i] - b[i]) * (a[i] - b[i]) : 0;
    return count ? sqrt(sum / (double)count) : 0;
}

static void compare(const ThawFrameData *before, const ThawFrameData *now, double change[KINDS]) {
    const int32_t stress = thaw_field_find("von_mises"), state = thaw_field_find("state");
    change[TIME] = fmax(0, now->time - before->time);
    if (before->point_count != now->point_count || before->cell_count != now->cell_count)
        return; // another world: nothing to compare
    const size_t points = 3 * (size_t)now->point_count, cells = (size_t)now->cell_count;
    change[PLACE] = distance(points, before->x, now->x);
    change[SPEED] = distance(points, before->v, now->v);
    change[STRESS] = distance(cells, before->fields[stress], now->fields[stress]);
    change[STATE] = distance(cells, before->fields[state], now->fields[state]);
}

static double all_stress(const ThawFrameData *f) {
    const double *stress = f->fields[thaw_field_find("von_mises")];
    double sum = 0;
    for (int64_t e = 0; stress && e < f->cell_count; e++)
        sum += isfinite(stress[e]) ? stress[e] : 0;
    return sum;
}

static ThawStatus watch(const ThawReplay *replay, Film *film, ThawError *error) {
    ThawFrameData *before = NULL, *now = NULL;
    ThawStatus status = THAW_OK;
    const int64_t all = thaw_replay_count(replay);
    film->count = all < MOST ? (int)all : MOST;
    for (int i = 0; i < film->count && status == THAW_OK; i++) {
        film->frame[i] = moments_evenly(all, i, film->count);
        status = thaw_replay_read(replay, film->frame[i], &now, error);
        if (status != THAW_OK)
            break;
        if (before)
            compare(before, now, film->change[i]);
        film->strain[i] = all_stress(now);
        thaw_frame_data_free(&before);
        before = now;
        now = NULL;
    }
    thaw_frame_data_free(&before);
    return status;
}

static void wind(Film *film) {
    double sum[KINDS] = {0}, clock = 0, end = 0;
    for (int i = 0; i < film->count; i++)
        for (int k = 0; k < KINDS; k++)
            sum[k] += film->change[i][k];
    for (int k = 0; k < KINDS; k++)
        end += sum[k] > 0;
    for (int i = 0; i < film->count; i++) {
        for (int k = 0; k < KINDS; k++)
            clock += sum[k] > 0 ? film->change[i][k] / sum[k] / end : 0;
        film->clock[i] = clock;
    }
}

// The frame of largest strain between the two, both excluded; `at` where none there exceeds it.
static int most_strained(const Film *film, int low, int at, int high) {
    for (int i = low + 1; i < high; i++)
        if (film->strain[i] > film->strain[at])
            at = i;
    return at;
}

static void choose(const Film *film, int count, int *at) {
    for (int i = 0; i < count; i++) {
        const int least = i ? at[i - 1] + 1 : 0,
                  most = film->count - (count - i); // each once, and room for those to come
        int k = count > 1 ? least : film->count - 1;
        while (k < most && film->clock[k] < (double)i / (count - 1) - 1e-12)
            k++;
        at[i] = i + 1 < count ? k : film->count - 1;
    }
    for (int i = 1; i + 1 < count; i++) // within half the way to the neighbours
        at[i] = most_strained(film, (at[i - 1] + at[i]) / 2, at[i], (at[i] + at[i + 1] + 1) / 2);
}

ThawStatus moments_choose(const ThawReplay *replay, int count, int64_t *frames, ThawError *error) {
    int at[MOMENTS_MOST];
    Film *film = THAW_NEW(Film, 1);
    ThawStatus status = film ? watch(replay, film, error) : thaw_error_memory(error, "the moments of a run");
    if (status == THAW_OK) {
        wind(film);
        choose(film, count, at);
        for (int i = 0; i < count; i++)
            frames[i] = film->frame[at[i]];
    }
    thaw_free(film);
    return status;
}
