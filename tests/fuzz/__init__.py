"""A coverage-guided fuzzer of the decoder: mutations of the recordings, kept where they reach code that none reached before."""
