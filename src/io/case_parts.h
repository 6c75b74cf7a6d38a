/* io/case_parts.h -- what the files case*.c share; nobody else includes it.
 *
 * A case is read in five steps, each over the whole tree: overrides are put in, the shape is
 * checked (sections, unknown keys), defaults are filled in, keys are sorted, values are read. So a
 * misspelt key is reported as such and not as a missing one, a default is read by the code that
 * reads everything else, and nothing depends on the order of keys. */
#ifndef SAB_IO_CASE_PARTS_H
#define SAB_IO_CASE_PARTS_H

#include "fem/geometry.h"
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
typedef struct sab_path {
    char text[400];
} sab_path;
sab_path sab_path_join(const char *path, const char *key);

/* case_tree.c -- steps one to four, and the way back to text. `file` is for messages. */
sab_status sab_tree_override(sab_yaml *root, const char *assignment, sab_error *err);
sab_status sab_tree_check(const char *file, sab_yaml *root, sab_error *err);
sab_status sab_tree_complete(const char *file, sab_yaml *root, sab_error *err);
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

#endif
