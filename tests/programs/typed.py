"""What strict readers of types (mypy, pyright) make of a program. It also runs."""
from __future__ import annotations

import gputune


def show(progress: dict[str, object]) -> None:
    print(progress["phase"])


with gputune.open(database=":memory:") as tuner:
    pace: dict[str, object] = tuner.measure_pace()
    print(pace["launch_ns"], len(gputune.tune("axpy", n=1024, effort="cached", helpers=[]).info))
    plan: gputune.Plan = tuner.tune("axpy", n=1024, progress=show, only=["BLOCK=128,256"], time_limit=10)
    space = gputune.space("axpy", n=1024)
    print(plan.info["configuration"], space["valid"], len(tuner.records("axpy")))
    results = gputune.run("axpy", ["BLOCK=128"], n=1024)
    gone: list[dict[str, object]] = tuner.records(sizes={"n": [1024, 2048]}, gpu="H200")
    print(len(gone), [one["remedy"] for one in gputune.diagnose() if one["verdict"] == "failure"])
    print(results[0]["median_ns"], gputune.compare("axpy", n=1024)[0]["status"])
