#!/usr/bin/env python3
"""Tests the page of `gputune report` in a headless browser: test_report.py BUILD. Writes pictures of the page with the
H200's results to BUILD/browser: page-WIDTH-light.png and page-WIDTH-dark.png, and report.png for the README."""
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chromium import Page  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
OUT = os.path.join(BUILD, "browser")
TABLES = os.path.join(BUILD, "tables", "gputune.db")
LONGEST_S = 3  # for 10^5 trials
PICTURE_BYTES = 300_000
WIDTHS = 390, 768, 1280, 2560


def make(name, words="", *options):
    """Writes a page: of canned answers, or of a database if `options` are given."""
    path = os.path.join(OUT, name + ".html")
    program = "gputune" if options else "tests/cli/gputune-fake"
    subprocess.run([os.path.join(BUILD, program), "report", "-o", path, *options], check=True,
                   env={**os.environ, "GPUTUNE_FAKE": words})
    return path


def check(what, good):
    print(f"{'ok' if good else 'FAILED'}: {what}")
    check.results.append(bool(good))


check.results = []


def text(page, selector):
    return page.run(f"document.querySelector({json.dumps(selector)}).textContent")


def texts(page, selector):
    return page.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(one => one.textContent)")


def pick(page, selector, value):
    """Selects an option of a <select> as a user would."""
    page.run(f"""(() => {{
        const select = document.querySelector({json.dumps(selector)});
        select.value = {json.dumps(value)};
        select.dispatchEvent(new Event('change'));
    }})()""")
    page.frame()


def data_of(path):
    """Returns the text of a page before its data, the data, and the text after it."""
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split('id="data">', 1)
    data, after = rest.split("</script>", 1)
    return before + 'id="data">', json.loads(data), "</script>" + after


def fetches_nothing(page, path):
    check("no error in the console", page.errors == [] or print(page.errors))
    check("nothing is fetched", page.fetched == ["file://" + path] or print(page.fetched))


def tip(page):
    return page.run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")


def count_rows(page):
    return int(page.run("document.querySelector('#trials table').getAttribute('aria-rowcount')")) - 1


def cells(page, title):
    """Returns the texts of a table column, for the rows that are in the document."""
    return page.run(f"""(() => {{
        const heads = [...document.querySelectorAll('#trials thead th')].map(head => head.textContent);
        return [...document.querySelectorAll('#trials tbody tr:not(.space)')]
            .map(row => row.children[heads.indexOf({json.dumps(title)})].textContent);
    }})()""")


def enter(page, field, typed):
    """Types a text into a field, and waits for the page's reaction."""
    page.run(f"document.getElementById('{field}').focus(); document.getElementById('{field}').value = '{'' if typed else ' '}'")
    page.type(typed) if typed else page.press("Backspace", 8)
    page.run("new Promise(done => setTimeout(done, 200))")
    page.frame()


def points_at_trials(page):
    page.middle("#landscape canvas")
    page.frame()
    x, y = page.run("""(() => {
        const canvas = document.querySelector('#landscape canvas'), figure = canvas.figure;
        const box = canvas.getBoundingClientRect(), [x, y] = figure.at(figure.view.byTime()[0]);
        return [box.x + x, box.y + y];
    })()""")
    page.move(x, y)
    check("pointing at the fastest trial shows its configuration", "TILE_X=1 TILE_Y=1" in tip(page))
    check("and its time", "198.1 µs [197.9 µs, 198.3 µs]" in tip(page))
    page.move(2, 2)
    check("until the pointer leaves", tip(page) == "")


def filters(page):
    enter(page, "filter", "TILE_X=2,4 STAGING=shared registers<=64")
    check("a filter leaves 10000 trials", count_rows(page) == 10000)
    check("all of which fit", set(cells(page, "TILE_X")) <= {"2", "4"} and set(cells(page, "STAGING")) == {"shared"})
    check("and their number is shown", text(page, "#count") == "10000 of 100000 trials")
    enter(page, "filter", "too many resources")
    check("words are searched in messages", count_rows(page) == 2000)
    enter(page, "filter", "slower<1.05 status=ok")
    check("figures may be conditions", 0 < count_rows(page) < 1000 and set(cells(page, "outcome")) == {"ok"})
    enter(page, "filter", "time<0.2ms")
    check("with a unit", 0 < count_rows(page) < 2000)
    enter(page, "filter", "REGS<=64 TILE_X=2")
    check("an unknown name is reported, with the known ones",
          "'REGS' is not known; known: TILE_X, " in text(page, "#unknown") and ", registers, " in text(page, "#unknown"))
    check("and the other conditions apply", count_rows(page) == 10000)
    enter(page, "filter", "STAGING=global")
    check("so is an unknown value", "STAGING is never 'global'; it is registers, shared" in text(page, "#unknown"))
    enter(page, "filter", "registers<=many")
    check("and a number that is none", "expected a number" in text(page, "#unknown"))
    enter(page, "filter", "")
    check("without a filter all are shown", count_rows(page) == 100000 and text(page, "#unknown") == "")


