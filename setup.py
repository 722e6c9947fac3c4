"""The packages of the wheel: every folder below is one of ``german_whist``, and ``api`` is the package itself."""

from setuptools import find_packages, setup

PARTS = ("envs", "solver", "agents", "arena", "session", "web", "training", "configs")

packages = ["german_whist", *(f"german_whist.{name}" for name in find_packages("api"))]
for part in PARTS:
    packages += [f"german_whist.{part}", *(f"german_whist.{part}.{name}" for name in find_packages(part))]

setup(
    packages=packages,
    package_dir={"german_whist": "api", **{f"german_whist.{part}": part for part in PARTS}},
)
