"""A frame as the bytes of every format that tables are read from."""

import io


def as_bytes(frame, form):
    """The file; a gap is what the format calls one. LIBSVM takes the columns of numbers, and the class as 0, 1, ..."""
    return WRITERS[form](frame)


def _delimited(delimiter):
    return lambda frame: frame.to_csv(index=False, sep=delimiter, na_rep="NA").encode()


def _parquet(frame):
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


def _aligned(frame):
    cells = frame.astype(object)
    return (cells.where(frame.notna() & (frame != ""), "NA").to_string(index=False) + "\n").encode()


def _feather(frame):
    file = io.BytesIO()
    frame.to_feather(file)
    return file.getvalue()


def _excel(frame):
    file = io.BytesIO()
    frame.to_excel(file, index=False)
    return file.getvalue()


def _arff(frame):
    values = {name: "{" + ", ".join(sorted(frame[name].dropna().astype(str).unique())) + "}" for name in frame}
    kinds = ["NUMERIC" if frame[name].dtype.kind in "fi" else values[name] for name in frame]
    head = "".join(f"@attribute '{name}' {kind}\n" for name, kind in zip(frame, kinds, strict=True))
    rows = frame.to_csv(index=False, header=False, na_rep="?")
    return f"% a comment\n@RELATION people\n\n{head}@DATA\n{rows}".encode()


def _libsvm(frame):
    labels = frame["class"].astype("category").cat.codes
    numbers = frame.select_dtypes("number").to_numpy().tolist()
    rows = (" ".join(f"{i}:{value!r}" for i, value in enumerate(row, 1)) for row in numbers)
    return "".join(f"{label} {row}\n" for label, row in zip(labels, rows, strict=True)).encode()


WRITERS = {
    "csv": _delimited(","),
    "tsv": _delimited("\t"),
    "txt": _aligned,
    "xlsx": _excel,
    "jsonl": lambda frame: frame.to_json(orient="records", lines=True).encode(),
    "json": lambda frame: frame.to_json(orient="records", indent=2).encode(),
    "feather": _feather,
    "parquet": _parquet,
    "arff": _arff,
    "libsvm": _libsvm,
}
