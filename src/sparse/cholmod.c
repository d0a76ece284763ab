// SPDX-License-Identifier: Apache-2.0
// Direct solves by CHOLMOD's supernodal LL' (Chen, Davis, Hager and Rajamanickam 2008), where the build has it.
//
// The plan orders the vertices (order.c), analyses once, and lays the lower triangle of the permuted matrix out in
// columns with a map from each of its numbers to the block matrix's. A solver copies the symbolic factor; factoring is
// then one gathering pass and CHOLMOD's numeric phase, with neither analysis nor transposition. To CHOLMOD the permuted
// matrix is in natural order: the symbolic factor's own permutation, ordering and postordering together, is taken out
// of it and applied here to right-hand sides.
//
// Every plan and solver has a cholmod_common of its own, so bodies factor at the same time. The bits are those of the
// BLAS it runs on. OpenBLAS built without threads keeps its buffers in common and unguarded: two threads that call it
// at the same time spoil each other's numbers (measured: displacements off by centimetres). It is recognised and
// entered by one thread at a time, through the one lock the whole process needs; other BLAS are safe to share.
//
// CHOLMOD would start OpenMP threads for copying loops, which fight with ours (measured: twice the CPU time). Newer
// versions can be told not to. Older ones fix the number at compile time; they are called with OpenMP's active levels
// limited to none, a setting of the calling thread, looked up at run time because a CHOLMOD without OpenMP does not
// bring it.
#include "sparse/sparse_impl.h"

#ifdef THAW_WITH_CHOLMOD
#include <dlfcn.h>
#include <pthread.h>
#include <suitesparse/cholmod.h>

struct ThawCholmodPlan {
    cholmod_common common;
    cholmod_factor *symbolic; // its permutation is the identity
    int32_t size;             // scalar unknowns
    int32_t *order;           // unknown order[k] is the permuted system's k-th
    int32_t *column;          // size + 1 offsets: columns of the permuted lower triangle
    int32_t *row;             // row of each of its numbers, unordered in a column
    int32_t *from;            // where the number is in the block matrix's values
};

struct ThawCholmod {
    const ThawCholmodPlan *plan;
    cholmod_common common;
    cholmod_factor *factor;
    double *value;                                // the permuted lower triangle
    cholmod_dense *right, *answer, *work, *spare; // kept between solves
    int (*get_levels)(void);                      // omp_get_max_active_levels, NULL without OpenMP
    void (*set_levels)(int);                      // omp_set_max_active_levels, NULL without OpenMP
    int alone;                                    // the BLAS bears one caller at a time
};

static pthread_mutex_t blas_lock = PTHREAD_MUTEX_INITIALIZER;

int thaw_cholmod_present(void) { return 1; }

static void start_common(cholmod_common *common) {
    cholmod_start(common);
    common->print = 0;
    common->supernodal = CHOLMOD_SUPERNODAL;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_GIVEN;
    common->postorder = 1;
    common->quick_return_if_not_posdef = 1;
#if CHOLMOD_MAIN_VERSION >= 4
    common->nthreads_max = 1;
#endif
}

static ThawStatus explain_failure(const cholmod_common *common, int32_t size, ThawError *error) {
    if (common->status == CHOLMOD_TOO_LARGE)
        return thaw_error_set(error, THAW_ERROR_MEMORY,
                              "solver: the factor of %d unknowns is too large for CHOLMOD's 32-bit indices; use pcg",
                              size);
    if (common->status == CHOLMOD_OUT_OF_MEMORY)
        return thaw_error_memory(error, "CHOLMOD");
    return thaw_error_set(error, THAW_ERROR_UNSUPPORTED, "CHOLMOD failed on %d unknowns (status %d)", size,
                          common->status);
}

// --- plan ------------------------------------------------------------------------------------------------------------