def sorts(page):
    head = "#trials thead th:nth-child(2) button"
    page.click(head)
    check("a click on a title sorts", set(cells(page, "TILE_X")) == {"1"})
    page.click(head)
    check("a second one sorts backwards", set(cells(page, "TILE_X")) == {"512"})
    check("which is announced", page.run("document.querySelector('#trials th:nth-child(2)').getAttribute('aria-sort')") == "descending")
    check("only visible rows exist", len(cells(page, "trial")) < 100)
    page.run("document.getElementById('trials').scrollTop = 1e9")
    page.frame()
    check("the last ones are at the end", set(cells(page, "TILE_X")) == {"1"})


def keys(page):
    page.run("document.querySelector('#landscape canvas').focus()")
    page.press("ArrowRight")
    said = text(page, "#said")
    check("an arrow key says the fastest trial", said.startswith("TILE_X=1 TILE_Y=1 UNROLL=1"))
    page.press("ArrowRight")
    check("and then the next", text(page, "#said") != said)
    page.press("Enter", 13)
    check("Enter selects it", text(page, "#said").startswith("selected: "))
    check("also in the table", text(page, "#trials tr.held td") in cells(page, "trial"))
    page.press("Escape", 27)
    unnamed = page.run("""[...document.querySelectorAll('button, input, select, canvas, svg[role], table, [tabindex]')]
        .filter(one => !(one.getAttribute('aria-label') || one.getAttribute('aria-labelledby') || one.labels?.length
            || one.textContent.trim())).map(one => one.outerHTML.slice(0, 80))""")
    check("all that takes the focus has a name", unnamed == [] or print(unnamed))
    page.run("document.getElementById('theme').focus()")
    stops = {"theme"}
    for _ in range(30):
        page.press("Tab", 9)
        stops.add(page.run("document.activeElement.id || document.activeElement.tagName"))
    check("the tabulator reaches links, fields, figures", {"theme", "find", "filter", "A", "CANVAS"} <= stops or print(stops))


def colours_of(page):
    return page.run("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")


def themes(page):
    page.dark(False)
    light = colours_of(page)
    page.dark(True)
    dark = colours_of(page)
    check("the system's theme is followed", light[0] == "rgb(255, 255, 255)" and dark[0] != light[0] and dark[1] != light[1])
    pick(page, "#theme", "light")
    check("unless another one is chosen", colours_of(page) == light)
    pick(page, "#theme", "dark")
    page.dark(False)
    check("either way", colours_of(page) == dark)
    pick(page, "#theme", "system")


def is_drawn(page, selector):
    """Scrolls a canvas into view and returns true if it has several colours."""
    page.middle(selector)
    page.run("new Promise(done => setTimeout(done, 100))")
    page.frame()
    return page.run(f"""(() => {{
        const canvas = document.querySelector({json.dumps(selector)});
        const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        return new Set(pixels).size;
    }})()""") > 5


def axis_of_progress(page):
    return page.run("document.querySelector('#progress canvas').figure.x().name")


def explores(page):
    fields = texts(page, "#x option")
    check("any figure may be an axis", {"time", "registers", "occupancy", "compile", "TILE_X", "trial"} <= set(fields) or print(fields))
    for across, up in zip(fields, fields[1:] + fields[:1]):
        pick(page, "#x", across)
        pick(page, "#y", up)
        shown = page.run("document.querySelector('#explorer canvas').figure.shown.length")
        check(f"{up} by {across} is drawn", shown and is_drawn(page, "#explorer canvas"))


def test_many():
    path = make("many", "many")
    print(f"10^5 trials: {os.path.getsize(path) / 1e6:.1f} MB")
    with Page() as page:
        seconds = min(page.open(path) for _ in range(3))
        check(f"10^5 trials are drawn within {LONGEST_S} s ({seconds:.2f} s)", seconds < LONGEST_S)
        for name in ("landscape", "progress"):
            check(f"there is a figure of {name}", is_drawn(page, f"#{name} canvas"))
        check("the best so far is shown by seconds", axis_of_progress(page) == "seconds")
        check("two axes are a table", page.run("document.querySelectorAll('#heat td').length") == 100)
        points_at_trials(page)
        filters(page)
        sorts(page)
        explores(page)
        keys(page)
        themes(page)
        fetches_nothing(page, path)


