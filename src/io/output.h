/* io/output.h -- the files of a result: fields for ParaView, profiles, tables. */
#ifndef SAB_IO_OUTPUT_H
#define SAB_IO_OUTPUT_H

#include "fem/fields.h"

#include <stddef.h>

/* fields_NNNN.vtu: quadratic triangles with their own six points each, because stresses jump
 * between elements. Point data velocity, stress, shear_stress, shear_rate, yield_ratio, with mu(I)
 * friction and inertial_number and, unless NULL, pressure_recovered from `pressure` [nnodes] and
 * stress_recovered from `stress` [nnodes][s] (fem/recovery.h); cell data pressure (element mean)
 * and yielded. */
sab_status sab_output_fields(const char *path, const sab_fields *fields, const double *pressure,
                             const double *stress, double time, bool float32, sab_error *err);
/* gauss_NNNN.vtu: the raw values at the law points (one vertex each): lambda as a tensor, the
 * strain rate, and the pressure. */
sab_status sab_output_gauss(const char *path, const sab_fields *fields, double time, bool float32,
                            sab_error *err);
/* CSV with header s,x,y then names of the field's components; unless `deviation` is NULL, the same
 * again with _deviation. */
sab_status sab_output_profile(const char *path, const char *field, int samples, int dim,
                              const double *x, int components, const double *value,
                              const double *deviation, sab_error *err);
/* CSV of the stress on a wall: s,x,y,normal,shear and, if components is 4 and not 2,
 * normal_recovered,shear_recovered; stress is [rows][components], and so is `deviation` or NULL. */
sab_status sab_output_wall(const char *path, int rows, const double *s, const double *x,
                           int components, const double *stress, const double *deviation,
                           sab_error *err);
/* Name of component c of a field with that many components: velocity_x, stress_XX, pressure. */
void sab_output_component(const char *field, int components, int c, char *name, size_t size);

#endif
