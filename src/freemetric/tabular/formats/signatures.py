"""What a file is by its first bytes, whatever its name."""

from ..table import InputError

PARQUET, ARROW, FEATHER_1, OLD_EXCEL = b"PAR1", b"ARROW1", b"FEA1", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
WORKBOOK = "[Content_Types].xml"  # a file in every workbook
BINARY = {PARQUET: "parquet", ARROW: "feather", FEATHER_1: "feather", b"PK\x03\x04": "excel"}
"""Formats that are told by their first bytes."""

OTHERS = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"II*\0": "a TIFF picture",
    b"MM\0*": "a TIFF picture",
    b"%PDF": "a PDF document; save its table as .csv",
    b"{\\rtf": "a text document (RTF); save its table as .csv",
    OLD_EXCEL: "a file of Excel 97-2003 or one with a password; save it as .xlsx or .csv without one",
    b"\x7fELF": "a program",
    b"SQLite format 3": "a database of SQLite; export a table as .csv",
    b"\x89HDF": "an HDF5 file; save its table as .parquet or .csv",
    b"\x93NUMPY": "an array of numpy; save it as .csv",
    b"\x80\x04\x95": "a pickle, which could run code; save the table as .parquet or .csv",
    b"\x80\x05\x95": "a pickle, which could run code; save the table as .parquet or .csv",
    b"\x28\xb5\x2f\xfd": "packed by zstd; unpack it first",
    b"7z\xbc\xaf": "packed by 7-Zip; unpack it first",
    b"Rar!": "packed by RAR; unpack it first",
    b"<!doctype html": "a web page; was a log-in needed to fetch the file?",
    b"<html": "a web page; was a log-in needed to fetch the file?",
    b"version https://git-lfs": "a pointer of Git LFS; `git lfs pull` fetches the file itself",
}
OPEN_DOCUMENT = b"mimetypeapplication/vnd.oasis.opendocument"  # behind the head of a zip file


def check_signature(source: str, content: bytes, form: str) -> None:
    """InputError where a file begins as another kind of file than its name or ``--format`` says."""
    start = content[:512]
    if OPEN_DOCUMENT in start[:100]:
        raise InputError(f"{source}: an OpenDocument file; save its table as .xlsx or .csv")
    if start[257:262] == b"ustar":
        raise InputError(f"{source}: a tar archive; unpack it first")
    other = next((what for mark, what in OTHERS.items() if start.lower().startswith(mark.lower())), None)
    if other and (form != "excel" or not start.startswith(OLD_EXCEL)):  # of which its reader knows more
        raise InputError(f"{source}: {other}")
    binary = binary_format(content)
    if binary and form not in (binary, "parquet", "feather", "excel"):  # whose readers say what they find
        raise InputError(f"{source}: its content is of the format {binary}; --format {binary} reads it")


def binary_format(content: bytes) -> str | None:
    """The format that the first bytes say; None is text, or something unknown."""
    return next((form for mark, form in BINARY.items() if content.startswith(mark)), None)


def text_format(text: str) -> str:
    """The format that a text seems to have: of a pipe there is no name to go by."""
    start = text.lstrip()[:200].lower()
    if start.startswith(("{", "[")):
        return "jsonl"
    if start.startswith(("@relation", "@attribute", "%")):
        return "arff"
    return "csv"