def test_order():
    """Trials that were measured again keep their low number in the database, but have a late time."""
    before, data, after = data_of(make("many", "many"))
    trials, path = data["scenarios"][0]["trials"], os.path.join(OUT, "order.html")
    trials["order"].reverse()
    with Page() as page:
        for created in (trials["created"][0], trials["created"]):
            with open(path, "w", encoding="utf-8") as file:
                trials["created"] = created
                file.write(before + json.dumps(data) + after)
            page.open(path)
            check("the best so far is shown by seconds if these are known", axis_of_progress(page) ==
                  ("trial" if isinstance(created, str) else "seconds"))
        check("the best so far is in the order of time", page.run("""(() => {
            const {turn, column: {created}} = document.querySelector('#progress canvas').figure.view.scenario;
            return turn.every((row, i) => !i || created[turn[i - 1]] <= created[row]);
        })()"""))


def test_hostile():
    path = make("hostile", "hostile")
    with Page() as page:
        page.open(path)
        check("a name that is an element is text", text(page, "#scenario-title") ==
              "</script><script>fetch('//x.example')</script> n=64M on <img src=x onerror=alert(1)>")
        check("no elements were made of it", page.run("document.querySelectorAll('script').length === 2 && "
                                                      "document.querySelectorAll('img, td b').length === "
                                                      "document.querySelectorAll('.chip > b').length"))
        page.run("location.hash = 'at=%3Cimg%20src=x%3E&filter=%3Cimg%3E=1&scale=x'")
        page.frame()
        check("the address neither", page.run("document.querySelectorAll('img').length") == 0 and
              page.run("document.getElementById('scale').value") != "")
        page.run("var added = document.createElement('script'); added.textContent = 'ran = 1'; document.body.append(added)")
        check("a script that is not the page's does not run", page.run("typeof ran") == "undefined")
        page.errors = [error for error in page.errors if "Content Security Policy" not in error]
        check("no error in the console", page.errors == [] or print(page.errors))


def test_little():
    """Every variant failed, or there is only one variant."""
    failed = make("failed", "wrong")
    with open(failed, encoding="utf-8") as file:
        whole = file.read()
    alone = os.path.join(OUT, "alone.html")
    with open(alone, "w", encoding="utf-8") as file:
        file.write(whole.replace("VEC=2 BLOCK=64 UNROLL=2", ""))
    with Page() as page:
        for path in (failed, alone):
            page.open(path)
            check("a scenario without a winner has its trial in the table", cells(page, "outcome") == ["wrong: y[17] is 2, expected 3"])
            page.run("document.querySelector('canvas').focus()")
            page.press("ArrowRight")
            page.run("scrollTo(0, 1e6)")
            page.frame()
            fetches_nothing(page, path)


def open_scenario(page, words):
    """Opens the first scenario that the search field finds."""
    enter(page, "find", words)
    page.click("#scenarios tr:not([hidden]) a")
    page.frame()


def worth_of_page(page):
    """Returns {axis: (cost at the default, cost at other values)} in the format of `show --why`."""
    rows = page.run("""[...document.querySelectorAll('#worth tbody tr')].map(row => [row.querySelector('th').textContent,
        [...row.querySelectorAll('.chip')].map(chip => [chip.querySelector('b').textContent, chip.textContent, chip.className])])""")
    out = {}
    for axis, chips in rows:
        costs = [(value, whole[len(value) + 1:].replace("≤ ", "<="), kind.split()[1:]) for value, whole, kind in chips]
        held = [cost.split(" default")[0] for _, cost, kind in costs if kind == ["default"]]
        out[axis] = held, [f"{value}:{cost}" for value, cost, kind in costs if not kind]
    return out


def worth_of_why(size):
    """Returns the output of `show --why` in that form, without the cost of a default that is the winner."""
    text = subprocess.run([os.path.join(BUILD, "gputune"), "show", "gemm", "--why", "--gpu", "NVIDIA H200", "--db", TABLES, "--size",
                           size, "-q"], check=True, capture_output=True, text=True).stdout
    head, *lines = text[text.index("\naxis ") + 1:].split("\n\n")[0].splitlines()
    begins = [found.start() for found in re.finditer(r"\S+(?: \S+)*", head)]
    rows = [[line[begin:end].strip() for begin, end in zip(begins, begins[1:] + [None])] for line in lines]
    return {row[0]: ([row[3]] if row[1] != row[2] else [], [one for one in row[4].split(", ") if one]) for row in rows}


