"""Models of others turned into ONNX, written node by node from their weights: no PyTorch, no tracer. Needs the extra `export`."""
