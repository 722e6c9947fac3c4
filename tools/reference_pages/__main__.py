"""Renews the generated parts of the reference pages: ``python -m tools.reference_pages``."""

from tools.reference_pages import ROOT
from tools.reference_pages.pages import pages, renewed

if __name__ == "__main__":
    for page in pages():
        text = renewed(page)
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
            print(page.relative_to(ROOT))
