"""A JAX policy acts on the tensors of a batch, without copies: ``python examples/jax_policy.py [cpu | cuda]``.

The batch's torch tensors and JAX's arrays share memory by DLPack, on the CPU and on a GPU.
It printed: 106496 decisions, mean margin of seat 0: +0.25
"""

import sys

import jax
import jax.numpy as jnp
import torch

import german_whist as gw


@jax.jit
def policy(weights, observations, masks):
    """Return the best legal action of each row, int32[size]."""
    hidden = jax.nn.relu(observations.astype(jnp.float32) @ weights[0])
    return jnp.where(masks, hidden @ weights[1], -jnp.inf).argmax(1)


def main(device="cpu", size=2048):
    batch = gw.DealBatch("classic", size, canonical=True, device=device)
    keys = jax.random.split(jax.random.key(0))
    weights = [jax.random.normal(key, shape) for key, shape in zip(keys, ((443, 64), (64, 52)), strict=True)]
    decisions = 0
    while not bool(batch.done.all()):
        observations, masks = (jnp.from_dlpack(each) for each in (batch.observe(), batch.action_mask()))
        decisions += int((~batch.done).sum())
        batch.step(torch.from_dlpack(policy(weights, observations, masks)).long())
    return decisions, float(batch.returns("margin")[:, 0].mean())


if __name__ == "__main__":
    print("{} decisions, mean margin of seat 0: {:+.2f}".format(*main(*sys.argv[1:])))
