"""Words by which two statements on the same matter exclude each other: opposites and negations (English)."""
