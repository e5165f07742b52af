"""Files of tables, one format per file: bytes in, a Table out."""
