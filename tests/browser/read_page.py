#!/usr/bin/env python3
"""Parses a page of `gputune report` like a browser, and prints a summary of its data: read_page.py FILE.
Reports mistakes of the page: text that would be executed, or addresses that would be fetched."""
import base64
import hashlib
import html.parser
import json
import re
import sys

VOID = {"meta", "input", "br", "link", "img"}
PAGE_BYTES = 2 * 1024 * 1024  # without data


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.parts, self.policy = [], [], {}, ""

    def handle_starttag(self, tag, attrs):
        about = dict(attrs)
        self.wrong += [f"<{tag} {name}>" for name in about if name.startswith("on") or name in ("src", "href", "style")]
        if about.get("http-equiv") == "Content-Security-Policy":
            self.policy = about["content"]
        if tag in ("script", "style"):
            self.parts.setdefault(about.get("id", tag), []).append("")
            self.part = about.get("id", tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.parts[self.part][-1] += data


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    reader = Reader()
    reader.feed(text)
    reader.close()
    wrong = reader.wrong + [f"<{tag}> is not closed" for tag in reader.open]
    if sorted(reader.parts) != ["data", "script", "style"] or any(len(part) > 1 for part in reader.parts.values()):
        wrong.append(f"elements of code: {sorted(reader.parts)}")
    data = reader.parts["data"][0]
    for part in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(reader.parts[part][0].encode()).digest()).decode()
        if f"{part}-src 'sha256-{digest}'" not in reader.policy:
            wrong.append(f"the policy does not know the {part}")
    rest = text.replace(data, "")
    wrong += re.findall(r"https?://[^ ]*", rest)
    if len(rest.encode()) > PAGE_BYTES:
        wrong.append(f"{len(rest.encode())} bytes without data")
    report = json.loads(data)
    print("schema", report["schema"])
    for scenario in report["scenarios"]:
        print(f"{scenario['kernel']} {scenario['sizes']} on {scenario['gpu']}: {scenario['variants']} trials, "
              f"winner {scenario['configuration']}, {'with' if scenario['code'] else 'without'} its source")
        print(" ", *scenario["trials"])
    print("axes", *sorted({row["axis"] for row in report["shown"]["axes"]}))
    print("records", len(report["shown"]["records"]))
    for line in wrong:
        print("wrong:", line)


main()
