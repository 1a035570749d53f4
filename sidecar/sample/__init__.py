"""Which requests are scored: `rules` choose by trace id and rate, `budget` lowers the rates when scoring cannot keep up."""
