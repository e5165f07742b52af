"""Bytes as text: in the encoding that is given, marked or valid; else the guess is said with an example."""

import codecs
import re

from ...text_files import text_of
from ..table import InputError, note, quoted

MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # begins with the mark of UTF-16
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
WESTERN = "cp1252"  # Windows in western Europe; Latin-1 but for quotes and the euro
NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f\x7f\x81\x8d\x8f\x90\x9d]")  # controls, and gaps of cp1252
UTF_8_LETTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
MANY_IN_A_ROW = re.compile(rb"[\x80-\xff]{3,}")  # as in texts of other alphabets than the Latin
KANA = re.compile(rb"[\x82\x83]")  # begin Japanese letters, and are rare signs elsewhere
FOREIGN = re.compile(r"[^\s,;|\"]*[^\x00-\x7f][^\s,;|\"]*")  # a word with a letter that is not ASCII
HINT = "; --encoding NAME says what it is: cp1252, cp1251, cp850, shift-jis, gb18030, ..."
NOT_ASCII = bytes(range(0x80, 0x100))
SOME = 4096  # bytes that tell UTF-16 by its zeros
MARK, END_OF_FILE = "\ufeff", "\x1a"  # the second is of DOS


def decoded(source: str, content: bytes, encoding: str | None) -> str:
    """The text of a file without marks of byte order.

    Without an ``encoding`` it is what a mark in front says, else UTF-8 if the bytes are, else cp1252 with a warning
    that shows a word.
    """
    chosen = _recognised(content) if encoding is None else encoding
    try:
        text = text_of(source, content, InputError, chosen, "" if b"\0" in content else HINT).rstrip(END_OF_FILE)
    except (LookupError, UnicodeError) as problem:  # a codec that is none of texts
        raise InputError(f"{source}: cannot be read as {chosen} ({problem})") from problem
    if encoding is None and chosen not in (*MARKS.values(), "utf-8-sig"):
        _say_what_was_guessed(source, text, chosen)
    return _without_marks(source, text.removeprefix(MARK))


def _recognised(content: bytes) -> str:
    """The encoding that a file is in, as far as its bytes tell; UTF-8 where they are no text that we know."""
    marked = next((name for mark, name in MARKS.items() if content.startswith(mark)), None)
    if marked:
        return marked
    even, odd = content[:SOME:2], content[1:SOME:2]
    for name, high, low in [("utf-16-le", odd, even), ("utf-16-be", even, odd)]:
        if 2 * high.count(0) > len(high) and not low.count(0):
            return name
    try:
        content.decode()
    except UnicodeDecodeError:
        return WESTERN if _may_be_western(content) else "utf-8-sig"
    return "utf-8-sig"


def _may_be_western(content: bytes) -> bool:
    """No control characters, and neither mostly UTF-8 nor of another alphabet: letters that nobody wrote."""
    if NO_TEXT.search(content):
        return False
    rest, letters = UTF_8_LETTER.subn(b"", content)
    if letters > _n_foreign(rest):
        return False
    unlikely = sum(map(len, MANY_IN_A_ROW.findall(content))) + len(KANA.findall(content))
    return 2 * unlikely <= _n_foreign(content)


def _n_foreign(content: bytes) -> int:
    return len(content) - len(content.translate(None, NOT_ASCII))


def _say_what_was_guessed(source: str, text: str, encoding: str) -> None:
    example = FOREIGN.search(text)
    shown = f" ({quoted(example[0])})" if example else ""
    why = "no mark says its encoding" if encoding.startswith("utf") else "not UTF-8"
    note(f"{source}: {why}; read as {encoding}{shown}; --encoding NAME says otherwise")


def _without_marks(source: str, text: str) -> str:
    """A mark at the beginning of a line is where two files were put together; elsewhere it is an invisible blank."""
    if MARK not in text:
        return text
    inside = re.search(rf"[\r\n]{MARK}", text)
    if inside:
        line = text.count("\n", 0, inside.end()) + 1
        why = "a second file begins here (a byte-order mark): take them apart"
        raise InputError(f"{source}, line {line}: {why}")
    n = text.count(MARK)
    note(f"{source}: byte-order marks inside the text are left out, {n} of them")
    return text.replace(MARK, "")
