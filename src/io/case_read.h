/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/case_read.h -- what the files case*.c share; nobody else includes it.
 *
 * A case is read in five steps, each over the whole tree: overrides are put in, the shape is
 * checked (sections, unknown keys), defaults are filled in, keys are sorted, values are read. So a
 * misspelt key is reported as such and not as a missing one, a default is read by the code that
 * reads everything else, and nothing depends on the order of keys. */
#ifndef SAB_IO_CASE_READ_H
#define SAB_IO_CASE_READ_H

#include "fem/geometry.h"
#include "io/case.h"
#include "io/formula.h"
#include "io/schema.h"
#include "io/yaml_tree.h"

struct sab_case_store {
    sab_yaml *root; /* the resolved case */
    sab_formula **formula;
    int nformulas, capacity;
};

/* The beginning of a message: "case.yaml:12:9: material.friction" or "--set material.friction". */
typedef struct sab_place {
    char text[1000];
} sab_place;
sab_place sab_place_of_value(const char *file, const sab_yaml *node, const char *path);
sab_place sab_place_of_key(const char *file, const sab_yaml *node, const char *path);

/* A dotted path that grows from level to level; one too long is cut, which only a message shows. */
typedef struct sab_key_path {
    char text[400];
} sab_key_path;
sab_key_path sab_key_path_join(const char *path, const char *key);

/* What is wrong with a case, all of it: reading goes on after a mistake, without what was wrong,
 * and nothing that may only follow from it is reported. */
typedef struct sab_faults {
    const char *file; /* borrowed, for messages */
    int n, shown;
    char message[sizeof(((sab_error *)0)->message) - 100]; /* a line each, while there is room */
} sab_faults;
/* SAB_ERR_INPUT of a call becomes one of the faults, and SAB_OK; `err` has its sentence. */
sab_status sab_fault(sab_faults *faults, sab_status status, const sab_error *err);
/* SAB_ERR_INPUT with all of them, if there are any. */
sab_status sab_faults_end(const sab_faults *faults, sab_error *err);

/* case_tree.c -- steps one to four, and the way back to text. */
sab_status sab_tree_override(sab_yaml *root, const char *assignment, sab_error *err);
sab_status sab_tree_check(sab_faults *faults, sab_yaml *root, sab_error *err);
sab_status sab_tree_complete(sab_faults *faults, sab_yaml *root, sab_error *err);
/* Put the keys in the order of the table and the names of the user in that of the alphabet, probes
 * apart, whose order is that of the columns. Sums and files then have one order, whatever that of
 * the file was. */
void sab_tree_sort(sab_yaml *root);
/* After step four: numbers and texts as every reader of YAML takes them. */
sab_status sab_tree_normalise(sab_yaml *root, sab_error *err);
/* Does it have time steps? */
bool sab_tree_is_inertial(const sab_yaml *root);
sab_status sab_tree_write(const sab_yaml *root, sab_text *text, sab_error *err);
/* The node at a dotted path, or the last one on the way to it. */
const sab_yaml *sab_tree_locate(const sab_yaml *root, const char *path);
/* The node whose path begins `text`, up to a colon or, if the path has a dot, a blank
 * ("boundaries.lid: no such group", "material.friction = -1 at"), and the length of this path; NULL
 * if it begins otherwise. */
const sab_yaml *sab_tree_match(const sab_yaml *root, const char *text, size_t *length);

/* case_value.c -- step five. */
typedef struct sab_value_reader {
    const char *file;
    const sab_geometry *geometry;
    struct sab_case_store *store; /* receives the formulas */
    sab_faults *faults;
} sab_value_reader;
/* Read every key of the mapping `node`, whose row is `parent` (NULL: the top), into the members of
 * `base`; sections are entered, names of the user are not. */
sab_status sab_value_read_map(const sab_value_reader *reader, const sab_key *parent,
                              const sab_yaml *node, const char *path, void *base, sab_error *err);
/* inf, .inf and other ways to write it, either sign. */
bool sab_value_is_infinity(const char *text);
/* Read one value into its member of `base`. */
sab_status sab_value_read(const sab_value_reader *reader, const sab_key *row, const sab_yaml *node,
                          const char *path, void *base, sab_error *err);

/* case_files.c -- path, directory and name of the case at `path`; the file that a key gives
 * relative to the case, which in the resolved case is absolute, because that one lives elsewhere.
 */
sab_status sab_case_find(const char *path, sab_case *c, sab_error *err);
sab_status sab_case_find_file(sab_case *c, const char *key, char **path, sab_error *err);

/* case_default.c -- between steps two and three: defaults that depend on other keys. */
sab_status sab_case_put_defaults(sab_yaml *root, sab_error *err);

/* case_units.c -- between steps two and three, after these: values with units become dimensionless,
 * units.viscosity becomes material.reynolds. */
sab_status sab_case_convert(sab_faults *faults, sab_yaml *root, sab_error *err);
/* The value of a key of `units`, in SI. */
sab_status sab_value_read_quantity(const char *file, const sab_key *row, const sab_yaml *node,
                                   const char *path, double *value, sab_error *err);

/* case_names.c -- in step five: the entries of sections whose names are the user's. */
sab_status sab_case_read_parameters(const sab_value_reader *reader, const sab_yaml *map,
                                    sab_case *c, sab_error *err);
sab_status sab_case_read_boundaries(const sab_value_reader *reader, const sab_yaml *map,
                                    sab_case *c, sab_error *err);
sab_status sab_case_read_probes(const sab_value_reader *reader, const sab_yaml *map, sab_case *c,
                                sab_error *err);

/* case_check.c -- after step five: conditions between keys. */
sab_status sab_case_check(const sab_case *c, sab_faults *faults, sab_error *err);

/* case_grains.c -- the entries of `walls`; conditions between keys of grains; and what is owned. */
sab_status sab_case_read_walls(const sab_value_reader *reader, const sab_yaml *map, sab_case *c,
                               sab_error *err);
sab_status sab_case_check_grains(const sab_case *c, sab_error *err);
void sab_case_free_grains(sab_case *c);

#endif
