/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* gethostname, link */
#include "run/owner.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILE_TEXT = 2000, SEEN = 32, ATTEMPTS = 200 };

/* A write that has passed its check when the directory is taken over still comes through: the new
 * owner waits for it, unless the old one is dead. */
static const double GRACE = 2.0; /* seconds */

struct sab_owner {
    char *directory, *name;
    char path[SAB_PATH];   /* of our file */
    char text[FILE_TEXT];  /* its content */
    char way[SAB_PATH];    /* our own directory */
    char inside[SAB_PATH]; /* way/.. */
    sab_owner_who me;
};

static void pause_for(double seconds)
{
    const struct timespec time = {(time_t)seconds,
                                  (long)(1e9 * (seconds - (double)(time_t)seconds))};

    nanosleep(&time, NULL);
}

/* ---- who we are ----------------------------------------------------------------------------- */

static int open_again(const char *path, int flags)
{
    int file;

    do
        file = open(path, flags | O_CLOEXEC, 0666);
    while (file < 0 && errno == EINTR);
    return file;
}

/* A small file, whole; "" if it cannot be read. A pipe does not hold us up. */
static bool read_text(const char *path, char *text, size_t size)
{
    const int file = open_again(path, O_RDONLY | O_NONBLOCK);
    size_t n = 0;
    ssize_t got = file >= 0 ? 1 : -1;

    while (n + 1 < size && (got > 0 || (file >= 0 && got < 0 && errno == EINTR))) {
        got = read(file, text + n, size - 1 - n);
        n += got > 0 ? (size_t)got : 0;
    }
    text[got >= 0 ? n : 0] = '\0';
    if (file >= 0)
        close(file);
    return got >= 0;
}

static void read_word(const char *path, char word[SAB_OWNER_TEXT])
{
    read_text(path, word, SAB_OWNER_TEXT);
    word[strcspn(word, " \n")] = '\0';
}

/* State and start of a process, from /proc/PID/stat; false if it does not tell. The name, the
 * second field, may hold anything, and ends with the last parenthesis. */
static bool process_start(long pid, char *state, unsigned long long *start)
{
    char path[64], text[FILE_TEXT];
    const char *rest;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (!read_text(path, text, sizeof text) || (rest = strrchr(text, ')')) == NULL)
        return false;
    return sscanf(rest + 1,
                  " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                  "%*s %*s %llu",
                  state, start) == 2;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL ? value : "";
}

/* The job of a batch system, and which start of it this is. */
static void find_job(sab_owner_who *who)
{
    const char *cluster = variable("SLURM_CLUSTER_NAME");

    if (variable("SLURM_ARRAY_JOB_ID")[0] != '\0')
        snprintf(who->job, sizeof who->job, "%.60s:%.40s_%.40s", cluster,
                 variable("SLURM_ARRAY_JOB_ID"), variable("SLURM_ARRAY_TASK_ID"));
    else if (variable("SLURM_JOB_ID")[0] != '\0')
        snprintf(who->job, sizeof who->job, "%.60s:%.40s", cluster, variable("SLURM_JOB_ID"));
    else if (variable("PBS_JOBID")[0] != '\0')
        snprintf(who->job, sizeof who->job, "pbs:%.100s", variable("PBS_JOBID"));
    else if (variable("LSB_JOBID")[0] != '\0')
        snprintf(who->job, sizeof who->job, "lsf:%.40s_%.40s", variable("LSB_JOBID"),
                 variable("LSB_JOBINDEX"));
    for (char *c = who->job; *c != '\0'; c++) /* one word */
        if (*c <= ' ')
            *c = '_';
    who->restart = strtol(variable("SLURM_RESTART_COUNT"), NULL, 10);
}

