"""Words, sentences and syllables are counted as one would by hand, and markup is not prose."""

import io

import pytest

readability = pytest.importorskip("readability", reason="tools are not part of an installed package")
Counts, count = readability.Counts, readability.count


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("The cat sat on the mat.", Counts(6, 1, 6)),
        ("A metric is a map. It learns distances!", Counts(8, 2, 11)),
        ("Errors fall, e.g. by 0.5 points. Why?", Counts(6, 2, 7)),
        ("A list item\n\nanother one", Counts(5, 2, 8)),
        ("They don't use cross-validation.", Counts(4, 1, 8)),
    ],
)
def test_counts(prose, expected):
    assert count([prose]) == expected


def test_flesch_reading_ease():
    assert count(["The cat sat on the mat."]).reading_ease == pytest.approx(206.835 - 1.015 * 6 - 84.6)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *[("vote", 1), ("learned", 1), ("files", 1), ("table", 2), ("samples", 2), ("values", 2), ("weighted", 2)],
        *[("energy", 3), ("linear", 3), ("created", 3), ("gradient", 3), ("temperature", 4), ("classification", 5)],
    ],
)
def test_syllables(word, expected):
    assert readability.syllables(word) == expected


MARKDOWN = """# A heading

Use `fit(X, y)`, see [the guide](page.md). It costs $O(n^2)$ time.

| a | table |
|---|---|

```python
code = "nothing to read"
```

$$
E = m c^2
$$

- One item
- Another **item**
"""

RST = """A heading
=========

Use :class:`Metric` and ``fit``, see `the guide <page.html>`_. It works::

    code = "nothing to read"

.. note::

   Not counted.

===== =====
a     table
===== =====

- One item
- Another *item*
"""


def test_markdown_is_stripped():
    words = [" ".join(sentence) for sentence in readability.sentences(readability.markdown_prose(MARKDOWN))]
    assert words == ["Use code see the guide", "It costs code time", "One item", "Another item"]


def test_rst_is_stripped():
    words = [" ".join(sentence) for sentence in readability.sentences(readability.rst_prose(RST))]
    assert words[:2] == ["Use code and code see the guide", "It works"]
    assert words[-2:] == ["One item", "Another item"]


def test_our_pages_are_read_without_a_network(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["readability.py", "--ours"])
    readability.main()
    assert "| freemetric: README and docs |" in capsys.readouterr().out


def test_the_newest_release_is_chosen(monkeypatch):
    links = ["1.9.0.tar.gz", "1.10.1.tar.gz", "1.11.0rc1.tar.gz", "1.10.1-py3-none-any.whl"]
    page = "".join(f'<a href="../files/x-{link}#sha256=ab12">x-{link}</a><br/>\n' for link in links)
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example/simple")
    monkeypatch.setattr(readability, "urlopen", lambda request, timeout: io.BytesIO(page.encode()))
    address, checksum, file = readability.newest("x")
    assert (address, checksum, file) == (
        "https://index.example/simple/files/x-1.10.1.tar.gz",
        "ab12",
        "x-1.10.1.tar.gz",
    )