// Columns of the upper triangle, which are the rows the pattern stores, as CHOLMOD takes them for its analysis.
static ThawStatus analyse(const ThawBlockPattern *pattern, ThawCholmodPlan *plan, ThawError *error) {
    int32_t n = pattern->n, bs = pattern->bs, size = plan->size, filled = 0;
    size_t entries = (size_t)plan->column[size];
    int32_t *order = THAW_NEW(int32_t, n), *column = THAW_NEW(int32_t, size + 1), *row = THAW_NEW(int32_t, entries);
    ThawStatus status = THAW_OK;
    if (!order || !column || !row)
        status = thaw_error_memory(error, "the analysis of a matrix");
    else
        status = thaw_order_dissect(pattern, order, error);
    if (status == THAW_OK) {
        for (int32_t i = 0; i < n; i++)
            for (int32_t r = 0; r < bs; r++) {
                for (int32_t e = pattern->row[i]; e < pattern->row[i + 1]; e++)
                    for (int32_t c = 0; c < bs && bs * pattern->col[e] + c <= bs * i + r; c++)
                        row[filled++] = bs * pattern->col[e] + c;
                column[bs * i + r + 1] = filled;
            }
        for (int32_t k = 0; k < n; k++)
            for (int32_t r = 0; r < bs; r++)
                plan->order[bs * k + r] = bs * order[k] + r;
        cholmod_sparse upper = {.nrow = (size_t)size,
                                .ncol = (size_t)size,
                                .nzmax = entries,
                                .p = column,
                                .i = row,
                                .stype = 1,
                                .itype = CHOLMOD_INT,
                                .xtype = CHOLMOD_PATTERN,
                                .dtype = CHOLMOD_DOUBLE,
                                .sorted = 1,
                                .packed = 1};
        plan->symbolic = cholmod_analyze_p(&upper, plan->order, NULL, 0, &plan->common);
        if (!plan->symbolic || plan->common.status < 0)
            status = explain_failure(&plan->common, size, error);
    }
    if (status == THAW_OK) {
        int32_t *permutation = plan->symbolic->Perm;
        memcpy(plan->order, permutation, (size_t)size * sizeof *permutation);
        for (int32_t k = 0; k < size; k++)
            permutation[k] = k;
        plan->symbolic->ordering = CHOLMOD_NATURAL;
    }
    thaw_free(order);
    thaw_free(column);
    thaw_free(row);
    return status;
}

// Visits the lower triangle's numbers: with `next` NULL it counts them by column of the permuted matrix into
// column[k + 1], else it lays them out.
static void lay_out(const ThawBlockPattern *pattern, const int32_t *place, ThawCholmodPlan *plan, int32_t *next) {
    int32_t bs = pattern->bs;
    for (int32_t i = 0; i < pattern->n; i++)
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1]; e++)
            for (int32_t r = 0; r < bs; r++)
                for (int32_t c = 0; c < bs && bs * pattern->col[e] + c <= bs * i + r; c++) {
                    int32_t a = place[bs * i + r], b = place[bs * pattern->col[e] + c];
                    int32_t low = a < b ? a : b, high = a < b ? b : a;
                    if (!next) {
                        plan->column[low + 1]++;
                    } else {
                        int32_t at = next[low]++;
                        plan->row[at] = high;
                        plan->from[at] = bs * bs * e + bs * r + c;
                    }
                }
}

static ThawStatus build_plan(const ThawBlockPattern *pattern, ThawCholmodPlan *plan, ThawError *error) {
    int32_t n = pattern->n, bs = pattern->bs, size = plan->size;
    size_t entries = (size_t)(pattern->row[n] - n) * (size_t)(bs * bs) + (size_t)n * (size_t)(bs * (bs + 1) / 2);
    int32_t *place = THAW_NEW(int32_t, size);
    plan->order = THAW_NEW(int32_t, size);
    plan->column = THAW_NEW(int32_t, size + 1);
    plan->row = THAW_NEW(int32_t, entries);
    plan->from = THAW_NEW(int32_t, entries);
    ThawStatus status = THAW_OK;
    if (!place || !plan->order || !plan->column || !plan->row || !plan->from) {
        status = thaw_error_memory(error, "the layout of a permuted matrix");
    } else {
        plan->column[size] = (int32_t)entries;
        status = analyse(pattern, plan, error);
    }
    if (status == THAW_OK) {
        for (int32_t k = 0; k < size; k++)
            place[plan->order[k]] = k;
        plan->column[size] = 0;
        lay_out(pattern, place, plan, NULL);
        for (int32_t k = 0; k < size; k++) {
            plan->column[k + 1] += plan->column[k];
            place[plan->order[k]] = k;
        }
        int32_t *next = thaw_alloc((size_t)size, sizeof *next);
        if (next) {
            memcpy(next, plan->column, (size_t)size * sizeof *next);
            lay_out(pattern, place, plan, next);
        } else {
            status = thaw_error_memory(error, "the layout of a permuted matrix");
        }
        thaw_free(next);
    }
    thaw_free(place);
    return status;
}

