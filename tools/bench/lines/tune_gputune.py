# Tune a kernel, and list its trials.
import sys

import gputune

gputune.tune("./add.cu", n=int(sys.argv[1]))
for trial in gputune.trials("./add.cu"):
    print(trial["configuration"], trial["median_ns"] / 1e6)
