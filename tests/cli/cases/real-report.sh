# The report has the measured trials; its figures for the axes are those of show --why.
read=$(dirname "$0")/../../browser/read_page.py
one="--driver emu -q --only VEC=1,4,8 --only BLOCK=256,1024 --only UNROLL=1,8"
$GPUTUNE warm axpy $one --size n=1000 --size n=2000 --strategy exhaustive >/dev/null
$GPUTUNE report axpy axpy -o page.html
python3 "$read" page.html | sed 's/winner [A-Z=0-9 ]*,/winner W,/'
$GPUTUNE show axpy --driver emu -q --why -f json >why.json
python3 - <<'PYTHON'
import json, re
page = json.loads(re.search(r'id="data">(.*?)</script>', open("page.html").read(), re.S)[1])
shown = json.load(open("why.json"))
print("axes alike:", page["shown"]["axes"] == shown["axes"])
record = page["shown"]["records"][0]
print(record["arch"], record["sm_count"], record["sm_clock_khz"], record["driver_version"], record["tuning_s"] > 0)
print("source:", page["scenarios"][0]["code"].count("__global__"))
orders = page["scenarios"][0]["trials"]["order"]
print("in their order:", sorted(orders)[-1] - sorted(orders)[0] == len(orders) - 1)
PYTHON
exit_of $GPUTUNE report --size n=2K
$GPUTUNE report axpy --size n=2000 --gpu h200 | grep -c '"scenario": .*"sizes": "n=2000 T=float"'
# The source is left out if the template was edited after the tuning.
{ cat "$(dirname "$0")/../../../templates/axpy.cu"; echo '__device__ int added;'; } >axpy.cu
$GPUTUNE report "$PWD/axpy.cu" | grep -c '__global__'
exit_of $GPUTUNE report axpi
