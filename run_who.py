from sidecar.inference.answers import told as T
from sidecar.inference.answers.reading import Asked
