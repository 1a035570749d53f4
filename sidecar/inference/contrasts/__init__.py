"""Words by which two statements on the same matter exclude each other: opposites, negations, places and steps exchanged (`han_` Chinese, the others English)."""