static sab_owner_who myself(void)
{
    sab_owner_who me = {.pid = (long)getpid()};
    const time_t now = time(NULL);
    struct tm parts;
    char state;

    if (gethostname(me.host, sizeof me.host - 1) != 0 || me.host[0] == '\0')
        snprintf(me.host, sizeof me.host, "unknown");
    read_word("/etc/machine-id", me.machine);
    read_word("/proc/sys/kernel/random/boot_id", me.boot);
    const ssize_t n = readlink("/proc/self/ns/pid", me.space, sizeof me.space - 1);
    me.space[n > 0 ? n : 0] = '\0';
    process_start(me.pid, &state, &me.start);
    if (gmtime_r(&now, &parts) != NULL)
        strftime(me.since, sizeof me.since, "%Y-%m-%dT%H:%M:%SZ", &parts);
    find_job(&me);
    return me;
}

/* ---- the file ------------------------------------------------------------------------------- */

static void write_who(const sab_owner_who *w, const char *stamp, char text[FILE_TEXT])
{
    snprintf(text, FILE_TEXT,
             "host %s\nmachine %s\nboot %s\nspace %s\npid %ld\nstart %llu\njob %s\nrestart %ld\n"
             "since %s\nstamp %s\n",
             w->host, w->machine, w->boot, w->space, w->pid, w->start, w->job, w->restart, w->since,
             stamp);
}

/* The value of a line "key value"; "" if it is not there. */
static void get_line(const char *text, const char *key, char value[SAB_OWNER_TEXT])
{
    const size_t n = strlen(key);

    value[0] = '\0';
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) == 0 && line[n] == ' ')
            snprintf(value, SAB_OWNER_TEXT, "%.*s", (int)strcspn(line + n + 1, "\n"), line + n + 1);
    }
}

static void read_who(const char *text, sab_owner_who *w)
{
    char number[SAB_OWNER_TEXT];

    *w = (sab_owner_who){0};
    get_line(text, "host", w->host);
    get_line(text, "machine", w->machine);
    get_line(text, "boot", w->boot);
    get_line(text, "space", w->space);
    get_line(text, "job", w->job);
    get_line(text, "since", w->since);
    get_line(text, "pid", number);
    w->pid = strtol(number, NULL, 10);
    get_line(text, "restart", number);
    w->restart = strtol(number, NULL, 10);
    get_line(text, "start", number);
    w->start = strtoull(number, NULL, 10);
}

/* On one host of one boot: is there no such process any more? */
static bool has_died(const sab_owner_who *w)
{
    unsigned long long start;
    char state;

    if (w->pid <= 0)
        return false; /* the file is damaged */
    if (kill((pid_t)w->pid, 0) != 0 && errno == ESRCH)
        return true;
    if (!process_start(w->pid, &state, &start)) /* of another user perhaps: not to be seen */
        return false;
    return (w->start != 0 && start != w->start) || state == 'Z' || state == 'X';
}

static sab_owner_state judge(const sab_owner_who *me, const sab_owner_who *w)
{
    const bool here = strcmp(me->host, w->host) == 0 && strcmp(me->machine, w->machine) == 0;

    if (here && w->boot[0] != '\0' && me->boot[0] != '\0' && strcmp(me->boot, w->boot) != 0)
        return SAB_OWNER_DEAD;
    if (here && strcmp(me->space, w->space) == 0 && has_died(w))
        return SAB_OWNER_DEAD;
    if (me->job[0] != '\0' && strcmp(me->job, w->job) == 0 && me->restart > w->restart)
        return SAB_OWNER_EARLIER;
    return SAB_OWNER_OTHER;
}

/* ---- what is there -------------------------------------------------------------------------- */

typedef struct seen { /* the files NAME.N */
    int n;
    long number[SEEN];
    long top;             /* 0: none */
    char text[FILE_TEXT]; /* of the top one */
} seen;

static void path_of(const char *directory, const char *name, long number, char path[SAB_PATH])
{
    sab_path_set(path, NULL, "%s/%s.%ld", directory, name, number);
}

