# SPDX-License-Identifier: GPL-3.0-or-later
# page.py REPORT WRAPPER: a page that holds the report in frames of several widths and writes what it finds in its own text, for
# tests/report/report.sh to read out of a browser. Also checks, on its own, that every SVG is well-formed and has an alternative text.
import html
import re
import sys
import xml.etree.ElementTree as tree

report, wrapper = sys.argv[1:3]
page = open(report, encoding="utf-8").read()
pictures = re.findall(r"<svg.*?</svg>", page, re.S)
names = []
for picture in pictures:
    root = tree.fromstring(picture)
    if not root.get("aria-label") or root.get("role") != "img":
        sys.exit("an SVG without an alternative text")
    names += [e.get("id") for e in root.iter() if e.get("id")]
if len(names) != len(set(names)):
    sys.exit("two elements of one name")
if len(pictures) != page.count("<figcaption>"):
    sys.exit("a picture without a caption")
frames = "".join(
    f'<iframe width={width} height=3000 srcdoc="{html.escape(page)}"></iframe>' for width in (360, 768, 1280)
)
script = """
addEventListener('load', () => {
  const found = [matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'];
  for (const frame of document.querySelectorAll('iframe')) {
    const page = frame.contentDocument, root = page.documentElement;
    const dots = [...page.querySelectorAll('svg title')].filter(t => t.textContent.trim()).length;
    let empty = 0, hidden = 0, tall = 0;
    for (const row of page.querySelectorAll('tr')) {
      empty += row.textContent.trim() == '' || row.clientHeight == 0;
      tall += row.clientHeight > 200; // words one below the other, the rest of the row blank
    }
    for (const svg of page.querySelectorAll('svg')) {
      const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
      hidden += Math.abs(box.height / box.width - view.height / view.width) > .02; // blank above or below it
    }
    const style = frame.contentWindow.getComputedStyle(page.body);
    found.push(`${frame.width}: over ${root.scrollWidth - root.clientWidth} empty ${empty} tall ${tall} blank ${hidden} dots ${dots} ` +
      `background ${style.backgroundColor} answer ${page.querySelector('.answer').textContent.length > 10}`);
  }
  document.body.innerHTML = '';
  document.body.textContent = found.join('\\n');
});
"""
with open(wrapper, "w", encoding="utf-8") as f:
    f.write(f"<!doctype html><meta charset=utf-8><body>{frames}<script>{script}</script>")
print(len(pictures), "pictures")
