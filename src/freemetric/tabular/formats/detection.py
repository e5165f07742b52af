"""The format of a file, by the end of its name or by its first bytes."""

from pathlib import PurePath

from ..table import InputError

SUFFIXES = {
    **dict.fromkeys([".csv"], "csv"),
    **dict.fromkeys([".tsv", ".tab"], "tsv"),
    **dict.fromkeys([".txt", ".dat", ".data"], "txt"),
    **dict.fromkeys([".xlsx", ".xlsm"], "excel"),
    **dict.fromkeys([".jsonl", ".ndjson"], "jsonl"),
    **dict.fromkeys([".json"], "json"),
    **dict.fromkeys([".feather", ".arrow", ".ipc"], "feather"),
    **dict.fromkeys([".parquet", ".pq"], "parquet"),
    **dict.fromkeys([".arff"], "arff"),
    **dict.fromkeys([".libsvm", ".svm", ".svmlight"], "libsvm"),
}
"""The format that the end of a name stands for."""

R_FILE = 'a file of R; write.csv(x, "x.csv", row.names = FALSE) writes one that can be read'
PICKLE = "a pickle, which could run code; save the table as .parquet or .csv"
HDF5 = "an HDF5 file; save its table as .parquet or .csv"
TAR, ZSTD = "a tar archive; unpack it first", "packed by zstd; unpack it first"
SEVEN_ZIP, RAR = "packed by 7-Zip; unpack it first", "packed by RAR; unpack it first"
WEB_PAGE = "a web page; was a log-in needed to fetch the file?"
ADVICE = {
    ".xls": "a file of Excel 97-2003; save it as .xlsx or .csv",
    ".xlsb": "a binary workbook; save it as .xlsx or .csv",
    ".ods": "an OpenDocument file; save it as .xlsx or .csv",
    ".numbers": "a file of Numbers; export it as .xlsx or .csv",
    ".sav": "a file of SPSS; save it as .csv",
    ".dta": "a file of Stata; save it as .csv",
    ".sas7bdat": "a file of SAS; save it as .csv",
    **dict.fromkeys([".rds", ".rdata"], R_FILE),
    **dict.fromkeys([".pkl", ".pickle"], PICKLE),
    ".h5": HDF5,
    **dict.fromkeys([".tar", ".tgz"], TAR),
    ".zst": ZSTD,
    ".7z": SEVEN_ZIP,
    ".rar": RAR,
}
"""What to do about files that are not read, by the end of their names."""

ARROW, FEATHER_1, OLD_EXCEL = b"ARROW1", b"FEA1", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
BINARY = {b"PAR1": "parquet", ARROW: "feather", FEATHER_1: "feather", b"PK\x03\x04": "excel"}
OTHERS = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    **dict.fromkeys([b"II*\0", b"MM\0*"], "a TIFF picture"),
    b"%PDF": "a PDF document; save its table as .csv",
    b"{\\rtf": "a text document (RTF); save its table as .csv",
    OLD_EXCEL: "a file of Excel 97-2003 or one with a password; save it as .xlsx or .csv without one",
    b"\x7fELF": "a program",
    b"SQLite format 3": "a database of SQLite; export a table as .csv",
    b"\x89HDF": HDF5,
    b"\x93NUMPY": "an array of numpy; save it as .csv",
    **dict.fromkeys([b"\x80\x04\x95", b"\x80\x05\x95"], PICKLE),
    b"\x28\xb5\x2f\xfd": ZSTD,
    b"7z\xbc\xaf": SEVEN_ZIP,
    b"Rar!": RAR,
    **dict.fromkeys([b"<!doctype html", b"<html"], WEB_PAGE),
    b"version https://git-lfs": "a pointer of Git LFS; `git lfs pull` fetches the file itself",
}
"""What to do about files that are not read, by their first bytes."""

OPEN_DOCUMENT = b"mimetypeapplication/vnd.oasis.opendocument"  # behind the head of a zip file


def format_of_name(name: str, source: str) -> str:
    """The format that the suffix of a name stands for; ``source`` begins a message."""
    suffix = PurePath(name).suffix.lower()
    if suffix in ADVICE:
        raise InputError(f"{source}: {ADVICE[suffix]}")
    if suffix not in SUFFIXES:
        raise InputError(f"{source}: its suffix is none of {', '.join(SUFFIXES)}; --format says what it is")
    return SUFFIXES[suffix]


def format_of_content(content: bytes) -> str:
    """The format that a file without a name seems to have."""
    start = content[:1000].decode("utf-8", "replace").lstrip()[:200].lower()
    if binary := _binary_format(content):
        return binary
    if start.startswith(("{", "[")):
        return "jsonl"
    return "arff" if start.startswith(("@relation", "@attribute", "%")) else "csv"


def check_signature(source: str, content: bytes, form: str) -> None:
    """InputError where a file begins as another kind of file than its name or ``--format`` says."""
    start = content[:512]
    if OPEN_DOCUMENT in start[:100]:
        raise InputError(f"{source}: an OpenDocument file; save its table as .xlsx or .csv")
    if start[257:262] == b"ustar":
        raise InputError(f"{source}: {TAR}")
    other = next((what for mark, what in OTHERS.items() if start.lower().startswith(mark.lower())), None)
    if other and (form != "excel" or not start.startswith(OLD_EXCEL)):  # of which its reader knows more
        raise InputError(f"{source}: {other}")
    binary = _binary_format(content)
    if binary and form not in (binary, "parquet", "feather", "excel"):  # whose readers say what they find
        raise InputError(f"{source}: its content is of the format {binary}; --format {binary} reads it")


def _binary_format(content: bytes) -> str | None:
    return next((form for mark, form in BINARY.items() if content.startswith(mark)), None)
