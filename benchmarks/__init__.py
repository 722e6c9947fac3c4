"""What is measured: the catalogue of speed benchmarks, and measurements of strength."""
