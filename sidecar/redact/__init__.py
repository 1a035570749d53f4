"""Personal data and secrets found in text, and replaced by pseudonyms before the text leaves the process."""
