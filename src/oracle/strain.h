// SPDX-License-Identifier: Apache-2.0
// Green strain E = (F'F - I) / 2 of elements and how fast it changes (solids paper, section 3.4). Strains are packed by
// element: thaw_strain_size doubles each, in 3D xx yy zz yz xz xy, in 2D xx yy xy.
#ifndef THAW_STRAIN_H
#define THAW_STRAIN_H

#include "model/model.h"

static inline int thaw_strain_size(int dim) { return dim == 2 ? 3 : 6; }

// E of every element at x.
void thaw_strain_all(const ThawShape *shape, ThawTasks *tasks, const double *x, double *strain);
// rate[element] = |(E(x) - strain) / h|_F^2 (equation 17), 1/s^2, then strain = E(x); every element. Zero where the motion
// was rigid, however far.
void thaw_strain_rates(const ThawShape *shape, ThawTasks *tasks, const double *x, double h, double *strain,
                       double *rate);
// Both for the elements of a set only (those that are elastic, say); what belongs to others is left alone. rate NULL: only
// the strain is wanted.
void thaw_strain_listed(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, double h, double *strain,
                        double *rate);
// predicted[element] = |sym(F(x)' B d)|_F for the elements of a set: what a small displacement d adds to the strain.
void thaw_strain_predict(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, const double *d,
                         double *predicted);

#endif
