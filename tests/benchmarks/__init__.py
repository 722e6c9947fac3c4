"""Tests of the benchmarks: that they run and report; speed is not tested."""
