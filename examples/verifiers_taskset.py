"""German Whist for Prime Intellect's verifiers: ``python examples/verifiers_taskset.py``.

A task is a deal and a seat; the reward is minus the tricks given away per card. An illegal answer gives away more than
any card, and a conversation that ends early is continued by empty answers. With this folder in ``PYTHONPATH``,
``vf-eval verifiers_taskset -n 20 -m MODEL`` measures a model. Here, a script that plays the lowest card is the model.
It printed, in 120 s: (2026, 0) 0 -0.133 26 {'margin': -5.0}, and the same deal from the other seat: -0.215, margin -7
"""

import asyncio
import itertools
import json
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import verifiers.v1 as vf

import german_whist as gw

__all__ = ["WhistEnv", "WhistTaskset"]


class WhistConfig(vf.TasksetConfig):
    rules: str = "classic"
    opponent: str = "heuristic"
    seed: int = 2026
    worlds: int = 64


class WhistData(vf.TaskData):
    deal: tuple[int, int]
    game: dict


class WhistTask(vf.Task[WhistData, vf.State, vf.TaskConfig]):
    pass


class WhistTaskset(vf.Taskset[WhistTask, WhistConfig]):
    INFINITE = True

    def load(self):
        config = self.config
        for number in itertools.count():
            deal, seat = (config.seed, number // 2), number % 2
            game = {"rules": config.rules, "opponent": config.opponent, "seat": seat}
            prompt, _ = gw.TextEnv(**game).reset(options={"deal": deal})
            game |= {"reward": "regret", "worlds": config.worlds}
            yield WhistTask(WhistData(name=f"{deal} {seat}", prompt=prompt, deal=deal, game=game), config.task)


class WhistEnvConfig(vf.EnvConfig):
    player: vf.AgentConfig = vf.AgentConfig(
        harness={"id": "null"}, runtime=vf.SubprocessConfig()
    )  # a plain conversation


class WhistEnv(vf.Env[WhistEnvConfig]):
    async def run(self, task, agents):
        env, given_away, terminated = gw.TextEnv(**task.data.game), 0.0, False
        env.reset(options={"deal": task.data.deal})
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()  # the model answers the prompt
            while not terminated:
                message, reward, terminated, _, info = await asyncio.to_thread(env.step, segment.last_reply)
                given_away -= reward
                if not (terminated or segment.terminated):  # a segment that is terminated has an empty reply
                    segment = await interaction.turn(message)
        trace = interaction.trace
        trace.record_reward("regret", -given_away / gw.rules(task.data.game["rules"]).tricks, 1.0)
        trace.record_metric("margin", float(info["margin"]))


TWINS = {}  # environments in which the script plays along, by the prompt


class Script(BaseHTTPRequestHandler):
    """An endpoint like OpenAI's, with a script in place of the model."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        env = TWINS[next(one["content"] for one in asked["messages"] if one["role"] == "user")]
        card = env.legal[0]
        env.step(card)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": asked["model"]}
        delta = {"role": "assistant", "content": f"The lowest card will do: [{card}]"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        for choice, extra in (({"delta": delta}, {}), ({"delta": {}, "finish_reason": "stop"}, {"usage": usage})):
            data = {**chunk, "choices": [{"index": 0, "finish_reason": None, **choice}], **extra}
            self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_):
        pass


def main(tasks=2):
    from verifiers.v1.cli.eval.runner import run_eval
    from verifiers.v1.configs.cli.eval import EvalConfig

    for task in itertools.islice(WhistTaskset(WhistConfig()).load(), tasks):
        twin = gw.TextEnv(**{**task.data.game, "reward": "win"})
        TWINS[twin.reset(options={"deal": task.data.deal})[0]] = twin
    sys.path.insert(0, str(Path(__file__).parent))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Script)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = {"type": "eval", "base_url": f"http://127.0.0.1:{server.server_port}/v1"}
    config = {"env": {"taskset": {"id": Path(__file__).stem}}, "model": "script", "client": client, "push": False}
    with tempfile.TemporaryDirectory() as folder:
        episodes = asyncio.run(run_eval(EvalConfig(**config, select={"limit": tasks}, rich=None, output_dir=folder)))
    traces = [trace for episode in episodes for trace in episode.traces]
    for trace in traces:
        print(trace.task.data.name, trace.reward, trace.num_turns, trace.metrics)
    if [trace.num_turns for trace in traces] != [26] * tasks:
        raise RuntimeError(f"not every card was played: {[(trace.num_turns, trace.errors) for trace in traces]}")
    return [trace.reward for trace in traces]


if __name__ == "__main__":
    main()
