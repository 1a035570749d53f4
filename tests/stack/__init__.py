"""The services of compose.yaml without containers: the same configuration files, commands and environment, on 127.0.0.1.

model.py     what compose.yaml says, as Compose's own loader reads it
places.py    addresses and paths of containers, written as those of this machine
stack.py     starts the services and ends them
__main__.py  `make stack`
"""