/* The directory of an owner's own: DIR/.NAME-ID~, where ID stands for what its file says. */
static void way_of(const char *directory, const char *name, const char *text, char way[SAB_PATH])
{
    sab_path_set(way, NULL, "%s/.%s-%016" PRIx64 "~", directory, name,
                 sab_hash(SAB_HASH, text, strlen(text)));
}

static bool contains(const seen *s, long number)
{
    for (int i = 0; i < s->n; i++)
        if (s->number[i] == number)
            return true;
    return false;
}

/* The N of "NAME.N", or 0. */
static long file_number(const char *file, const char *name)
{
    const size_t n = strlen(name);
    char *end;

    if (strncmp(file, name, n) != 0 || file[n] != '.' || file[n + 1] < '1' || file[n + 1] > '9')
        return 0;
    const long number = strtol(file + n + 1, &end, 10);
    return *end == '\0' && number < LONG_MAX ? number : 0;
}

/* False if a file has gone meanwhile: look again. */
static bool scan(const char *directory, const char *name, seen *s)
{
    DIR *stream = opendir(directory);
    char path[SAB_PATH];

    *s = (seen){0};
    if (stream == NULL)
        return true; /* no directory, no owner */
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        const long number = file_number(entry->d_name, name);

        if (number > 0 && s->n < SEEN)
            s->number[s->n++] = number;
        if (number > s->top)
            s->top = number;
    }
    closedir(stream);
    if (s->top == 0)
        return true;
    path_of(directory, name, s->top, path);
    return read_text(path, s->text, sizeof s->text);
}

/* The same once more, until it holds still. A file that was made without link() (see make_file) may
 * be empty for a moment. */
static void scan_calmly(const char *directory, const char *name, seen *s)
{
    for (int i = 0; i < 20; i++) {
        if (scan(directory, name, s) && (s->top == 0 || strstr(s->text, "stamp ") != NULL))
            return;
        pause_for(0.01);
    }
}

static sab_owner_state look(const char *directory, const char *name, const sab_owner_who *me,
                            seen *s, sab_owner_who *who)
{
    scan_calmly(directory, name, s);
    read_who(s->text, who);
    if (s->top == 0)
        return SAB_OWNER_NONE;
    snprintf(who->file, sizeof who->file, "%.60s.%ld", name, s->top);
    return judge(me, who);
}

sab_owner_state sab_owner_look(const char *directory, const char *name, sab_owner_who *who)
{
    const sab_owner_who me = myself();
    sab_owner_who other;
    seen s;

    return look(directory, name, &me, &s, who != NULL ? who : &other);
}

static sab_status refuse(const char *directory, const sab_owner_who *w, sab_error *err)
{
    if (w->pid == 0)
        return sab_fail(err, SAB_ERR_USAGE,
                        "'%s' may be in use: its file '%s' cannot be read; remove that file if no "
                        "process is at work there",
                        directory, w->file);
    return sab_fail(err, SAB_ERR_USAGE,
                    "'%s' is in use: process %ld on host '%s'%s%s has been at work there since %s; "
                    "if it is certainly gone, remove '%s/%s'",
                    directory, w->pid, w->host, w->job[0] != '\0' ? ", job " : "", w->job, w->since,
                    directory, w->file);
}

sab_status sab_owner_ask(const char *directory, const char *name, double seconds, sab_error *err)
{
    const double step = 0.05;
    sab_owner_who who = {0};

    for (double waited = 0.0; sab_owner_look(directory, name, &who) == SAB_OWNER_OTHER;
         waited += step) {
        if (waited >= seconds)
            return refuse(directory, &who, err);
        pause_for(step);
    }
    return SAB_OK;
}

/* ---- taking --------------------------------------------------------------------------------- */

