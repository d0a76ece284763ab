// SPDX-License-Identifier: Apache-2.0
// Files that are complete or not there.
//
// A run may be killed, or its disk fill up, at any byte. Whatever is written here goes to PATH.tmp first, is flushed
// and closed (a full disk may show as late as that), and takes its place by rename, which is atomic: a reader sees the
// old file or the new one, never half of one. PATH.tmp left behind by a killed run is overwritten by the next. Against
// a power cut only thaw_file_sync and thaw_path_sync help; they wait for the disk, so they are called where it matters,
// not always.
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

int thaw_ends_with(const char *path, const char *ending) {
    const size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

struct ThawFile {
    FILE *stream;
    char *path, *temporary;
    locale_t locale; // "C": numbers have a point, whatever the caller's language
    int failed;      // errno of the first failure, 0 so far
};

static void file_free(ThawFile **file) {
    if ((*file)->locale)
        freelocale((*file)->locale);
    thaw_free((*file)->path);
    thaw_free((*file)->temporary);
    thaw_free(*file);
    *file = NULL;
}

ThawStatus thaw_file_create(const char *path, ThawFile **file, ThawError *error) {
    *file = NULL;
    ThawFile *f = THAW_NEW(ThawFile, 1);
    if (!f)
        return thaw_error_memory(error, "a file");
    size_t size = strlen(path) + sizeof ".tmp";
    f->path = thaw_strdup(path);
    f->temporary = THAW_NEW(char, size);
    f->locale = newlocale(LC_ALL_MASK, "C", NULL);
    if (!f->path || !f->temporary || !f->locale) {
        file_free(&f);
        return thaw_error_memory(error, "a file name");
    }
    snprintf(f->temporary, size, "%s.tmp", path);
    int fd = open(f->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666); // nor for a pipe's reader
    f->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!f->stream) {
        const int reason = errno;
        ThawStatus status = thaw_error_set(error, reason == ENOMEM ? THAW_ERROR_MEMORY : THAW_ERROR_IO,
                                           "cannot write %s: %s", f->temporary, strerror(reason));
        if (fd >= 0) {
            close(fd);
            unlink(f->temporary);
        }
        file_free(&f);
        return status;
    }
    *file = f;
    return THAW_OK;
}

void thaw_file_write(ThawFile *file, const void *bytes, size_t size) {
    if (!file->failed && size && fwrite(bytes, 1, size, file->stream) != size)
        file->failed = errno ? errno : EIO;
}

void thaw_file_patch(ThawFile *file, int64_t at, const void *bytes, size_t size) {
    if (!file->failed && fseeko(file->stream, (off_t)at, SEEK_SET))
        file->failed = errno ? errno : EIO;
    thaw_file_write(file, bytes, size);
    if (!file->failed && fseeko(file->stream, 0, SEEK_END))
        file->failed = errno ? errno : EIO;
}

void thaw_file_print(ThawFile *file, const char *format, ...) {
    if (file->failed)
        return;
    va_list arguments;
    va_start(arguments, format);
    locale_t caller = uselocale(file->locale);
    if (vfprintf(file->stream, format, arguments) < 0)
        file->failed = errno ? errno : EIO;
    uselocale(caller);
    va_end(arguments);
}

// A file system without fsync (EINVAL) is no reason to lose the file.
static int sync_failed(int descriptor) {
    return fsync(descriptor) && errno != EINVAL && errno != ENOTSUP && errno != EROFS ? errno : 0;
}

int thaw_file_sync(ThawFile *file) {
    if (!file->failed && fflush(file->stream))
        file->failed = errno ? errno : EIO;
    if (!file->failed)
        file->failed = sync_failed(fileno(file->stream));
    return file->failed;
}

ThawStatus thaw_path_sync(const char *path, ThawError *error) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    int failed = descriptor < 0 ? errno : sync_failed(descriptor);
    if (descriptor >= 0)
        close(descriptor);
    return failed ? thaw_error_set(error, THAW_ERROR_IO, "cannot write %s: %s", path, strerror(failed)) : THAW_OK;
}

ThawStatus thaw_file_commit(ThawFile **file, ThawError *error) {
    ThawFile *f = *file;
    int failed = f->failed;
    if (!failed && fflush(f->stream))
        failed = errno;
    if (fclose(f->stream) && !failed)
        failed = errno;
    if (!failed && rename(f->temporary, f->path))
        failed = errno;
    ThawStatus status = THAW_OK;
    if (failed) {
        unlink(f->temporary);
        status = thaw_error_set(error, THAW_ERROR_IO, "cannot write %s: %s", f->path, strerror(failed));
    }
    file_free(file);
    return status;
}

void thaw_file_discard(ThawFile **file) {
    if (!file || !*file)
        return;
    fclose((*file)->stream);
    unlink((*file)->temporary);
    file_free(file);
}

ThawStatus thaw_folder_create(const char *path, ThawError *error) {
    if (!*path)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the name of a folder is empty");
    char *part = thaw_strdup(path);
    if (!part)
        return thaw_error_memory(error, "a folder name");
    ThawStatus status = THAW_OK;
    for (char *end = part + 1; status == THAW_OK; end++) {
        if (*end && *end != '/')
            continue;
        char kept = *end;
        *end = 0;
        struct stat info;
        if (mkdir(part, 0777) && errno != EEXIST)
            status = thaw_error_set(error, THAW_ERROR_IO, "cannot make the folder %s: %s", part, strerror(errno));
        else if (stat(part, &info) || !S_ISDIR(info.st_mode))
            status = thaw_error_set(error, THAW_ERROR_IO, "cannot make the folder %s: a file has that name", part);
        *end = kept;
        if (!kept)
            break;
    }
    thaw_free(part);
    return status;
}

ThawStatus thaw_file_read(const char *path, char **bytes, size_t *size, ThawError *error) {
    *bytes = NULL;
    *size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // of a pipe it would wait for its other end
    struct stat info;
    if (fd < 0 || fstat(fd, &info)) {
        ThawStatus status = thaw_error_set(error, THAW_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return status;
    }
    if (!S_ISREG(info.st_mode)) {
        close(fd);
        return thaw_error_set(error, THAW_ERROR_IO, "cannot read %s: not a plain file", path);
    }
    size_t want = (size_t)info.st_size, have = 0;
    char *data = THAW_NEW(char, want + 1);
    ThawStatus status = data ? THAW_OK : thaw_error_memory(error, "the content of a file");
    while (status == THAW_OK && have < want) {
        ssize_t got = read(fd, data + have, want - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = thaw_error_set(error, THAW_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    close(fd);
    if (status != THAW_OK) {
        thaw_free(data);
        return status;
    }
    data[have] = 0;
    *bytes = data;
    *size = have;
    return THAW_OK;
}
