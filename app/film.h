// SPDX-License-Identifier: Apache-2.0
// Pictures in a row, as a film, made by ffmpeg.
#ifndef THAW_APP_FILM_H
#define THAW_APP_FILM_H

#include "picture.h"

typedef struct Film Film;

// Whether the name's ending is that of a film.
int film_is_name(const char *path);

// Starts ffmpeg, which writes under a temporary name. Without ffmpeg: THAW_ERROR_UNSUPPORTED, and says what to install.
ThawStatus film_open(const char *path, int width, int height, double rate, Film **film, ThawError *error);
ThawStatus film_add(Film *film, const Picture *picture, ThawError *error);
// Ends the film and gives it its name, unless something failed before (abandon); frees *film in any case.
ThawStatus film_close(Film **film, int abandon, ThawError *error);

#endif
