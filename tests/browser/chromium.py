"""Controls a headless Chromium over two pipes with its DevTools protocol. Needs only Python and the browser."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


class Failed(Exception):
    pass


class Page:
    """The only page of a new browser. `errors` has the messages of its console and its exceptions, `fetched` the
    requested addresses."""

    def __init__(self, width=1280, height=900, limit_s=60):
        self.folder = tempfile.mkdtemp()
        self.limit_s = limit_s
        ours, theirs = os.pipe(), os.pipe()
        child_reads, self.out = ours
        self.inp, child_writes = theirs
        command = [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
                   "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={self.folder}",
                   f"--window-size={width},{height}", "about:blank"]

        def place():  # the browser reads descriptor 3 and writes 4
            read, write = os.dup(child_reads), os.dup(child_writes)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, preexec_fn=place, close_fds=False)
        os.close(child_reads)
        os.close(child_writes)
        self.pending, self.number, self.session = b"", 0, None
        self.errors, self.fetched, self.loaded = [], [], False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.inp)
        os.close(self.out)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def read(self):
        while b"\0" not in self.pending:
            got = os.read(self.inp, 1 << 20)
            if not got:
                raise Failed("the browser has ended")
            self.pending += got
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        method, about = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(about["exceptionDetails"].get("exception", {}).get("description", str(about)))
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.errors.append(str(about["args"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.errors.append(about["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.fetched.append(about["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def run(self, script):
        """Returns the value of an expression in the page; waits if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failed(f"{script}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def until(self, script):
        """Waits for an expression to become true, and returns it."""
        end = time.monotonic() + self.limit_s
        while time.monotonic() < end:
            try:
                value = self.run(script)
            except Failed:  # the page is being loaded again
                value = None
            if value:
                return value
            time.sleep(0.05)
        raise Failed(f"it never came to {script}")

    def open(self, path):
        """Opens a file or an address; returns the seconds until the page was drawn."""
        self.errors, self.fetched, self.loaded = [], [], False
        began = time.monotonic()
        self.call("Page.navigate", url=path if "://" in path else "file://" + os.path.abspath(path))
        while not self.loaded:
            self.note(self.read())
        self.frame()
        return time.monotonic() - began

    def frame(self):
        """Waits until pending changes are drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.frame()

    def click(self, selector):
        x, y = self.middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.frame()

    def middle(self, selector):
        """Scrolls an element into view and returns its centre."""
        return self.run(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: 'center'}});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")

    def press(self, key, code=0, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))
        self.frame()

    def type(self, text):
        self.call("Input.insertText", text=text)

    def dark(self, on):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme",
                                                           "value": "dark" if on else "light"}])
        self.frame()

    def resize(self, width, height=1000):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.frame()

    def picture(self, path, clip=None, scale=1):
        """Stores a PNG of the window, or of `clip` (x, y, width, height) of the page."""
        more = {"clip": dict(zip(("x", "y", "width", "height"), clip), scale=scale), "captureBeyondViewport": True} if clip else {}
        data = self.call("Page.captureScreenshot", format="png", **more)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


def find():
    """Returns the browser's path, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
