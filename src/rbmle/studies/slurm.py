"""Slurm as the cluster of a study: `slurm://long?cores=8&jobs=20`, through dask-jobqueue.

The head runs where it is typed, on a login node for instance; each job is a Dask worker that plays
as many tasks at a time as it has cores.
"""

from __future__ import annotations

import shutil
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ..errors import ParameterError, RunError, integer, one_of

_OPTIONS = ("cores", "jobs", "memory", "walltime", "account", "interface")
_GIGABYTES_A_CORE = 2  # a choice: a task and the compiler need a few hundred megabytes


def slurm_jobs(address: str) -> tuple[int, dict[str, Any]]:
    """How many jobs an address asks for, and what each of them is.

    >>> slurm_jobs("slurm://long?cores=8&jobs=20&walltime=02:00:00")
    (20, {'queue': 'long', 'cores': 8, 'memory': '16GB', 'walltime': '02:00:00'})
    """
    parts = urlsplit(address)
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    if not parts.netloc or parts.path not in ("", "/") or "" in given.values():
        allowed = "slurm://PARTITION?cores=8&jobs=20, each option with a value"
        raise ParameterError("run", "cluster", allowed, address)
    for name in given:
        one_of("run", "cluster", name, _OPTIONS)
    cores, jobs = (_whole(name, given.pop(name, "1")) for name in ("cores", "jobs"))
    job = {"queue": parts.netloc, "cores": cores, "memory": f"{_GIGABYTES_A_CORE * cores}GB"}
    return jobs, {**job, **given}


def _whole(name: str, text: str) -> int:
    return integer("run", name, int(text) if text.isdecimal() else text, "[1, inf)")


def slurm_cluster(address: str) -> Any:
    """A Dask cluster whose workers are jobs that were just submitted: they start when Slurm lets
    them, and end with the cluster."""
    jobs, job = slurm_jobs(address)
    if shutil.which("sbatch") is None:
        where = "that of a machine which has Slurm's sbatch"
        raise RunError(f"run: 'cluster' must be {where}. Got {address!r}.")
    from dask_jobqueue import SLURMCluster

    dashboard = {"dashboard_address": ":0"}
    cluster = SLURMCluster(**job, processes=1, job_name="rbmle", scheduler_options=dashboard)
    cluster.scale(jobs=jobs)
    return cluster
