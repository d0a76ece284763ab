// SPDX-License-Identifier: Apache-2.0
// Collecting complaints. A thousand bodies with the same fault would bury everything else, so of each kind only the
// first TOLD are kept and the others counted. Linear in what is kept, squared in the number of kinds.
#include "doctor/doctor.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD = 12 };
static const double LEAST_TOLD = 1e-3; // of a share: below that it is as good as none

const char *thaw_severity_name(ThawSeverity severity) {
    static const char *const names[] = {"error", "warning", "hint"};
    return (unsigned)severity <= THAW_SEVERITY_HINT ? names[severity] : "unknown";
}

ThawStatus thaw_exam_begin(ThawExam *exam, const char *kind, ThawError *error) {
    *exam = (ThawExam){.error = error, .report = THAW_NEW(ThawDoctorReport, 1)};
    if (!exam->report)
        return exam->status = thaw_error_memory(error, "the doctor's report");
    exam->report->kind = kind;
    return THAW_OK;
}

void thaw_exam_fail(ThawExam *exam, ThawStatus status, const ThawError *why) {
    if (exam->status)
        return;
    exam->status = thaw_error_set(exam->error, status, "%s", why->message);
}

void thaw_exam_memory(ThawExam *exam, const char *what) {
    if (!exam->status)
        exam->status = thaw_error_memory(exam->error, what);
}

static void count(ThawDoctorReport *report, ThawSeverity severity) {
    report->errors += severity == THAW_SEVERITY_ERROR;
    report->warnings += severity == THAW_SEVERITY_WARNING;
    report->hints += severity == THAW_SEVERITY_HINT;
}

static ThawComplaint *next_complaint(ThawExam *exam, ThawSeverity severity, const char *id) {
    if (exam->status)
        return &exam->spare;
    ThawDoctorReport *report = exam->report;
    int32_t told = 0;
    for (int32_t i = 0; i < report->complaint_count; i++)
        told += strcmp(report->complaints[i].id, id) == 0;
    if (told >= TOLD) {
        count(report, severity);
        report->left_off++;
        return &exam->spare;
    }
    if (report->complaint_count == exam->room) {
        size_t room = 2 * (size_t)exam->room + 16;
        void *more = thaw_regrow(report->complaints, (size_t)exam->room, room, sizeof *report->complaints);
        if (!more) {
            thaw_exam_memory(exam, "the doctor's report");
            return &exam->spare;
        }
        report->complaints = more;
        exam->room = (int32_t)room;
    }
    count(report, severity);
    return &report->complaints[report->complaint_count++];
}

ThawComplaint *thaw_exam_add(ThawExam *exam, ThawSeverity severity, const char *id, const char *where, ...) {
    ThawComplaint *complaint = next_complaint(exam, severity, id);
    *complaint = (ThawComplaint){.severity = severity, .id = id, .value = NAN, .unit = "", .ids_of = ""};
    va_list arguments;
    va_start(arguments, where);
    vsnprintf(complaint->where, sizeof complaint->where, where, arguments);
    va_end(arguments);
    return complaint;
}

void thaw_complaint_what(ThawComplaint *complaint, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint->what, sizeof complaint->what, format, arguments);
    va_end(arguments);
}

void thaw_complaint_cure(ThawComplaint *complaint, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint->cure, sizeof complaint->cure, format, arguments);
    va_end(arguments);
}

const char *thaw_percent_text(char text[24], double share) {
    if (share < LEAST_TOLD)
        snprintf(text, 24, "less than %g %%", 100 * LEAST_TOLD);
    else
        snprintf(text, 24, "%.2g %%", 100 * share);
    return text;
}

void thaw_complaint_value(ThawComplaint *complaint, double value, const char *unit) {
    complaint->value = value;
    complaint->unit = unit;
}

void thaw_complaint_place(ThawComplaint *complaint, int dim, const double *x) {
    complaint->has_place = 1;
    for (int k = 0; k < 3; k++)
        complaint->place[k] = k < dim ? x[k] + 0.0 : 0; // -0 becomes 0
}

ThawPatient *thaw_exam_patients(ThawExam *exam, int32_t patients) {
    if (exam->status)
        return NULL;
    exam->report->patients = THAW_NEW(ThawPatient, patients);
    if (!exam->report->patients)
        thaw_exam_memory(exam, "the doctor's report");
    else
        exam->report->patient_count = patients;
    return exam->report->patients;
}

// By severity, keeping the order in which they were found: complaints are few.
static ThawStatus sort_complaints(ThawExam *exam) {
    ThawDoctorReport *report = exam->report;
    ThawComplaint *sorted = THAW_NEW(ThawComplaint, report->complaint_count);
    if (!sorted) {
        thaw_exam_memory(exam, "the doctor's report");
        return exam->status;
    }
    int32_t n = 0;
    for (int severity = THAW_SEVERITY_ERROR; severity <= THAW_SEVERITY_HINT; severity++)
        for (int32_t i = 0; i < report->complaint_count; i++)
            if ((int)report->complaints[i].severity == severity)
                sorted[n++] = report->complaints[i];
    thaw_free(report->complaints);
    report->complaints = sorted;
    return THAW_OK;
}

ThawStatus thaw_exam_end(ThawExam *exam, ThawDoctorReport **report) {
    if (!exam->status)
        sort_complaints(exam);
    if (exam->status)
        thaw_doctor_report_free(&exam->report);
    *report = exam->report;
    return exam->status;
}

void thaw_doctor_report_free(ThawDoctorReport **report) {
    if (!report || !*report)
        return;
    thaw_free((*report)->complaints);
    thaw_free((*report)->patients);
    thaw_free((*report)->attachments);
    thaw_free(*report);
    *report = NULL;
}
