# SPDX-License-Identifier: MIT
"""Drives a headless Chromium over its debugging pipe: pages, clicks, keys, and what went wrong."""
import json
import os
import select
import shutil
import subprocess
import tempfile

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--no-default-browser-check", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--remote-debugging-pipe",
]

# Only a guard against a hang: nothing is expected to come near it.
HANG_SECONDS = 120


class Problem(Exception):
    pass


class Browser:
    """One browser with a profile folder of its own; use it in a with statement."""

    def __init__(self, program=None):
        program = program or shutil.which("chromium")
        if not program:
            raise Problem("chromium is not installed: run tools/install-deps test")
        self.profile = tempfile.mkdtemp(prefix="pyattach-browser-")
        to_browser, self.write_fd = os.pipe()
        self.read_fd, from_browser = os.pipe()
        # The browser reads commands from descriptor 3 and writes to 4.
        line = 'exec "$@" 3<&%d 4>&%d' % (to_browser, from_browser)
        command = [program] + FLAGS + ["--user-data-dir=" + self.profile, "about:blank"]
        self.process = subprocess.Popen(["sh", "-c", line, "sh"] + command,
                                        pass_fds=(to_browser, from_browser),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.pages = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(HANG_SECONDS)
        except (Problem, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.write_fd)
        os.close(self.read_fd)
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self):
        """The next message; events go to their page first."""
        while b"\0" not in self.buffer:
            if not select.select([self.read_fd], [], [], HANG_SECONDS)[0]:
                raise Problem("the browser says nothing for %d s" % HANG_SECONDS)
            chunk = os.read(self.read_fd, 1 << 20)
            if not chunk:
                raise Problem("the browser has ended")
            self.buffer += chunk
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message and message.get("sessionId") in self.pages:
            self.pages[message["sessionId"]].event(message["method"], message["params"])
        return message

    def post(self, method, session=None, **params):
        """Sends a command; returns its number."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if session:
            command["sessionId"] = session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.write_fd, data):]
        return self.number

    def call(self, method, session=None, **params):
        """Sends a command and waits for its answer."""
        number = self.post(method, session, **params)
        while True:
            answer = self.message()
            if answer.get("id") == number:
                break
        if "error" in answer:
            raise Problem("%s: %s" % (method, answer["error"]))
        return answer["result"]

    def open(self, url, width=1200, height=800, script=True):
        """A new page that has loaded the address."""
        page = Page(self, width, height, script)
        page.go(url)
        return page


class Page:
    KEYS = {"Escape": 27, "Enter": 13, "Backspace": 8, "Tab": 9}

    def __init__(self, browser, width, height, script):
        self.browser = browser
        self.problems = []  # console errors, exceptions and dialogs
        self.requests = []  # addresses that it asked for
        self.loaded = False
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target,
                                    flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(domain + ".enable")
        self.resize(width, height)
        if not script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def event(self, method, params):
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.problems.append("exception: %s" % params["exceptionDetails"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.problems.append("console: %s" % params["args"])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append("log: %s" % params["entry"])
        elif method == "Page.javascriptDialogOpening":
            self.problems.append("dialog: %s" % params["message"])
            self.browser.post("Page.handleJavaScriptDialog", self.session, accept=False)

    def go(self, url):
        self.loaded = False
        self.requests.clear()
        self.call("Page.navigate", url=url)
        while not self.loaded:
            self.browser.message()

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def value(self, expression):
        """What a JavaScript expression yields, as JSON has it."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Problem("%s: %s" % (expression, answer["exceptionDetails"]))
        return answer["result"].get("value")

    def settle(self):
        """Returns when what was done so far has been drawn."""
        self.value("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                      clickCount=1)

    def key(self, key, control=False):
        """One key: a character, or a name of KEYS."""
        code = self.KEYS.get(key) or (ord(key.upper()) if key.isalnum() else 0)
        event = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 2 if control else 0}
        if len(key) == 1 and not control:
            event["text"] = key
        self.call("Input.dispatchKeyEvent", type="keyDown", **event)
        event.pop("text", None)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text):
        """Puts text where the cursor is."""
        self.call("Input.insertText", text=text)

    def screenshot(self, path):
        import base64
        self.settle()
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
