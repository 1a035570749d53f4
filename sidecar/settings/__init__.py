"""Settings as people write them, general over the models: the environment read, and what is wrong said in plain words."""
