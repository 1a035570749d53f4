"""What an answer to a plain question says of what one sentence tells of two things, or of several in their order: who, which, before or after, first or last. English.

Both stand in the sentence, so no share of words tells the right one from the other: its grammar does. Only plain sentences and plain questions are read; of all others nothing is said.
"""