static int write_whole(const char *path, const char *text)
{
    const int file = open_again(path, O_WRONLY | O_CREAT | O_EXCL);
    int reason = 0;

    if (file < 0)
        return errno;
    while (*text != '\0' && reason == 0) {
        const ssize_t n = write(file, text, strlen(text));

        text += n > 0 ? n : 0;
        if (n <= 0 && (n == 0 || errno != EINTR))
            reason = n == 0 ? EIO : errno;
    }
    while (reason == 0 && fsync(file) != 0)
        if (errno != EINTR)
            reason = errno;
    if (close(file) != 0 && reason == 0)
        reason = errno;
    if (reason != 0)
        unlink(path);
    return reason;
}

/* Make our file whole and at once, or not at all: 0, EEXIST if it is there, or another reason. */
static int make_file(const sab_owner *o)
{
    char aside[SAB_PATH];
    struct stat info;

    if (mkdir(o->way, 0777) != 0 && errno != EEXIST)
        return errno;
    sab_path_set(aside, NULL, "%s/new~", o->way);
    int reason = write_whole(aside, o->text);
    if (reason != 0)
        return reason;
    if (link(aside, o->path) != 0)
        reason = errno;
    /* over a network the answer may have been lost, and the second try have found the first one's
     * file */
    if (reason == EEXIST && stat(aside, &info) == 0 && info.st_nlink == 2)
        reason = 0;
    unlink(aside);
    if (reason == EPERM || reason == EOPNOTSUPP || reason == ENOSYS || reason == EMLINK)
        reason = write_whole(o->path, o->text); /* a file system without links */
    return reason;
}

/* After our file is there: has nobody else come between? Of two that made theirs at the same time
 * at least one sees the other, and steps back. */
static bool is_alone(const sab_owner *o, const seen *before, long mine)
{
    seen now;
    char path[SAB_PATH], text[FILE_TEXT];

    if (!scan(o->directory, o->name, &now) || now.top != mine || strcmp(now.text, o->text) != 0)
        return false;
    for (int i = 0; i < now.n; i++)
        if (now.number[i] != mine && !contains(before, now.number[i]))
            return false;
    if (!contains(&now, before->top))
        return true;
    path_of(o->directory, o->name, before->top, path);
    return !read_text(path, text, sizeof text) || strcmp(text, before->text) == 0;
}

/* Remove these files, then the directories of their owners: all but `kept` (NULL: all), also those
 * of files that somebody has removed or changed. */
static void remove_files(const char *directory, const char *name, const seen *s, const char *kept)
{
    char path[SAB_PATH], prefix[80];
    DIR *stream = opendir(directory);

    for (int i = 0; i < s->n; i++) {
        path_of(directory, name, s->number[i], path);
        unlink(path);
    }
    snprintf(prefix, sizeof prefix, ".%.60s-", name);
    for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        sab_path_set(path, NULL, "%s/%s", directory, entry->d_name);
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
            (kept != NULL && strcmp(path, kept) == 0))
            continue;
        const int way = open_again(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW); /* no link */
        if (way >= 0) {
            unlinkat(way, "new~", 0); /* of make_file, if it was killed */
            close(way);
        }
        rmdir(path);
    }
    if (stream != NULL)
        closedir(stream);
}

static sab_status try_once(sab_owner *o, bool *taken, sab_error *err)
{
    sab_owner_who who;
    seen before;

    *taken = false;
    const sab_owner_state state = look(o->directory, o->name, &o->me, &before, &who);
    if (state == SAB_OWNER_OTHER)
        return refuse(o->directory, &who, err);
    path_of(o->directory, o->name, before.top + 1, o->path);
    const int reason = make_file(o);
    if (reason == EEXIST || (reason == ENOENT && access(o->directory, F_OK) == 0))
        return SAB_OK; /* another one is quicker, and may have removed the directory of our own */
    if (reason != 0)
        return sab_fail(err, SAB_ERR_IO, "cannot write '%s': %s", o->path, strerror(reason));
    if (!is_alone(o, &before, before.top + 1)) {
        unlink(o->path);
        return SAB_OK;
    }
    remove_files(o->directory, o->name, &before, o->way);
    if (state == SAB_OWNER_EARLIER)
        pause_for(GRACE);
    *taken = true;
    return SAB_OK;
}

