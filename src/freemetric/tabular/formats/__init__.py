"""Files of tables, one format per file: bytes in, a Table out."""

from .arff import read_arff
from .delimited import read_csv, read_tsv, read_txt
from .excel import read_excel
from .feather import read_feather
from .json_records import read_json
from .libsvm import read_libsvm
from .parquet import read_parquet
from .reading_options import Reader, ReadingOptions

FORMATS: dict[str, Reader] = {
    "csv": read_csv,
    "tsv": read_tsv,
    "txt": read_txt,
    "excel": read_excel,
    "jsonl": read_json,
    "json": read_json,
    "feather": read_feather,
    "parquet": read_parquet,
    "arff": read_arff,
    "libsvm": read_libsvm,
}
"""What reads a file, by the name of its format."""

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "txt",
    ".dat": "txt",
    ".data": "txt",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arff": "arff",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
}
"""The format that the end of a name stands for."""

ADVICE = {
    ".xls": "a file of Excel 97-2003; save it as .xlsx or .csv",
    ".xlsb": "a binary workbook; save it as .xlsx or .csv",
    ".ods": "an OpenDocument file; save it as .xlsx or .csv",
    ".numbers": "a file of Numbers; export it as .xlsx or .csv",
    ".sav": "a file of SPSS; save it as .csv",
    ".dta": "a file of Stata; save it as .csv",
    ".sas7bdat": "a file of SAS; save it as .csv",
    ".rds": 'a file of R; write.csv(x, "x.csv", row.names = FALSE) writes one that can be read',
    ".rdata": 'a file of R; write.csv(x, "x.csv", row.names = FALSE) writes one that can be read',
    ".pkl": "a pickle, which could run code; save the table as .parquet or .csv",
    ".pickle": "a pickle, which could run code; save the table as .parquet or .csv",
    ".h5": "an HDF5 file; save its table as .parquet or .csv",
    ".tar": "a tar archive; unpack it first",
    ".tgz": "a tar archive; unpack it first",
    ".zst": "packed by zstd; unpack it first",
    ".7z": "packed by 7-Zip; unpack it first",
    ".rar": "packed by RAR; unpack it first",
}
"""What to do about files that are not read."""

__all__ = ["ADVICE", "FORMATS", "SUFFIXES", "Reader", "ReadingOptions"]
