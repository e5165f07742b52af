"""How readable the documentation is, beside that of other projects.

    python tools/readability.py          # ours, scikit-learn's user guide, skrub's and emcee's documentation
    python tools/readability.py --ours   # ours only; needs no network

Prints the number of words, the mean sentence length and the Flesch reading ease of each (higher is easier). The
source archives of the others are fetched into out/readability. Code, tables, formulas, headings, directives and links
are removed first; an inline code span counts as one word of one syllable.
"""

import argparse
import hashlib
import os
import re
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin
from urllib.request import Request, urlopen

from pip._internal.models.index import PyPI

ROOT = Path(__file__).parents[1]
OTHERS = {  # distribution: the folder of its prose within the source archive
    "scikit-learn": "doc/modules/",
    "skrub": "skrub/_docs/",
    "emcee": "docs/",
}
GENERATED = {"_build", "auto_examples", "generated", "_templates", "includes"}
LONGEST = 120  # seconds to wait for an answer


class Counts(NamedTuple):
    """Words, sentences and syllables of a text."""

    words: int
    sentences: int
    syllables: int

    @property
    def sentence_length(self) -> float:
        """Mean number of words in a sentence."""
        return self.words / self.sentences

    @property
    def reading_ease(self) -> float:
        """Flesch's formula (1948)."""
        return 206.835 - 1.015 * self.sentence_length - 84.6 * self.syllables / self.words


# --- markup


def markdown_prose(text: str) -> str:
    """The paragraphs and list items of a Markdown page, separated by blank lines."""
    text = re.sub(r"^(`{3,}|~{3,}|:{3,}).*?^\1 *$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->|\$\$.*?\$\$", "", text, flags=re.DOTALL)
    text = re.sub(r"^(#|\||>|<|\[\^?[^\]]+\]:).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"(\{\w+\})?`+[^`]+`+|(?<!\$)\$[^$\n]+\$", "code", text)
    text = re.sub(r"\[\^\w+\]|!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[\]\([^)]*\)", "link", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return _items(text)


def rst_prose(text: str) -> str:
    """The paragraphs and list items of a reStructuredText page, separated by blank lines."""
    text = _without_blocks(text)
    text = re.sub(r"^.*\n([=\-~^\"'*+#`.:_])\1{2,} *$", "", text, flags=re.MULTILINE)  # headings
    text = re.sub(r"^ *([+|]|={3,}|-{3,}|>>>|\.\.\. ).*$", "", text, flags=re.MULTILINE)  # tables, rules, sessions
    text = re.sub(r"`([^`<]+?)\s*<[^>]*>`__?", r"\1", text)
    text = re.sub(r":[\w:+-]+:`[^`]*`|``[^`]+``|`[^`]+`_{0,2}|\|[^|\n]+\|", "code", text)
    text = re.sub(r"\[\w+\]_|^ *:[\w -]+:.*$", "", text, flags=re.MULTILINE)
    return _items(text)


def _without_blocks(text: str) -> str:
    """Without directives, comments and literal blocks: they end where the text is no longer indented."""
    kept: list[str] = []
    depth = None  # of the line that began a block
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if depth is not None and line.strip() and indent <= depth:
            depth = None
        if depth is None:
            if re.match(r" *\.\.( |$)", line):
                depth = indent
                continue
            if line.rstrip().endswith("::"):
                depth = indent
                line = line.rstrip()[:-1]
            kept.append(line)
    return "\n".join(kept)


def _items(text: str) -> str:
    """List items and definitions become paragraphs of their own; emphasis and bare addresses go."""
    text = re.sub(r"^ *([-*+]|\d+\.|\(?\w\)) +", "\n\n", text, flags=re.MULTILINE)
    return re.sub(r"https?://\S+|[*_]{1,2}(?=\w)|(?<=\w)[*_]{1,2}(?!\w)", "", text)


# --- counting


ABBREVIATION = re.compile(r"\b(e\.g|i\.e|et al|etc|vs|cf|Fig|Eq|resp)\.")


def sentences(prose: str) -> Iterator[list[str]]:
    """The words of every sentence. A paragraph ends a sentence, whatever its last character is."""
    for paragraph in re.split(r"\n\s*\n", prose):
        text = ABBREVIATION.sub(lambda found: found[0].replace(".", ""), " ".join(paragraph.split()))
        for sentence in re.split(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9a-z])", text):
            words = re.findall(r"[^\W\d_]+(?:['-][^\W\d_]+)*", sentence.replace("\u2019", "'"))
            if words:
                yield words


