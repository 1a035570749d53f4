"""Values in texts: numbers, shares, money, measures, dates and times as what they mean, not as words; see docs/adr/0034."""
