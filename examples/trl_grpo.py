"""TRL's GRPO on decisions of ``TextEnv``: ``python examples/trl_grpo.py``.

A prompt is a position, and a completion's reward what ``step`` pays for it: minus the tricks that it gives away, or
minus ``illegal_penalty``. Two layers with random weights and a tokenizer of the prompts' words stand in for a model,
and nothing is downloaded; completions are one word. It prints the loss and two rewards that are the same, of TRL and of
``TextEnv``, in 110 s of processor time; so few steps teach it nothing.
"""

import copy
import tempfile

import numpy as np
from datasets import Dataset
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.trainers import WordLevelTrainer
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

import german_whist as gw


def positions(deals, seed=2026):
    """Play random cards; return a copy of the environment at every decision."""
    env = gw.TextEnv(reward="regret", worlds=16, illegal_penalty=1.0, list_legal=False)
    rng, found = np.random.default_rng(seed), []
    for index in range(deals):
        env.reset(options={"deal": (seed, index)})
        terminated = False
        while not terminated:
            found.append(copy.deepcopy(env))
            terminated = env.step(rng.choice(env.legal))[2]
    return found


def table(env):
    """Return the table and the question, a tenth of the prompt: two layers make nothing of the rules before it."""
    prompt = env.prompt()
    return prompt[prompt.rindex("German Whist ") :]


def word_tokenizer(texts):
    """Return a tokenizer whose vocabulary is the words of some texts."""
    tokenizer = Tokenizer(WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.train_from_iterator(texts, WordLevelTrainer(special_tokens=["[UNK]", "[PAD]", "[EOS]"]))
    tokenizer.add_tokens([gw.card_text(card) for card in range(52)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", eos_token="[EOS]")


def random_model(vocabulary, width=64):
    """Return two layers with random weights."""
    shape = {"hidden_size": width, "intermediate_size": 2 * width, "num_hidden_layers": 2, "num_attention_heads": 4}
    tokens = {"vocab_size": vocabulary, "pad_token_id": 1, "eos_token_id": 2, "bos_token_id": None}
    return LlamaForCausalLM(LlamaConfig(**shape, **tokens))


def main(deals=2, steps=20):
    envs, paid = positions(deals), []

    def regret(completions, position, **_):
        rewards = [copy.deepcopy(envs[one]).step(answer)[1] for one, answer in zip(position, completions, strict=True)]
        paid.append(np.mean(rewards))
        return rewards

    prompts = [table(env) for env in envs]
    tokenizer = word_tokenizer(prompts)
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=random_model(len(tokenizer)),
            processing_class=tokenizer,
            reward_funcs=regret,
            train_dataset=Dataset.from_dict({"prompt": prompts, "position": range(len(prompts))}),
            args=GRPOConfig(
                folder,
                max_steps=steps,
                per_device_train_batch_size=64,
                num_generations=16,
                max_completion_length=1,
                learning_rate=1e-3,
                logging_steps=1,
                report_to=[],
                use_cpu=True,
                disable_tqdm=True,
            ),
        )
        trainer.train()
    return [line for line in trainer.state.log_history if "reward" in line], paid


if __name__ == "__main__":
    lines, paid = main()
    for line, reward in zip(lines, paid, strict=True):
        print(f"loss {line['loss']:.4f}, reward {line['reward']:.3f}; paid by TextEnv {reward:.3f}")