def syllables(word: str) -> int:
    """An estimate by groups of vowels; final silent letters do not count."""
    return sum(max(1, _groups(part)) for part in re.split(r"['-]", word.lower()) if part not in ("s", "t", "re", "ll"))


TWO_SYLLABLES = re.compile(  # groups of vowels that are spoken apart
    r"(?<![tcsgx])(ia|io|iu)|(?<![rtcs])ien|scien|[^q]u[ao]|eo(?!u)(?<!peo)|crea|inea|ea$|[aeiouy]ing"
)
SILENT = re.compile(r"[^aeiouyl]e$|[aeiou]le$|[^aeioutd]ed$|([^aeiouysxzcghl]|[aeiou]l)es$")


def _groups(word):
    return len(re.findall(r"[aeiouy]+", word)) + len(TWO_SYLLABLES.findall(word)) - bool(SILENT.search(word))


def count(proses: Iterable[str]) -> Counts:
    """Counts of several texts together."""
    found = [words for prose in proses for words in sentences(prose)]
    every = [word for words in found for word in words]
    return Counts(len(every), len(found), sum(map(syllables, every)))


# --- where the pages are


def our_pages() -> list[Path]:
    """The README and the pages of docs/, without generated ones."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", *(path for path in found if not GENERATED & set(path.parts))]


def fetch(name: str, folder: Path) -> Path | None:
    """The newest source archive of a distribution, or None where it cannot be fetched.

    ``pip download`` would run the build of an archive to read its metadata, and that of scikit-learn compiles it.
    """
    if archives := _archives(name, folder):
        return archives[-1]
    try:
        address, checksum, file = newest(name)
        data = urlopen(address, timeout=LONGEST).read()
    except (OSError, ValueError):
        return None
    if hashlib.sha256(data).hexdigest() != checksum:
        return None
    (folder / file).write_bytes(data)
    return folder / file


LINK = re.compile(r'<a [^>]*href="([^"#]+)#sha256=(\w+)"([^>]*)>\s*([^<\s]+-(\d+(?:\.\d+)*)\.tar\.gz)\s*</a>')


def newest(name: str) -> tuple[str, str, str]:
    """Address, checksum and name of the newest release's source archive, by the index that pip is configured for."""
    page = f"{os.environ.get('PIP_INDEX_URL', PyPI.simple_url).rstrip('/')}/{name}/"
    listed = urlopen(Request(page, headers={"Accept": "text/html"}), timeout=LONGEST).read().decode()
    links = [found for found in LINK.findall(listed) if "data-yanked" not in found[2]]
    address, checksum, _, file, _ = max(links, key=lambda found: tuple(map(int, found[4].split("."))))
    return urljoin(page, address), checksum, file


def _archives(name: str, folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{name.replace('-', '[-_]')}-*.tar.gz"))


def archived_prose(archive: Path, under: str) -> list[str]:
    """The prose of the pages in a folder of an archive."""
    found = []
    with tarfile.open(archive) as opened:
        for member in opened.getmembers():
            path = member.name.partition("/")[2]
            if not (path.startswith(under) and path.endswith((".rst", ".md"))) or GENERATED & set(path.split("/")):
                continue
            if (file := opened.extractfile(member)) is not None:
                text = file.read().decode("utf-8", "replace")
                found.append(rst_prose(text) if path.endswith(".rst") else markdown_prose(text))
    return found


def row(name: str, proses: list[str]) -> str:
    """A line of the table."""
    found = count(proses)
    if not found.words:
        return f"| {name} | no documentation in the archive | | |"
    return f"| {name} | {found.words:,} | {found.sentence_length:.1f} | {found.reading_ease:.1f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", action="store_true", help="our pages only; needs no network")
    parser.add_argument("--pages", action="store_true", help="a row for each of our pages")
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "readability")
    given = parser.parse_args()
    print("| documentation | words | words per sentence | Flesch reading ease |\n|---|---|---|---|")
    ours = {path: markdown_prose(path.read_text(encoding="utf-8")) for path in our_pages()}
    if given.pages:
        for path, prose in ours.items():
            print(row(str(path.relative_to(ROOT)), [prose]))
    print(row("freemetric: README", [ours[ROOT / "README.md"]]))
    print(row("freemetric: README and docs", list(ours.values())))
    if given.ours:
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, under in OTHERS.items():
        archive = fetch(name, given.folder)
        if archive is None:
            print(f"| {name} | the source archive cannot be fetched | | |", flush=True)
        else:
            print(row(f"{archive.name.removesuffix('.tar.gz')}: {under}", archived_prose(archive, under)), flush=True)


if __name__ == "__main__":
    main()
