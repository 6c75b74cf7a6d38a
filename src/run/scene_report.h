/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/scene_report.h -- what there is to say of grains: on the terminal, in summary.json, as
 * warnings.
 */
#ifndef SAB_RUN_SCENE_REPORT_H
#define SAB_RUN_SCENE_REPORT_H

#include "io/json.h"
#include "run/describe.h"

void sab_describe_scene(const sab_scene *scene, const sab_teller *out);
void sab_describe_scene_result(const sab_run *run, const sab_teller *out);
void sab_summary_scene(sab_json *json, const sab_scene *scene, const sab_run_result *result);
void sab_warn_scene(const sab_scene *scene, sab_warnings *warnings);
void sab_warn_scene_result(sab_run *run);

#endif
