"""The records of delimited text, with the line each ends on; used by data sets and by people's own tables."""

import csv
import io


def csv_records(source, text, error, delimiter=","):
    """Records that are not blank, and the line each ends on.

    Parameters
    ----------
    source : str or Path
        Named in messages.
    text : str
        The whole text.
    error : type of exception
        Raised, with one line, where the text is malformed or empty.
    delimiter : str, default=","
        Between fields.

    Returns
    -------
    records : list of list of str
        Fields without surrounding blanks.
    lines : list of int
        Numbers of their last lines, from 1.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records, lines = [], []
    try:
        for record in reader:
            if record:
                records.append([field.strip() for field in record])
                lines.append(reader.line_num)
    except csv.Error as problem:
        raise error(f"{source}, line {reader.line_num}: {problem}") from problem
    if not records:
        raise error(f"{source}: the file is empty")
    return records, lines
