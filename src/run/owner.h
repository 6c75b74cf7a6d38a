/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/owner.h -- the fence of a directory: one process writes in it, and the others know.
 *
 * The owner is the process that the file NAME.N tells of, with the largest N there is. Such a file
 * is made by link(), which is atomic on every file system that has it, network ones included, where
 * flock() may do nothing. It tells host, boot, process, its start, and the job of a batch system.
 * NAME.(N+1) takes the directory over, from an owner that is certainly dead (another boot of this
 * host, no such process, or one that started at another time) or from an earlier start of the same
 * job, which may still be alive on a node that the batch system has lost. The older files are
 * removed before the new owner writes anything, so that a file that is there and unchanged is all
 * that an owner need ask for before each write.
 *
 * A process can be held up between asking and writing. Therefore it also has an empty directory of
 * its own, .NAME-ID~, and goes through it: DIR/.NAME-ID~/../history.csv is DIR/history.csv as long
 * as that directory is there, and nothing at all once the new owner has removed it. */
#ifndef SAB_RUN_OWNER_H
#define SAB_RUN_OWNER_H

#include "base/error.h"

#define SAB_RUN_OWNER "owner" /* the name of the fence of a run and of a study */

typedef struct sab_owner sab_owner; /* opaque: defined in owner.c */

/* What the present owner of a directory is to this process. */
typedef enum sab_owner_state {
    SAB_OWNER_NONE,    /* there is none */
    SAB_OWNER_DEAD,    /* certainly */
    SAB_OWNER_EARLIER, /* an earlier start of the job that this process belongs to */
    SAB_OWNER_OTHER    /* alive, or on another host: not to be touched */
} sab_owner_state;

enum { SAB_OWNER_TEXT = 200 };
typedef struct sab_owner_who {
    char host[SAB_OWNER_TEXT], machine[SAB_OWNER_TEXT], boot[SAB_OWNER_TEXT];
    char space[SAB_OWNER_TEXT]; /* of process numbers: containers of one host have their own */
    char job[SAB_OWNER_TEXT];   /* "cluster:17_3"; "" outside of a batch system */
    char since[SAB_OWNER_TEXT];
    long pid, restart;
    unsigned long long start; /* of the process, in ticks since the boot */
    char file[SAB_OWNER_TEXT];
} sab_owner_who;

/* Who owns the directory, and may this process take it? `who` may be NULL. */
sab_owner_state sab_owner_look(const char *directory, const char *name, sab_owner_who *who);
/* SAB_ERR_USAGE with a sentence if it may not; after waiting that many seconds for the other to
 * end. Nothing is written. */
sab_status sab_owner_ask(const char *directory, const char *name, double seconds, sab_error *err);
/* Own the directory, which must be there. SAB_ERR_USAGE as above. The caller owns *owner. */
sab_status sab_owner_take(const char *directory, const char *name, sab_owner **owner,
                          sab_error *err);
/* Ask before every write: SAB_ERR_IO with a sentence if the directory has been taken over. NULL is
 * fine: nothing to own. */
sab_status sab_owner_check(const sab_owner *owner, sab_error *err);
/* The directory, by the way that is cut when it is taken over: to be written to. */
const char *sab_owner_inside(const sab_owner *owner);
/* Take that way out of a message, which is for people. */
void sab_owner_plain(const sab_owner *owner, sab_error *err);
/* Give the directory back, and set *owner to NULL; nothing to do if it is NULL or has been taken
 * over. */
void sab_owner_release(sab_owner **owner);
/* Remove the owner, because a batch system says that its job has ended. If it is alive all the same
 * it stops at its next write. */
void sab_owner_drop(const char *directory, const char *name);

#endif
