"""Tests a notebook on the emulator: bars, Ctrl-C, tables, and an asynchronous cell. Needs nbclient, ipykernel,
tqdm and ipywidgets. Ends with "N passed, N failed"."""
import sys

import nbclient
import nbformat

CELLS = ["""import os, signal, threading
import gputune
one = {"n": 1000, "time_limit": 400, "force": True, "only": ["VEC=1", "UNROLL=1"]}
gputune.tune("axpy", progress=True, **one)""",
         """def interrupt(progress):
    if progress["compiled"]:
        os.kill(os.getpid(), signal.SIGINT)
try:
    gputune.tune("axpy", progress=interrupt, **one)
except KeyboardInterrupt:
    print("interrupted")""",
         """async def ask():
    return gputune.tune("axpy", **one)
await ask()""",
         """gputune.records()[0]["kernel"]"""]
failed = 0


def expect(what, wanted, found):
    global failed
    if wanted != found:
        failed += 1
        print(f"{what}: expected {wanted!r}, found {found!r}")


notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
outputs = [[one.get("text") or one["data"]["text/plain"] for one in cell.outputs if one.get("name") != "stderr"]
           for cell in notebook.cells]
widgets = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"].state.values()
bars = [one.state for one in widgets if one.model_name == "FloatProgressModel"]
texts = [one.state.value for one in widgets if one.model_name == "HTMLModel"]
expect("a bar for each tuning that asks for one", 1, len(bars))
expect("the bar is full", bars[0].max, bars[0].value)
expect("it says which kernel, and what it counts", [True, True],
       [any(text.startswith(part) or part in text for text in texts) for part in ("axpy", "variant/s")])
expect("a plan is what the cell shows", True, outputs[0][-1].startswith("<gputune.Plan axpy: "))
expect("Ctrl-C ends a tuning", ["interrupted\n"], outputs[1])
expect("an asynchronous cell", True, outputs[2][-1].startswith("<gputune.Plan axpy: "))
expect("records", ["'axpy'"], outputs[3])
print(f"{7 - failed} passed, {failed} failed")
sys.exit(failed != 0)
