"""Tasks: what classification and regression ask of an ensemble, a file each."""
