/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/output.h -- the files of a result: fields for ParaView, profiles, tables. */
#ifndef SAB_IO_OUTPUT_H
#define SAB_IO_OUTPUT_H

#include "fem/carriers.h"
#include "fem/fields.h"
#include "fem/wall.h"
#include "io/units.h"

#include <stddef.h>

/* fields_NNNN.vtu: quadratic triangles or tetrahedra with points of their own, because stresses
 * jump between elements. Tensors have the components of geometry->component. Point data velocity,
 * stress, shear_stress, shear_rate, yield_ratio, with mu(I) friction and inertial_number and,
 * unless NULL, pressure_recovered from `pressure` [nnodes] and stress_recovered from `stress`
 * [nnodes][s] (fem/recovery.h); cell data pressure (element mean), yielded and, where a surface
 * moves, fill. */
sab_status sab_output_fields(const char *path, const sab_fields *fields, const double *pressure,
                             const double *stress, double time, bool float32, sab_error *err);
/* gauss_NNNN.vtu: the raw values at the law points (one vertex each): lambda as a tensor, the
 * strain rate, the pressure, and the weights of the points, whose sum is the volume of the body. */
sab_status sab_output_gauss(const char *path, const sab_fields *fields, double time, bool float32,
                            sab_error *err);
/* grains_NNNN.vtu: the carriers of a moving surface, one vertex each, with velocity and mass. */
sab_status sab_output_grains(const char *path, const sab_carriers *carriers, double time,
                             bool float32, sab_error *err);
/* Name of a component of a field, or of a field without any: velocity_x, stress_XX, pressure. */
void sab_output_component(const char *field, const char *component, char *name, size_t size);
/* CSV with header s,x,y (or r,z, or x,y,z; s, the length along the points, if they are on a line)
 * then names of the field's components; of a case
 * with units, behind all others, those that have one again in SI, as "velocity_x [m/s]"; unless
 * `deviation` is NULL, the same again with _deviation. component [columns] may be NULL. */
sab_status sab_output_profile(const char *path, const sab_geometry *geometry, bool line,
                              const char *field, const char *const *component, int rows,
                              const double *x, int columns, const double *value,
                              const double *deviation, const sab_units *units, sab_error *err);
/* CSV of the stress on a wall: s,x,y,normal,shear, or on a surface
 * x,y,z,area,normal,shear_x,shear_y, shear_z and, if there are twice the columns of the wall, the
 * same again with _recovered; stress is [rows][columns], and so is `deviation` or NULL. */
sab_status sab_output_wall(const char *path, const sab_geometry *geometry,
                           const sab_wall_trace *wall, int columns, const double *stress,
                           const double *deviation, const sab_units *units, sab_error *err);
/* CSV of rows along a line: s,x,y, then the columns of these names, each with its deviation unless
 * that is NULL. */
sab_status sab_output_rows(const char *path, const sab_geometry *geometry, int rows,
                           const double *s, const double *x, int columns, const char *const *name,
                           const double *value, const double *deviation, const sab_units *units,
                           sab_error *err);
/* The same of a surface as VTU: its quadratic triangles with normal, shear, those _recovered and
 * their _deviation, linear between vertices; area, the integral of the hat of a vertex, and
 * measured, 1 at the vertices of the table and 0 elsewhere: there the stress is interpolated, on
 * the rim and in corners the mean of the neighbours. */
sab_status sab_output_wall_surface(const char *path, const sab_wall_trace *wall, int columns,
                                   const double *stress, const double *deviation, double time,
                                   bool float32, sab_error *err);

#endif
