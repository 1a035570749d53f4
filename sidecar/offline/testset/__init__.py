"""Test sets: cases made from documents, by the judge or by rule, and from results of production."""
