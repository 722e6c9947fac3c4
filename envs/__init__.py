"""The environments: PettingZoo, Gymnasium, its vector form, messages; opponents, wrappers, rendering."""