ThawStatus thaw_cholmod_plan_create(const ThawBlockPattern *pattern, ThawCholmodPlan **result, ThawError *error) {
    *result = NULL;
    ThawCholmodPlan *plan = THAW_NEW(ThawCholmodPlan, 1);
    if (!plan)
        return thaw_error_memory(error, "a CHOLMOD plan");
    start_common(&plan->common);
    plan->size = pattern->n * pattern->bs;
    ThawStatus status = build_plan(pattern, plan, error);
    if (status < 0)
        thaw_cholmod_plan_free(&plan);
    *result = plan;
    return status;
}

void thaw_cholmod_plan_free(ThawCholmodPlan **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawCholmodPlan *plan = *pointer;
    cholmod_free_factor(&plan->symbolic, &plan->common);
    cholmod_finish(&plan->common);
    thaw_free(plan->order);
    thaw_free(plan->column);
    thaw_free(plan->row);
    thaw_free(plan->from);
    thaw_free(plan);
    *pointer = NULL;
}

// --- solver ----------------------------------------------------------------------------------------------------------

static void ask_libraries(ThawCholmod *cholmod) {
    void *get = dlsym(RTLD_DEFAULT, "omp_get_max_active_levels");
    void *set = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
    void *parallel = dlsym(RTLD_DEFAULT, "openblas_get_parallel");
    if (get && set) {
        memcpy(&cholmod->get_levels, &get, sizeof get);
        memcpy(&cholmod->set_levels, &set, sizeof set);
    }
    if (parallel) {
        int (*get_parallel)(void); // 0: built without threads
        memcpy(&get_parallel, &parallel, sizeof parallel);
        cholmod->alone = get_parallel() == 0;
    }
}

// Before numeric work: no active OpenMP levels for the calling thread, and the BLAS for it alone if need be. Returns
// the levels there were, for leave.
static int enter(const ThawCholmod *cholmod) {
    if (cholmod->alone)
        pthread_mutex_lock(&blas_lock);
    int levels = cholmod->get_levels ? cholmod->get_levels() : 0;
    if (cholmod->set_levels)
        cholmod->set_levels(0);
    return levels;
}

static void leave(const ThawCholmod *cholmod, int levels) {
    if (cholmod->set_levels)
        cholmod->set_levels(levels);
    if (cholmod->alone)
        pthread_mutex_unlock(&blas_lock);
}

ThawStatus thaw_cholmod_create(const ThawCholmodPlan *plan, ThawCholmod **result, ThawError *error) {
    *result = NULL;
    ThawCholmod *cholmod = THAW_NEW(ThawCholmod, 1);
    if (!cholmod)
        return thaw_error_memory(error, "a CHOLMOD solver");
    start_common(&cholmod->common);
    ask_libraries(cholmod);
    cholmod->plan = plan;
    cholmod->value = THAW_NEW(double, plan->column[plan->size]);
    cholmod->factor = cholmod_copy_factor(plan->symbolic, &cholmod->common);
    cholmod->right = cholmod_zeros((size_t)plan->size, 1, CHOLMOD_REAL, &cholmod->common);
    if (!cholmod->value || !cholmod->factor || !cholmod->right) {
        thaw_cholmod_free(&cholmod);
        return thaw_error_memory(error, "a CHOLMOD solver");
    }
    *result = cholmod;
    return THAW_OK;
}

void thaw_cholmod_free(ThawCholmod **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawCholmod *cholmod = *pointer;
    cholmod_free_factor(&cholmod->factor, &cholmod->common);
    cholmod_free_dense(&cholmod->right, &cholmod->common);
    cholmod_free_dense(&cholmod->answer, &cholmod->common);
    cholmod_free_dense(&cholmod->work, &cholmod->common);
    cholmod_free_dense(&cholmod->spare, &cholmod->common);
    cholmod_finish(&cholmod->common);
    thaw_free(cholmod->value);
    thaw_free(cholmod);
    *pointer = NULL;
}

