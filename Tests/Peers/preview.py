"""A previewed shop in a real browser, without a window: JSON in, JSON out.

usage: preview.py story | keyboard | reading | attack | large | hostile | live | pages

Each command opens the page at `url` in the browser `chromium`, and answers with `checks`: an `id`, `ok` and a `note`
each.

story     Clicks through the demo: grandfathering, content, wallets, bundles, refunds, Ask to Buy, the network, undo.
keyboard  Does the same with the keyboard alone, and looks whether each focus can be seen.
reading   Has axe look at the page in all sizes and both appearances, and compares the languages.
attack    Opens pages of two other origins, which know the address and try to read it and to do something.
large     Scrolls through the products from the top to the end and back.
hostile   Looks whether the texts `texts` stay text, and whether the page keeps its width.
live      Replaces the file `catalog` by rename, and waits for the page to follow.
pages     Has axe look at the pages `files`, which are opened from the disk without scripts.
"""

import json
import os
import sys

# The sources' folder stays as it is.
sys.dont_write_bytecode = True

import preview_attack
import preview_files
import preview_story
from preview_browser import Browser


def main():
    # A proxy of the machine is not asked about a server on the same machine.
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "*"
    asked = json.load(sys.stdin)
    commands = {
        "story": preview_story.story, "keyboard": preview_story.keyboard, "reading": preview_story.reading,
        "attack": preview_attack.attack, "large": preview_files.large, "hostile": preview_files.hostile,
        "live": preview_files.live, "pages": preview_files.pages,
    }
    with Browser(asked["chromium"]) as browser:
        commands[sys.argv[1]](browser, asked)
        json.dump({"checks": browser.checks}, sys.stdout)


main()