def shows_worth(page, path):
    _, data, _ = data_of(path)
    for size in ("m=4K", "m=1K"):
        open_scenario(page, f"{size} H200")
        shown, expected = worth_of_page(page), worth_of_why(size)
        check(f"the worth of the axes is that of show --why at {size}", shown == expected or print(shown, expected))
        zero = page.run("""[...document.querySelectorAll('#worth tbody tr')].filter(row =>
            Boolean(row.querySelector('.fill')) !== /[+x≤]/.test([...row.querySelectorAll('.chip')].map(chip =>
                chip.textContent.replace(/unknown.*|^\\S+ /g, '')).join())).length""")
        check("an axis worth 0 has no bar", zero == 0)
    unknown = [row for row in data["shown"]["axes"] if row["evidence"] == "default only"]
    check("a value that only the default has is unknown", unknown and all(row["cost"] is None and row["measured"] == 1 for row in unknown))
    open_scenario(page, "m=4K H200")


def explains(page):
    page.move(*page.middle("#tiles .term"))
    check("a word is explained under the pointer", "default's time divided by the winner's" in tip(page))
    page.move(2, 2)
    page.run("document.querySelectorAll('#tiles .term')[1].focus()")
    check("and when it has the focus", "whose results are correct" in tip(page))
    page.press("Escape", 27)
    check("until Escape", tip(page) == "")
    unexplained = page.run("""[...document.querySelectorAll('.term')].filter(one =>
        !one.getAttribute('aria-description') || one.tabIndex < 0).length""")
    check("a screen reader gets the explanation of each word", unexplained == 0)


def opens_scenarios(page, path):
    names = texts(page, "#scenarios a")
    check("all scenarios are listed", len(names) == 26)
    page.click("#scenarios th:nth-child(2) button")
    gpus = texts(page, "#scenarios tbody tr td:nth-child(2)")
    check("a click on a title sorts them", gpus == sorted(gpus) and len(set(gpus)) == 2 or print(gpus))
    enter(page, "find", "gemm m=8k h200")
    found = texts(page, "#scenarios tr:not([hidden]) a")
    check("a search finds scenarios", found == ["gemm m=8K n=8K k=8K"] and text(page, "#found") == "1 of 26 scenarios" or print(found))
    page.click("#scenarios tr:not([hidden]) a")
    title = "gemm m=8K n=8K k=8K on NVIDIA H200"
    check("a click opens one", text(page, "#scenario-title") == title)
    enter(page, "filter", "BM=128")
    address = page.run("location.hash")
    check("which has an address, with its filter", address.startswith("#at=gemm-") and "filter=BM%3D128" in address)
    page.run("setTimeout(() => history.back())")
    page.until(f"document.getElementById('scenario-title').textContent !== '{title}'")
    with Page() as other:
        other.open("file://" + path + address)
        check("that opens it elsewhere", text(other, "#scenario-title") == title)
        check("with its filter", other.run("document.getElementById('filter').value") == "BM=128" and
              0 < count_rows(other) < other.run("document.querySelector('canvas').figure.view.scenario.variants"))


def test_scenarios():
    path = make("gemm", "", "gemm", "gemv", "--db", TABLES)
    with Page(1280, 1000) as page:
        page.dark(False)
        page.open(path)
        opens_scenarios(page, path)
        enter(page, "find", "")
        there = [name for name in texts(page, "#x option") if name.startswith("time in ")]
        check("other sizes have the same variants", len(there) == 9 or print(there))
        pick(page, "#x", next(name for name in there if "m=16K n=256" in name))
        check("whose times may be an axis", is_drawn(page, "#explorer canvas"))
        shows_worth(page, path)
        explains(page)
        rows = texts(page, "#standing .bars tr")
        check("arithmetic has a limit", any("of 66.91 TFLOP/s (FP32 units)" in row for row in rows) or print(rows))
        check("which is the nearest of a kernel with much arithmetic", any("arithmetic" in tile for tile in texts(page, "#tiles > div")))
        check("all winners and defaults of the GPU are under the roofs", page.run("document.querySelectorAll('#roofline circle').length") == 36)
        check("a part of the trials has no best so far", page.run("document.getElementById('progress').parentElement.clientHeight") == 0)
        fetches_nothing(page, path)


