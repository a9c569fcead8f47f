"""Has judge.py time configurations in a process of its own."""
import json
import os
import subprocess
import sys

import common


def judge(told, source, spec, configs):
    """Median and interval of each configuration by its text; `told` is its space in foreign terms."""
    script = os.path.join(common.FOLDER, "judge.py")
    texts = map(told.foreign, configs)
    done = subprocess.run(
        [sys.executable, script, source, told.space["kernel"], spec, *texts],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(f"the judge failed: {done.stderr.strip().splitlines()[-1:]}")
    return dict(zip(configs, json.loads(done.stdout.strip().splitlines()[-1])))
