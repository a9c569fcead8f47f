"""A program for type checkers (mypy, pyright), which can also be run."""
from __future__ import annotations

import gputune


class Float32:
    """Like numpy.float32."""
    itemsize = 4


Float32.__name__ = "float32"


def show(progress: dict[str, object]) -> None:
    print(progress["phase"])


with gputune.open(database=":memory:") as tuner:
    print(len(gputune.tune("axpy", n=1024, effort="cached").info))
    plan: gputune.Plan = tuner.tune("axpy", n=1024, progress=show, only=["BLOCK=128,256"], time_limit=400)
    space = gputune.space("axpy", n=1024)
    print(plan.info["configuration"], space["valid"], len(tuner.records("axpy")))
    results = gputune.run("axpy", ["BLOCK=128"], n=1024)
    stored: list[gputune.Record] = tuner.records(sizes={"n": [1024, 2048]}, gpu="H200")
    times: list[float] = [one["median_ns"] for one in gputune.records("axpy") + gputune.trials("axpy")]
    effort: gputune.Effort = "cached"
    tuner.tune("axpy", n=1024, effort=effort, objective="latency", T=Float32)
    remedies = [one["remedy"] for one in gputune.diagnose() if one["verdict"] == "failure"]
    print(len(stored), len(times), remedies)
    print(results[0]["median_ns"], gputune.compare("axpy", n=1024)[0]["status"])