def too_wide(page):
    """Returns the elements that are too wide or overlap with others, except in boxes that can be scrolled."""
    return page.run("""(() => {
        const name = one => `${one.tagName} ${one.id || one.className} ${one.textContent.slice(0, 30)}`;
        const free = [...document.querySelectorAll('body *')].filter(one => one.checkVisibility() &&
            !one.closest('.rows, .heat, pre, select, svg, .unseen, #tip'));
        const wide = free.filter(one => one.scrollWidth > one.clientWidth + 1 && one.clientWidth
            || one.getBoundingClientRect().right > innerWidth);
        const boxes = [...free.filter(one => one.matches('#tiles > div, section, nav, header > *, .row > *, figure')),
            ...document.querySelectorAll('.roof text')].map(one => [one, one.getBoundingClientRect()]);
        const overlap = boxes.filter(([one, a]) => boxes.some(([other, b]) => one !== other && !one.contains(other) &&
            !other.contains(one) && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
        return [...wide, ...overlap.map(([one]) => one)].map(name);
    })()""")


def test_layout():
    """Checks the layout at each width, and writes pictures of the light and the dark page."""
    path = make("report", "", "--db", TABLES, "--gpu", "NVIDIA H200")
    with Page() as page:
        page.open(path)
        open_scenario(page, "gemm m=4K")
        page.until("document.getElementById('scenario-title').textContent.startsWith('gemm m=4K')")
        enter(page, "find", "")
        page.run("document.activeElement.blur()")
        page.move(2, 2)
        for width in WIDTHS:
            page.resize(width)
            check(f"a page of {width} pixels does not scroll sideways", page.run("document.documentElement.scrollWidth <= innerWidth"))
            wide = too_wide(page)
            check(f"and nothing overlaps at {width} pixels", wide == [] or print(wide))
            for dark in (False, True):
                page.dark(dark)
                height = page.run("document.documentElement.scrollHeight")
                for top in range(0, height, 800):
                    page.run(f"scrollTo(0, {top})")
                    page.frame()
                page.run("scrollTo(0, 0)")
                page.frame()
                page.picture(os.path.join(OUT, f"page-{width}-{'dark' if dark else 'light'}.png"), (0, 0, width, height))
        page.resize(1280)
        page.dark(False)
        picture = os.path.join(OUT, "report.png")
        page.picture(picture, (0, 0, 1265, 1500), 0.75)
        check("the picture is small", os.path.getsize(picture) < PICTURE_BYTES or print(os.path.getsize(picture)))
        fetches_nothing(page, path)


def test_tuning():
    """On the page of warm --report, new results appear by themselves, and typed text stays."""
    database, path = os.path.join(OUT, "tuning.db"), os.path.join(OUT, "tuning.html")
    for old in (database, path):
        if os.path.exists(old):
            os.remove(old)
    command = [os.path.join(BUILD, "gputune"), "warm", "axpy", "--driver", "emu", "--db", database, "--report", path,
               "--size", "n=2000,4000,8000,16000", "-q"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as tuning, Page() as page:
        while not os.path.exists(path):
            time.sleep(0.1)
        page.open("file://" + path)
        page.until("document.querySelectorAll('#scenarios tbody a').length > 0")
        check("it shows what is being tuned", text(page, "#live").startswith("Being tuned: axpy"))
        enter(page, "filter", "VEC=4")
        page.run("document.getElementById('filter').blur()")
        page.until("document.querySelectorAll('#scenarios tbody a').length > 1")
        check("the scenario that is being tuned comes first", page.until("document.querySelector('#scenarios tbody td').textContent.includes('(being tuned')"))
        check("what was typed stays", page.run("document.getElementById('filter').value") == "VEC=4")
        check("the tuning ended well", tuning.wait() == 0)
        page.until("document.getElementById('live').textContent === ''")
        check("at the end it has all", len(texts(page, "#scenarios tbody tr")) == 4)
        check("no error in the console", page.errors == [] or print(page.errors))
        page.open(make("again", "", "--db", database, "--tuning", "axpy n=8000 T=float", "--tuning", "axpy n=3 T=float"))
        check("one without trials is listed", texts(page, "#scenarios td:first-child")[:2] ==
              ["axpy n=3 T=float (being tuned; no trial is stored yet)", "axpy n=8000 T=float (being tuned)"])
        check("one with trials is opened", text(page, "#scenario-title").startswith("axpy n=8000 T=float (being tuned)"))


def main():
    os.makedirs(OUT, exist_ok=True)
    for test in (test_many, test_order, test_hostile, test_little, test_scenarios, test_layout, test_tuning):
        if len(sys.argv) < 3 or test.__name__ in sys.argv[2:]:
            test()
    print(f"{check.results.count(True)} passed, {check.results.count(False)} failed")
    sys.exit(not all(check.results))


main()
