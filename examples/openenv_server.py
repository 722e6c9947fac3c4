"""German Whist as an OpenEnv server, and a client that plays on it: ``python examples/openenv_server.py``.

``reset`` takes the deal, as seed and index, and the seat, so each deal can be played from both seats. A script that
plays the lowest legal card, which the state names, stands in for a model.
It printed, in 40 s: deal 0, seat 0: 3.59 tricks given away. … Opponent wins 9 to 4. …
"""

import threading
import time

import uvicorn
from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

import german_whist as gw

PORT = 8811
OPPONENTS = ("random", "greedy", "heuristic", "small", "champion")  # a request with any other name could run code here


class WhistAction(Action):
    message: str


class WhistObservation(Observation):
    message: str


class WhistState(State):
    seat: int = 0
    legal: tuple[str, ...] = ()


class WhistServer(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self.env, self.episode, self.steps = None, None, 0

    def reset(
        self, seed=None, episode_id=None, index=0, rules="classic", opponent="heuristic", reward="regret", seat=0
    ):
        if opponent not in OPPONENTS:
            raise ValueError(f"opponent must be one of {OPPONENTS}, got {opponent!r}")
        self.env = gw.TextEnv(rules, opponent, reward=reward, seat=seat)
        self.episode, self.steps = episode_id, 0
        deal = {} if seed is None else {"deal": (seed, index)}
        message, _ = self.env.reset(options=deal)
        return WhistObservation(message=message)

    def step(self, action, timeout_s=None, **_):
        if self.env is None:
            self.reset()
        message, reward, terminated, _, info = self.env.step(action.message)
        self.steps += 1
        return WhistObservation(message=message, reward=reward, done=terminated, metadata=info)

    @property
    def state(self):
        if self.env is None:
            return WhistState()
        return WhistState(episode_id=self.episode, step_count=self.steps, seat=self.env.learner, legal=self.env.legal)


class WhistClient(EnvClient[WhistAction, WhistObservation, WhistState]):
    def _step_payload(self, action):
        return {"message": action.message}

    def _parse_result(self, payload):
        seen = {"reward": payload.get("reward"), "done": payload.get("done", False)}
        observation = WhistObservation(**{**payload["observation"], **seen})
        return StepResult(observation=observation, **seen)

    def _parse_state(self, payload):
        return WhistState(**payload)


def serve():
    first = gw.TextEnv(reward="regret")  # compiles now, rather than within a client's time limit
    first.reset()
    first.step(first.legal[0])
    app = create_fastapi_app(WhistServer, WhistAction, WhistObservation, max_concurrent_envs=8, state_cls=WhistState)
    server = uvicorn.Server(uvicorn.Config(app, port=PORT, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return server


def main(deals=2, seed=2026):
    server, returns = serve(), []
    with WhistClient(base_url=f"http://127.0.0.1:{PORT}").sync() as client:
        for index in range(deals):
            for seat in (0, 1):
                result, total = client.reset(seed=seed, index=index, seat=seat), 0.0
                while not result.done:
                    answer = f"I have thought about it. [{client.state().legal[0]}]"
                    result = client.step(WhistAction(message=answer))
                    total += result.reward
                returns.append(total)
                print(f"deal {index}, seat {seat}: {-total:.2f} tricks given away. {result.observation.message}")
    server.should_exit = True
    return returns


if __name__ == "__main__":
    main()
