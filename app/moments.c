// SPDX-License-Identifier: Apache-2.0
// A sheet of a few pictures shall show what happened, and an impact lies between any two of evenly spaced moments.
//
// From each frame to the next four things change, each by a root mean square: places, velocities, stresses, and the
// share of elements that became rigid or elastic. Each is divided by its sum over the run, and so is time, so that all
// five count the same. Their sum, added up along the run, is a clock that goes fast where much happens; pictures are
// taken at even strokes of it. Then each is moved to the most strained frame near it, if that is more strained than its
// neighbours, for the moment of largest compression is the one to see. Cost: every frame is read once, MOST of them
// where there are more.
//
// Pictures of a field of categories or ids (state, part, reason) show that field, and a long rigid fall during which
// nothing of it changes is as much to see as what comes before and after. There the frames that are left out shall look
// like those that are shown: two differ by the square of the share of elements in which the field does, and of all
// choices the one is taken for which the sum over all frames of the difference to the more alike of the two shown
// around it is least. Cost: n^3 / 6 for n frames, by a table of all pairs.
#include "moments.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

enum { MOST = 600, SLOTS = 2048 };
enum { TIME, PLACE, SPEED, STRESS, STATE, KINDS };

typedef struct Film {
    int count;                  // frames that are looked at
    int64_t frame[MOST];        // their indices
    double change[MOST][KINDS]; // since the one before; 0 for the first
    double clock[MOST];         // from 0 to 1 in what happened
    double strain[MOST];        // sum of stresses
    double time[MOST];          // s
    float *field;               // SLOTS a frame: the field at elements spread evenly; NULL: none of categories is shown
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

static void keep_field(const ThawFrameData *f, int32_t field, float *slots) {
    const double *values = f->fields[field];
    const size_t count = values ? thaw_frame_field_size(f, field) : 0;
    for (size_t i = 0; count && i < SLOTS; i++)
        slots[i] = (float)values[i * count / SLOTS];
}

static ThawStatus watch(const ThawReplay *replay, int32_t field, Film *film, ThawError *error) {
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
        film->time[i] = now->time;
        if (film->field)
            keep_field(now, field, film->field + (size_t)i * SLOTS);
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

// How much the field differs between two frames, 0 to 1.
static double unlike(const Film *film, int i, int j) {
    const float *a = film->field + (size_t)i * SLOTS, *b = film->field + (size_t)j * SLOTS;
    int differ = 0;
    for (int k = 0; k < SLOTS; k++)
        differ += a[k] != b[k];
    return (double)differ * differ / ((double)SLOTS * SLOTS);
}

static int field_changes(const Film *film) {
    for (int i = 1; film->field && i < film->count; i++)
        if (memcmp(film->field, film->field + (size_t)i * SLOTS, sizeof(float) * SLOTS) != 0)
            return 1;
    return 0;
}

// What is lost between two frames that are shown next to each other.
static double gap(const double *apart, int n, int a, int b) {
    double sum = 0;
    for (int i = a + 1; i < b; i++)
        sum += fmin(apart[a * n + i], apart[b * n + i]);
    return sum;
}

// The cheapest way of count - 1 gaps from the first frame to the last; of equal ones that with the earliest frames.
static ThawStatus choose_by_field(const Film *film, int count, int *at, ThawError *error) {
    const int n = film->count;
    const double whole = film->time[n - 1] - film->time[0];
    double *apart = THAW_NEW(double, n *n), *loss = THAW_NEW(double, n *n), *best = THAW_NEW(double, count *n);
    int *from = THAW_NEW(int, count *n);
    ThawStatus status = apart && loss && best && from ? THAW_OK : thaw_error_memory(error, "the moments of a run");
    for (int i = 0; status == THAW_OK && i < n * n; i++) { // where the field rests, what is near in time is alike
        const int a = i / n, b = i % n;
        const double since = whole > 0 ? fabs(film->time[a] - film->time[b]) / whole : 0;
        apart[i] = a <= b ? unlike(film, a, b) + 0.02 * since : apart[b * n + a];
    }
    for (int i = 0; status == THAW_OK && i < n * n; i++)
        loss[i] = gap(apart, n, i / n, i % n);
    for (int i = 0; status == THAW_OK && i < count * n; i++) {
        const int k = i / n, b = i % n;
        best[i] = k || b ? INFINITY : 0;
        for (int a = k - 1; k && a < b; a++)
            if (best[(k - 1) * n + a] + loss[a * n + b] < best[i]) {
                best[i] = best[(k - 1) * n + a] + loss[a * n + b];
                from[i] = a;
            }
    }
    for (int k = count - 1, b = n - 1; status == THAW_OK && k >= 0; b = from[k-- * n + b])
        at[k] = b;
    thaw_free(apart);
    thaw_free(loss);
    thaw_free(best);
    thaw_free(from);
    return status;
}

ThawStatus moments_choose(const ThawReplay *replay, int32_t field, int count, int64_t *frames, ThawError *error) {
    int at[MOMENTS_MOST];
    Film *film = THAW_NEW(Film, 1);
    if (!film)
        return thaw_error_memory(error, "the moments of a run");
    ThawStatus status = THAW_OK;
    if (count > 1 && field >= 0 && thaw_field(field)->category_count != 0) {
        film->field = THAW_NEW(float, (size_t)MOST *SLOTS);
        status = film->field ? THAW_OK : thaw_error_memory(error, "the moments of a run");
    }
    if (status == THAW_OK)
        status = watch(replay, field, film, error);
    if (status == THAW_OK && field_changes(film))
        status = choose_by_field(film, count, at, error);
    else if (status == THAW_OK) {
        wind(film);
        choose(film, count, at);
    }
    for (int i = 0; status == THAW_OK && i < count; i++)
        frames[i] = film->frame[at[i]];
    thaw_free(film->field);
    thaw_free(film);
    return status;
}
