/* fem/boundary.h -- what a case says about one boundary group. */
#ifndef SAB_FEM_BOUNDARY_H
#define SAB_FEM_BOUNDARY_H

#include "base/function.h"
#include "mesh/cell.h"

#include <stdbool.h>

typedef struct sab_boundary {
    char *group; /* name, or number as text; owned by whoever owns the array */
    int line;    /* of the case file, for messages; 0 if unknown */
    bool has_velocity;
    bool prescribed[SAB_DIM]; /* per component; false = free */
    sab_function velocity[SAB_DIM];
    bool slip; /* u.n = 0, tangential traction given (zero by default) */
    bool has_traction;
    sab_function traction[SAB_DIM]; /* total traction of the outside on the grains */
    bool has_pressure;
    sab_function pressure; /* traction -p n */
    int nover;
    const char **over; /* [nover] groups that have no say at the nodes they share with this one */
} sab_boundary;

#endif
