/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/hdf5_file.h"

#include <stddef.h>

#ifdef SAB_HDF5
#include "base/memory.h"

#include <hdf5.h>
#include <string.h>

struct sab_hdf5 {
    hid_t id;
    double most; /* bytes that its datasets can hold: deflate makes 1032 of one at best */
};

sab_status sab_hdf5_open(const char *path, sab_hdf5 **file, sab_error *err)
{
    sab_hdf5 *f = NULL;
    hsize_t size = 0;
    sab_status status = SAB_OK;

    *file = NULL;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* it would print */
    SAB_NEW(f, 1);
    f->id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (f->id < 0)
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "the HDF5 library cannot read it: it is damaged, or not whole");
    H5Fget_filesize(f->id, &size);
    f->most = 1032.0 * (double)size;
    *file = f;
    f = NULL;
cleanup:
    SAB_FREE(f);
    return status;
}

void sab_hdf5_close(sab_hdf5 **file)
{
    if (*file == NULL)
        return;
    H5Fclose((*file)->id);
    SAB_FREE(*file);
}

bool sab_hdf5_has(const sab_hdf5 *file, const char *name)
{
    char part[200];

    for (size_t n = 1; strlen(name) < sizeof part; n++) /* every group on the way */
        if (name[n] == '/' || name[n] == '\0') {
            memcpy(part, name, n);
            part[n] = '\0';
            if (H5Lexists(file->id, part, H5P_DEFAULT) <= 0)
                return false;
            if (name[n] == '\0')
                return true;
        }
    return false;
}

/* Numbers of a dataset, -1 if it is none or they are of another kind. */
static hssize_t count_of(hid_t set, H5T_class_t kind)
{
    const hid_t space = set >= 0 ? H5Dget_space(set) : H5I_INVALID_HID,
                type = set >= 0 ? H5Dget_type(set) : H5I_INVALID_HID;
    hssize_t count = -1;

    if (space >= 0 && type >= 0 && H5Tget_class(type) == kind)
        count = H5Sget_simple_extent_npoints(space);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    return count;
}

/* The numbers of a dataset as `memory` has them, 8 bytes each. */
static sab_status get(const sab_hdf5 *file, const char *name, H5T_class_t kind, hid_t memory,
                      int64_t *n, void **value, sab_error *err)
{
    hid_t set = H5I_INVALID_HID;
    sab_status status = SAB_OK;

    *value = NULL;
    *n = 0;
    if (!sab_hdf5_has(file, name))
        SAB_FAIL(err, SAB_ERR_INPUT, "there is no '%s'", name);
    set = H5Dopen2(file->id, name, H5P_DEFAULT);
    const hssize_t count = count_of(set, kind);
    if (count < 0)
        SAB_FAIL(err, SAB_ERR_INPUT, "'%s' is no array of %s", name,
                 kind == H5T_FLOAT ? "real numbers" : "whole numbers");
    if (8.0 * (double)count > file->most)
        SAB_FAIL(err, SAB_ERR_INPUT, "'%s' has %lld numbers, more than the file can hold", name,
                 (long long)count);
    *value = sab_alloc((size_t)count + 1, 8);
    if (*value == NULL)
        SAB_FAIL(err, SAB_ERR_MEMORY, "out of memory for the %lld numbers of '%s'",
                 (long long)count, name);
    if (count > 0 && H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, *value) < 0)
        SAB_FAIL(err, SAB_ERR_INPUT, "'%s' cannot be read: the file is damaged", name);
    *n = count;
cleanup:
    if (status != SAB_OK)
        SAB_FREE(*value);
    if (set >= 0)
        H5Dclose(set);
    return status;
}

sab_status sab_hdf5_reals(const sab_hdf5 *file, const char *name, int64_t *n, double **value,
                          sab_error *err)
{
    void *got;
    const sab_status status = get(file, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, n, &got, err);

    *value = got;
    return status;
}

sab_status sab_hdf5_wholes(const sab_hdf5 *file, const char *name, int64_t *n, int64_t **value,
                           sab_error *err)
{
    void *got;
    const sab_status status = get(file, name, H5T_INTEGER, H5T_NATIVE_INT64, n, &got, err);

    *value = got;
    return status;
}

#else /* without HDF5 nothing can be opened */

sab_status sab_hdf5_open(const char *path, sab_hdf5 **file, sab_error *err)
{
    (void)path;
    *file = NULL;
    return sab_fail(err, SAB_ERR_INPUT,
                    "it is an HDF5 file, and this program was built without HDF5; install "
                    "libhdf5-dev and build again");
}

void sab_hdf5_close(sab_hdf5 **file)
{
    *file = NULL;
}

bool sab_hdf5_has(const sab_hdf5 *file, const char *name)
{
    (void)file;
    (void)name;
    return false;
}

sab_status sab_hdf5_reals(const sab_hdf5 *file, const char *name, int64_t *n, double **value,
                          sab_error *err)
{
    (void)file;
    *n = 0;
    *value = NULL;
    return sab_fail(err, SAB_ERR_INTERNAL, "'%s' without HDF5", name);
}

sab_status sab_hdf5_wholes(const sab_hdf5 *file, const char *name, int64_t *n, int64_t **value,
                           sab_error *err)
{
    (void)file;
    *n = 0;
    *value = NULL;
    return sab_fail(err, SAB_ERR_INTERNAL, "'%s' without HDF5", name);
}
#endif
