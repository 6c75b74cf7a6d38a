/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay.c -- the inputs of a corpus through a target, with any compiler: replay FILE|DIRECTORY...
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat info;

    if (file == NULL || fstat(fileno(file), &info) != 0)
        return 0;
    uint8_t *data = malloc((size_t)info.st_size + 1); /* no more: a sanitizer sees who reads on */
    const size_t size = data != NULL ? fread(data, 1, (size_t)info.st_size, file) : 0;
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one is the one that crashed */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    int n = 0;

    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        char path[4096];

        if (folder == NULL) {
            n += replay(argv[i]);
            continue;
        }
        for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            if (entry->d_name[0] != '.')
                n += replay(path);
        }
        closedir(folder);
    }
    printf("%d inputs\n", n);
    return n > 0 ? 0 : 1;
}