size_t thaw_cholmod_bytes(const ThawCholmod *cholmod) {
    return cholmod->common.memory_inuse + (size_t)cholmod->plan->column[cholmod->plan->size] * sizeof(double);
}

ThawStatus thaw_cholmod_factor(ThawCholmod *cholmod, const ThawBlockMatrix *matrix) {
    const ThawCholmodPlan *plan = cholmod->plan;
    int32_t entries = plan->column[plan->size];
    for (int32_t k = 0; k < entries; k++)
        cholmod->value[k] = matrix->value[plan->from[k]];
    cholmod_sparse lower = {.nrow = (size_t)plan->size,
                            .ncol = (size_t)plan->size,
                            .nzmax = (size_t)entries,
                            .p = plan->column,
                            .i = plan->row,
                            .x = cholmod->value,
                            .stype = -1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .packed = 1};
    cholmod->common.status = CHOLMOD_OK;
    int levels = enter(cholmod);
    int good = cholmod_factorize(&lower, cholmod->factor, &cholmod->common);
    leave(cholmod, levels);
    if (cholmod->common.status == CHOLMOD_NOT_POSDEF)
        return THAW_INDEFINITE;
    if (!good || cholmod->common.status < 0)
        return THAW_ERROR_MEMORY;
    return cholmod->factor->minor < cholmod->factor->n ? THAW_INDEFINITE : THAW_OK;
}

ThawStatus thaw_cholmod_solve(ThawCholmod *cholmod, const double *b, double *x) {
    const ThawCholmodPlan *plan = cholmod->plan;
    double *right = cholmod->right->x;
    for (int32_t k = 0; k < plan->size; k++)
        right[k] = b[plan->order[k]];
    int levels = enter(cholmod);
    int good = cholmod_solve2(CHOLMOD_A, cholmod->factor, cholmod->right, NULL, &cholmod->answer, NULL, &cholmod->work,
                              &cholmod->spare, &cholmod->common);
    leave(cholmod, levels);
    if (!good)
        return THAW_ERROR_MEMORY;
    const double *answer = cholmod->answer->x;
    for (int32_t k = 0; k < plan->size; k++)
        x[plan->order[k]] = answer[k];
    return THAW_OK;
}

#else

int thaw_cholmod_present(void) { return 0; }

ThawStatus thaw_cholmod_plan_create(const ThawBlockPattern *pattern, ThawCholmodPlan **plan, ThawError *error) {
    (void)pattern;
    *plan = NULL;
    return thaw_error_set(error, THAW_ERROR_UNSUPPORTED,
                          "solver is \"cholmod\", but this build was configured with THAW_WITH_CHOLMOD off; allowed: "
                          "\"auto\", \"pcg\", \"ldl\"");
}

void thaw_cholmod_plan_free(ThawCholmodPlan **plan) { (void)plan; }

// No plan, so no solver ever gets here.
ThawStatus thaw_cholmod_create(const ThawCholmodPlan *plan, ThawCholmod **cholmod, ThawError *error) {
    (void)plan;
    *cholmod = NULL;
    return thaw_error_set(error, THAW_ERROR_UNSUPPORTED, "this build was configured with THAW_WITH_CHOLMOD off");
}

void thaw_cholmod_free(ThawCholmod **cholmod) { (void)cholmod; }

size_t thaw_cholmod_bytes(const ThawCholmod *cholmod) {
    (void)cholmod;
    return 0;
}

ThawStatus thaw_cholmod_factor(ThawCholmod *cholmod, const ThawBlockMatrix *matrix) {
    (void)cholmod;
    (void)matrix;
    return THAW_ERROR_UNSUPPORTED;
}

ThawStatus thaw_cholmod_solve(ThawCholmod *cholmod, const double *b, double *x) {
    (void)cholmod;
    (void)b;
    (void)x;
    return THAW_ERROR_UNSUPPORTED;
}
#endif
