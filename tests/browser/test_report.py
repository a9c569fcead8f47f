#!/usr/bin/env python3
"""The page of `gputune report` in a headless browser: test_report.py BUILD. Writes BUILD/browser/*.png,
of which report.png is the picture of the README (docs/report.png)."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chromium import Page  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
OUT = os.path.join(BUILD, "browser")
LONGEST_S = 3  # for 10^5 trials
PICTURE_BYTES = 200_000


def make(name, words="", *options):
    """A page of canned answers, or with `options` of a database."""
    path = os.path.join(OUT, name + ".html")
    program = "gputune" if options else "tests/cli/gputune-fake"
    subprocess.run([os.path.join(BUILD, program), "report", "-o", path, *options], check=True,
                   env={**os.environ, "GPUTUNE_FAKE": words})
    return path


def check(what, good):
    print(f"{'ok' if good else 'FAILED'}: {what}")
    check.results.append(bool(good))


check.results = []


def fetches_nothing(page, path):
    check("no error in the console", page.errors == [] or print(page.errors))
    check("nothing is fetched", page.fetched == ["file://" + path] or print(page.fetched))


def tip(page):
    return page.run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")


def count_rows(page):
    return int(page.run("document.querySelector('#trials table').getAttribute('aria-rowcount')")) - 1


def cells(page, title):
    """The texts of a column of the table, of the rows that are there."""
    return page.run(f"""(() => {{
        const heads = [...document.querySelectorAll('#trials thead th')].map(head => head.textContent);
        return [...document.querySelectorAll('#trials tbody tr:not(.space)')]
            .map(row => row.children[heads.indexOf({json.dumps(title)})].textContent);
    }})()""")


def show_only(page, text):
    page.run("document.getElementById('filter').focus(); document.getElementById('filter').value = ''")
    page.type(text or " ")
    page.run("new Promise(done => setTimeout(done, 200))")
    page.frame()


def looked_at(page):
    page.middle("#landscape canvas")
    page.frame()
    # the place of the fastest trial in the first figure
    x, y = page.run("""(() => {
        const canvas = document.querySelector('#landscape canvas'), figure = canvas.figure;
        const box = canvas.getBoundingClientRect(), [x, y] = figure.at(figure.view.byTime()[0]);
        return [box.x + x, box.y + y];
    })()""")
    page.move(x, y)
    check("pointing at a trial tells its configuration", "TILE_X=1 TILE_Y=1" in tip(page))
    check("and its time", "198.1 µs [197.9 µs, 198.3 µs]" in tip(page))
    page.move(2, 2)
    check("which goes with the pointer", tip(page) == "")


def filtered(page):
    show_only(page, "TILE_X=2,4 STAGING=shared registers<=64")
    check("a filter leaves 10000 trials", count_rows(page) == 10000)
    check("which have what it asks for", set(cells(page, "TILE_X")) <= {"2", "4"} and
          set(cells(page, "STAGING")) == {"shared"})
    check("and says so", page.run("document.getElementById('count').textContent") == "10000 of 100000 trials")
    show_only(page, "too many resources")
    check("words are looked for in messages", count_rows(page) == 2000)
    show_only(page, "slower<1.05 status=ok")
    check("figures may be conditions", 0 < count_rows(page) < 1000 and set(cells(page, "outcome")) == {"ok"})
    show_only(page, "")
    check("without a filter all are there", count_rows(page) == 100000)


def sorted_by(page):
    head = "#trials thead th:nth-child(2) button"
    page.click(head)
    check("a title sorts", set(cells(page, "TILE_X")) == {"1"})
    page.click(head)
    check("and sorts back", set(cells(page, "TILE_X")) == {"512"})
    check("which is said", page.run("document.querySelector('#trials th:nth-child(2)').getAttribute('aria-sort')") == "descending")
    check("only rows in sight are there", len(cells(page, "trial")) < 100)
    page.run("document.getElementById('trials').scrollTop = 1e9")
    page.frame()
    check("the last ones at the end", set(cells(page, "TILE_X")) == {"1"})


def keys(page):
    page.run("document.querySelector('#landscape canvas').focus()")
    page.press("ArrowRight")
    said = page.run("document.getElementById('said').textContent")
    check("the arrow keys say the fastest trial", said.startswith("TILE_X=1 TILE_Y=1 UNROLL=1"))
    page.press("ArrowRight")
    check("and then the next", page.run("document.getElementById('said').textContent") != said)
    page.press("Enter", 13)
    check("Enter holds it", page.run("document.getElementById('said').textContent").startswith("held: "))
    held = page.run("document.querySelector('#trials tr.held td').textContent")
    check("which the table shows", held in cells(page, "trial"))
    page.press("Escape", 27)
    unnamed = page.run("""[...document.querySelectorAll('button, input, select, canvas, svg[role], table, [tabindex]')]
        .filter(one => !(one.getAttribute('aria-label') || one.getAttribute('aria-labelledby') || one.labels?.length
            || one.textContent.trim())).map(one => one.outerHTML.slice(0, 80))""")
    check("whatever takes the focus has a name", unnamed == [] or print(unnamed))
    page.run("document.getElementById('theme').focus()")
    stops = {"theme"}
    for _ in range(20):
        page.press("Tab", 9)
        stops.add(page.run("document.activeElement.id || document.activeElement.tagName"))
    check("the tabulator reaches links, fields, figures", {"theme", "filter", "A", "CANVAS"} <= stops or print(stops))


def colours_of(page):
    return page.run("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")


def themes(page):
    page.dark(False)
    light = colours_of(page)
    page.dark(True)
    dark = colours_of(page)
    check("the system's theme is followed", light[0] == "rgb(255, 255, 255)" and dark[0] != light[0] and dark[1] != light[1])
    page.run("var theme = document.getElementById('theme'); theme.value = 'light'; theme.dispatchEvent(new Event('change'))")
    page.frame()
    check("unless another one is chosen", colours_of(page) == light)
    page.run("theme.value = 'dark'; theme.dispatchEvent(new Event('change'))")
    page.dark(False)
    check("either way", colours_of(page) == dark)
    page.run("theme.value = 'system'; theme.dispatchEvent(new Event('change'))")


def is_drawn(page, selector):
    """Whether a canvas, scrolled into sight, has a few colours."""
    page.middle(selector)
    page.run("new Promise(done => setTimeout(done, 100))")
    page.frame()
    return page.run(f"""(() => {{
        const canvas = document.querySelector({json.dumps(selector)});
        const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        return new Set(pixels).size;
    }})()""") > 5


def title_of_progress(page):
    return page.run("document.querySelector('#progress canvas').figure.xTitle")


def test_many():
    path = make("many", "many")
    print(f"10^5 trials: {os.path.getsize(path) / 1e6:.1f} MB")
    with Page() as page:
        seconds = min(page.open(path) for _ in range(3))
        check(f"10^5 trials are drawn within {LONGEST_S} s ({seconds:.2f} s)", seconds < LONGEST_S)
        for name in ("landscape", "progress", "parallel"):
            check(f"there is a figure of {name}", is_drawn(page, f"#{name} canvas"))
        check("the best so far is shown by seconds", title_of_progress(page).startswith("seconds"))
        check("two axes are a table", page.run("document.querySelectorAll('#heat td').length") == 100)
        looked_at(page)
        filtered(page)
        sorted_by(page)
        keys(page)
        themes(page)
        fetches_nothing(page, path)


def test_hostile():
    path = make("hostile", "hostile")
    with Page() as page:
        page.open(path)
        check("a name that is an element is text",
              page.run("document.getElementById('scenario-title').textContent") ==
              "</script><script>fetch('//x.example')</script> n=64M on <img src=x onerror=alert(1)>")
        check("the best so far is shown by trials where they have one time", title_of_progress(page).startswith("trial"))
        check("it made no elements", page.run("document.querySelectorAll('script').length === 2 && "
                                              "document.querySelectorAll('img, b').length === 0"))
        page.run("var added = document.createElement('script'); added.textContent = 'ran = 1'; document.body.append(added)")
        check("a script that is not the page's does not run", page.run("typeof ran") == "undefined")
        page.errors = [error for error in page.errors if "Content Security Policy" not in error]
        fetches_nothing(page, path)


def test_little():
    """Nothing works, or there is one variant alone."""
    failed = make("failed", "wrong")
    with open(failed, encoding="utf-8") as file:
        text = file.read()
    alone = os.path.join(OUT, "alone.html")
    with open(alone, "w", encoding="utf-8") as file:
        file.write(text.replace("VEC=2 BLOCK=64 UNROLL=2", ""))
    with Page() as page:
        for path in (failed, alone):
            page.open(path)
            check("a scenario without a winner has its trial in the table", cells(page, "outcome") == ["wrong: y[17] is 2, not 3"])
            page.run("document.querySelector('canvas').focus()")
            page.press("ArrowRight")
            page.run("scrollTo(0, 1e6)")
            page.frame()
            fetches_nothing(page, path)


def test_scenarios(database):
    path = make("report", "", "--db", database)
    with Page(1280, 1500) as page:
        page.dark(False)
        page.open(path)
        names = page.run("[...document.querySelectorAll('#overview a')].map(link => link.textContent)")
        check("all scenarios are listed", len(names) == 3)
        page.click("#overview th:nth-child(2) button")
        gpus = page.run("[...document.querySelectorAll('#overview tbody tr')].map(row => row.children[1].textContent)")
        check("by their GPU where that is asked for", gpus == sorted(gpus) and len(set(gpus)) == 2 or print(gpus))
        page.click("#overview thead th:nth-child(2) button")
        link = "#overview tbody tr:nth-child(2) a"
        page.click(link)
        check("a click opens another one", page.run(f"document.getElementById('scenario-title').textContent.startsWith("
                                                    f"document.querySelector('{link}').textContent + ' on NVIDIA H200')"))
        check("the same variants elsewhere have a figure", is_drawn(page, "#elsewhere canvas"))
        there = page.run("[...document.querySelectorAll('#other option')].map(option => option.textContent)")
        check("of another size, and of another GPU", len(there) == 2 and any("A100" in name for name in there) or print(there))
        check("default and winner of both stand under the roof", page.run(
            "document.querySelectorAll('#ceiling circle').length") == 4)
        check("the winner's source is there", "__global__" in page.run("document.querySelector('#source pre').textContent"))
        check("figures are saved as PNG", page.run("""new Promise(done => {
            URL.createObjectURL = blob => { done(blob.type); return '#'; };
            document.querySelector('figcaption button').click();
        })""") == "image/png")
        page.run("scrollTo(0, 0)")
        page.frame()
        fetches_nothing(page, path)
        picture = os.path.join(OUT, "report.png")
        page.picture(picture, (0, 0, 1265, 1500), 0.75)
        check("the picture is small", os.path.getsize(picture) < PICTURE_BYTES or print(os.path.getsize(picture)))
        page.dark(True)
        page.run("new Promise(done => setTimeout(done, 200))")
        page.picture(os.path.join(OUT, "dark.png"))


def test_tuning():
    """The page of warm --report: results come by themselves, and what was typed stays."""
    database, path = os.path.join(OUT, "tuning.db"), os.path.join(OUT, "tuning.html")
    for old in (database, path):
        if os.path.exists(old):
            os.remove(old)
    command = [os.path.join(BUILD, "gputune"), "warm", "axpy", "--driver", "emu", "--db", database, "--report", path,
               "--size", "n=2000,4000,8000,16000", "--only", "VEC=1,4", "-q"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as tuning, Page() as page:
        while not os.path.exists(path):
            time.sleep(0.1)
        page.open("file://" + path)
        page.until("document.querySelectorAll('#overview tbody tr').length > 0")
        check("it says what is being tuned", page.run("document.getElementById('live').textContent.startsWith('Being tuned: axpy')"))
        page.run("document.getElementById('filter').focus()")
        page.type("VEC=4")
        page.run("document.getElementById('filter').blur()")
        page.until("document.querySelectorAll('#overview tbody tr').length > 1")
        check("what was typed stays", page.run("document.getElementById('filter').value") == "VEC=4")
        check("the tuning ended well", tuning.wait() == 0)
        page.until("document.getElementById('live').textContent === ''")
        check("at the end it has all", page.run("document.querySelectorAll('#overview tbody tr').length") == 4)
        check("no error in the console", page.errors == [] or print(page.errors))


def main():
    os.makedirs(OUT, exist_ok=True)
    test_many()
    test_hostile()
    test_little()
    test_tuning()
    test_scenarios(sys.argv[2])
    print(f"{check.results.count(True)} passed, {check.results.count(False)} failed")
    sys.exit(not all(check.results))


main()
