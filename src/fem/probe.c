#include "fem/probe.h"

const char *const sab_probe_field_name[SAB_FIELD_COUNT] = {
    [SAB_FIELD_VELOCITY] = "velocity",
    [SAB_FIELD_PRESSURE] = "pressure",
    [SAB_FIELD_STRESS] = "stress",
    [SAB_FIELD_SHEAR_RATE] = "shear_rate",
    [SAB_FIELD_SHEAR_STRESS] = "shear_stress",
    [SAB_FIELD_YIELD_RATIO] = "yield_ratio",
};

bool sab_probe_is_profile(const sab_probe *probe)
{
    return probe->kind == SAB_PROBE_LINE || probe->kind == SAB_PROBE_TRACTION;
}
