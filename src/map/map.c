// SPDX-License-Identifier: Apache-2.0
#include "map/map.h"

void thaw_map_free(ThawMap **map) {
    if (!map || !*map)
        return;
    (*map)->ops->free(*map);
    *map = NULL;
}
