"""What `tools/measure.py` measures with."""
