"""How fast is the package, and how strong are its agents? Speed benchmarks and measurements of strength."""
