"""What freemetric survives, one file for every row of the table; ``make survive`` makes it."""
