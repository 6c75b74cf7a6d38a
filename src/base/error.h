/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/error.h -- a status that travels up, and one sentence that says what happened and where.
 *
 * Library code never prints and never exits. The first failure writes the sentence with sab_fail,
 * each level above adds its context, and cli prints the whole. Not converging is no error. */
#ifndef SAB_BASE_ERROR_H
#define SAB_BASE_ERROR_H

typedef enum sab_status {
    SAB_OK = 0,
    SAB_ERR_USAGE,    /* wrong command line                          -> exit 2 */
    SAB_ERR_INPUT,    /* bad case, mesh or program file              -> exit 3 */
    SAB_ERR_IO,       /* output cannot be written                    -> exit 4 */
    SAB_ERR_MEMORY,   /* out of memory                               -> exit 4 */
    SAB_ERR_NUMERIC,  /* singular matrix, overflow in a factorisation -> exit 4 */
    SAB_ERR_INTERNAL, /* our own mistake, or a library's             -> exit 4 */
    SAB_INTERRUPTED   /* the observer asked to stop                  -> exit 75 */
} sab_status;

typedef struct sab_error {
    sab_status status;
    char message[4000]; /* of a case also several, a line each (io/case_read.h) */
} sab_error;

#if defined(__GNUC__)
#define SAB_PRINTF(text, args) __attribute__((format(printf, text, args)))
#else
#define SAB_PRINTF(text, args)
#endif

/* Write the sentence. A message already there is replaced. err may be NULL. */
void sab_error_set(sab_error *err, sab_status status, const char *format, ...) SAB_PRINTF(3, 4);
static inline sab_status sab_status_of(sab_status status)
{
    return status;
}
/* Write the sentence and return `status`: here, so that who reads one file alone, as static
 * analysers do, knows that it is not SAB_OK. */
#define sab_fail(err, status, ...) (sab_error_set(err, status, __VA_ARGS__), sab_status_of(status))
/* Append "\n  <context>" to the message. */
void sab_error_context(sab_error *err, const char *format, ...) SAB_PRINTF(2, 3);

/* In a function with `sab_status status` and a label `cleanup`: leave on failure. */
#define SAB_TRY(call)                                                                              \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != SAB_OK)                                                                      \
            goto cleanup;                                                                          \
    } while (0)
/* Likewise: fail with a sentence, and leave. */
#define SAB_FAIL(err, code, ...)                                                                   \
    do {                                                                                           \
        status = sab_fail(err, code, __VA_ARGS__);                                                 \
        goto cleanup;                                                                              \
    } while (0)

#endif
