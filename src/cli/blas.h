/* cli/blas.h -- which BLAS runs, and with how many threads. OpenBLAS is looked up at run time,
 * because Debian chooses the BLAS of a machine by its alternatives. */
#ifndef SAB_CLI_BLAS_H
#define SAB_CLI_BLAS_H

const char *sab_blas_name(void); /* "OpenBLAS 0.3.21 ..." or "unknown BLAS" */
void sab_blas_set_threads(int threads);

#endif