/* What the file says is said by no other: not even by this process, at another time. */
static void introduce(sab_owner *o)
{
    struct timespec now = {0};
    char stamp[64];

    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(stamp, sizeof stamp, "%lld.%09ld", (long long)now.tv_sec, now.tv_nsec);
    o->me = myself();
    write_who(&o->me, stamp, o->text);
    way_of(o->directory, o->name, o->text, o->way);
    sab_path_set(o->inside, NULL, "%s/..", o->way);
}

sab_status sab_owner_take(const char *directory, const char *name, sab_owner **owner,
                          sab_error *err)
{
    sab_status status = SAB_OK;
    sab_owner *o = NULL;
    bool taken = false;

    *owner = NULL;
    SAB_TRY(sab_path_check(directory, err));
    SAB_NEW(o, 1);
    SAB_NEW(o->directory, strlen(directory) + 1);
    SAB_NEW(o->name, strlen(name) + 1);
    memcpy(o->directory, directory, strlen(directory) + 1);
    memcpy(o->name, name, strlen(name) + 1);
    introduce(o);
    for (int i = 0; i < ATTEMPTS && !taken; i++) {
        SAB_TRY(try_once(o, &taken, err));
        if (!taken) /* not in step with the other one */
            pause_for(0.001 * (double)(1 + (o->me.pid + 7 * i) % 16));
    }
    if (!taken)
        SAB_FAIL(err, SAB_ERR_USAGE, "'%s' is in use: other processes want it at the same time",
                 directory);
    *owner = o;
    o = NULL;
cleanup:
    if (o != NULL) {
        rmdir(o->way);
        SAB_FREE(o->directory);
        SAB_FREE(o->name);
        SAB_FREE(o);
    }
    return status;
}

/* ---- afterwards ----------------------------------------------------------------------------- */

sab_status sab_owner_check(const sab_owner *o, sab_error *err)
{
    char text[FILE_TEXT];
    sab_owner_who who;
    seen s;

    if (o == NULL || (read_text(o->path, text, sizeof text) && strcmp(text, o->text) == 0))
        return SAB_OK;
    if (look(o->directory, o->name, &o->me, &s, &who) == SAB_OWNER_NONE)
        return sab_fail(err, SAB_ERR_IO,
                        "'%s' is no longer ours: '%s' has gone or changed; nothing more is written "
                        "there",
                        o->directory, o->path);
    return sab_fail(err, SAB_ERR_IO,
                    "'%s' has been taken over by process %ld on host '%s'%s%s; nothing more is "
                    "written there",
                    o->directory, who.pid, who.host, who.job[0] != '\0' ? ", job " : "", who.job);
}

const char *sab_owner_inside(const sab_owner *owner)
{
    return owner->inside;
}

void sab_owner_plain(const sab_owner *o, sab_error *err)
{
    const size_t all = o != NULL ? strlen(o->inside) : 0,
                 kept = o != NULL ? strlen(o->directory) : 0;

    for (char *at = err != NULL && o != NULL ? strstr(err->message, o->inside) : NULL; at != NULL;
         at = strstr(at, o->inside))
        memmove(at + kept, at + all, strlen(at + all) + 1);
}

void sab_owner_release(sab_owner **owner)
{
    sab_owner *o = *owner;

    if (o == NULL)
        return;
    if (sab_owner_check(o, NULL) == SAB_OK)
        unlink(o->path);
    rmdir(o->way);
    SAB_FREE(o->directory);
    SAB_FREE(o->name);
    SAB_FREE(*owner);
}

void sab_owner_drop(const char *directory, const char *name)
{
    seen s;

    scan_calmly(directory, name, &s);
    remove_files(directory, name, &s, NULL);
}
