/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/march_flow.h"
#include "base/memory.h"
#include "flow/inertia.h"

#include <string.h>

static sab_status advance(void *data, const sab_flow_observer *observer, sab_flow_report *report,
                          sab_error *err)
{
    sab_march_flow *m = data;
    sab_status status;

    if (m->flow->inertia == NULL)
        return sab_flow_solve(m->flow, observer, report, err);
    status = sab_flow_step(m->flow, observer, report, err);
    if (status == SAB_OK) {
        sab_transport_add(&m->transport, &m->flow->inertia->report);
        m->cpu_transport += m->flow->inertia->cpu_carry;
        if (m->flow->surface != NULL) {
            sab_transport_add(&m->transport, &m->flow->surface->report);
            m->cpu_transport += m->flow->surface->cpu;
        }
    }
    return status;
}

static sab_status probe(void *data, const sab_probe_result **result, sab_error *err)
{
    const sab_march_flow *m = data;

    return sab_probes_evaluate(m->probes, m->flow, result, err);
}

static void fill_row(const void *data, const sab_flow_report *report, double *row)
{
    const sab_flow *flow = ((const sab_march_flow *)data)->flow;
    const sab_report *r = &report->solve;
    const sab_certificate *c = &r->certificate;
    const sab_volume v = sab_flow_volume(flow, c->stress);

    row[SAB_HISTORY_STEP] = flow->inertia == NULL ? 1 : flow->steps;
    row[SAB_HISTORY_TIME] = flow->time;
    for (int i = 0; i < SAB_WORK_COUNTS; i++)
        row[SAB_HISTORY_OUTER + i] = sab_work_get(&r->work, i);
    row[SAB_HISTORY_GAP] = c->idle ? 0.0 : c->gap; /* relative to nothing then */
    row[SAB_HISTORY_GAP_RATE] = c->idle ? 0.0 : c->gap_rate;
    row[SAB_HISTORY_COMPACTION] = c->compaction;
    row[SAB_HISTORY_RATE] = report->rate_residual;
    row[SAB_HISTORY_NATURAL] = c->natural;
    row[SAB_HISTORY_MOMENTUM] = c->momentum;
    row[SAB_HISTORY_RETRIES] = report->retries;
    row[SAB_HISTORY_MISSED] = (double)report->missed.by;
    row[SAB_HISTORY_UNSOUND] = report->unstable ? 2.0 : report->unsound ? 1.0 : 0.0;
    row[SAB_HISTORY_LENGTH] = flow->inertia == NULL ? 0.0 : sab_flow_length(flow);
    row[SAB_HISTORY_COURANT] = flow->surface == NULL ? 0.0
                                                     : sab_carriers_courant(flow->surface->carriers,
                                                                            sab_flow_length(flow));
    row[SAB_HISTORY_OUTFLOW] = v.outflow;
    row[SAB_HISTORY_NET] = v.net;
    row[SAB_HISTORY_PARTING] = v.parting;
    row[SAB_HISTORY_BARRIER] = v.barrier;
    row[SAB_HISTORY_COMPACTED] = v.compaction;
    memcpy(row + SAB_HISTORY_LEDGER, &report->ledger, sizeof report->ledger);
    for (int i = 0; i < SAB_LEDGER_ENTRIES; i++) /* energies of the whole body */
        row[SAB_HISTORY_LEDGER + i] *= flow->setup.geometry->whole;
}

static double time_of(const void *data)
{
    return ((const sab_march_flow *)data)->flow->time;
}

static sab_status restore(void *data, const void *state, sab_error *err)
{
    sab_flow *flow = ((sab_march_flow *)data)->flow;
    const sab_status status = sab_flow_restore(flow, state, err);

    if (status == SAB_OK)
        sab_flow_go_on(flow, state);
    return status;
}

sab_status sab_march_flow_create(sab_flow *flow, sab_probes *probes,
                                 const sab_march_options *options, sab_march **march,
                                 sab_error *err)
{
    sab_march_flow *m = sab_alloc(1, sizeof *m);

    *march = NULL;
    if (m == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory for the steps of a flow");
    *m = (sab_march_flow){.flow = flow, .probes = probes};
    const sab_march_body body = {.data = m,
                                 .step = flow->inertia != NULL ? flow->setup.dt : 0.0,
                                 .nprobes = sab_probes_count(probes),
                                 .advance = advance,
                                 .probe = probe,
                                 .report = fill_row,
                                 .time = time_of,
                                 .restore = restore,
                                 .destroy = sab_free};
    return sab_march_create(&body, options, march, err);
}

sab_march_flow *sab_march_flow_of(const sab_march *march)
{
    return march->body.data;
}
