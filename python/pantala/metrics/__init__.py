"""Metrics of workload interference: one pure function each, on tables or numbers.

`pantala metrics` lists them. `all_metrics` and `value_of` give numbers of a run or of a job by
their names; `Run.metric` and `Run.metrics` call them.
"""

from __future__ import annotations

from pantala.metrics.binding import (
    Binding,
    binding_resource,
    host_share,
    nic_share,
    traffic_utilization,
)
from pantala.metrics.registry import MetricFunction, all_functions, function_named
from pantala.metrics.routers import (
    arrival_rate,
    counters_of_serving_routers,
    serving_routers,
    traffic_on_serving_routers,
)
from pantala.metrics.run_metrics import (
    Metric,
    all_metrics,
    chosen_job,
    job_values,
    link_metrics,
    link_values,
    value_of,
)
from pantala.metrics.samples import (
    PERCENTILES,
    percentiles,
    representative,
    sigma_clipped,
    z_scores,
)
from pantala.metrics.stalls import saturation_time, stall_time, stalled_flits, stalls_to_flits
from pantala.metrics.times import (
    communication_share,
    communication_time,
    communication_variation,
    interference,
    interference_reduction,
    slowdown,
)
from pantala.metrics.traffic import (
    congestion_index,
    group_means,
    injection_rate,
    link_load,
    link_throughput,
    peak_ingress_volume,
    relative_throughput,
)

__all__ = [
    "PERCENTILES",
    "Binding",
    "Metric",
    "MetricFunction",
    "all_functions",
    "all_metrics",
    "arrival_rate",
    "binding_resource",
    "chosen_job",
    "communication_share",
    "communication_time",
    "communication_variation",
    "congestion_index",
    "counters_of_serving_routers",
    "function_named",
    "group_means",
    "host_share",
    "injection_rate",
    "interference",
    "interference_reduction",
    "job_values",
    "link_load",
    "link_metrics",
    "link_throughput",
    "link_values",
    "nic_share",
    "peak_ingress_volume",
    "percentiles",
    "relative_throughput",
    "representative",
    "saturation_time",
    "serving_routers",
    "sigma_clipped",
    "slowdown",
    "stall_time",
    "stalled_flits",
    "stalls_to_flits",
    "traffic_on_serving_routers",
    "traffic_utilization",
    "value_of",
    "z_scores",
]
