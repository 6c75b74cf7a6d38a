/* cli/describe.h -- a case and its result on the terminal. */
#ifndef SAB_CLI_DESCRIBE_H
#define SAB_CLI_DESCRIBE_H

#include "cli/terminal.h"
#include "run/run.h"

/* Case, mesh, sizes, effective rheology, solver: the header of a run. */
void sab_describe_session(const sab_session *session, sab_terminal *term);
/* What came out. */
void sab_describe_result(const sab_run *run, sab_terminal *term);

#endif
