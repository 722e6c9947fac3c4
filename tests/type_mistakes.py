"""Typical mistakes, in lines that say so: a type checker finds these and nothing else (``tests/test_types.py``)."""

import german_whist as gw
from german_whist.envs.gymnasium_env import GermanWhistEnv
from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv
from german_whist.sb3 import GermanWhistVecEnv

gw.env(reward="score")  # mistake
gw.env(observation="image")  # mistake
gw.env(render_mode="gif")  # mistake
gw.raw_env(endgame="solved")  # mistake
GermanWhistEnv("greedy", seat=2)  # mistake
GermanWhistEnv("greedy", reward="margins")  # mistake
GermanWhistVectorEnv("greedy", 8, observation="histories")  # mistake
GermanWhistVectorEnv("greedy", 8, seat="alternating")  # mistake
GermanWhistVecEnv(8, endgame="perfect")  # mistake
gw.TextEnv(reward="points")  # mistake
text, info = gw.TextEnv(seat=0).reset()
text.append("SA")  # mistake
gw.play_match("champion", "heuristic", endgame="Exact")  # mistake
gw.play_match("champion", 7)  # mistake
gw.play_match("champion", "heuristic", deals="many")  # mistake
print(gw.play_match("champion", "heuristic").winrate)  # mistake
gw.train(decisions="many")  # mistake
gw.train(hiden=[64])  # mistake
gw.train("quickstart").agent.play(gw.DealBatch().decisions())  # mistake
batch = gw.DealBatch("classic", size=4)
batch.returns("tricks")  # mistake
batch.step(batch.decisions().legal_actions)  # mistake
tricks = gw.solve_endgames([1], [2])
tricks.cuda()  # mistake
gw.network_inputs(batch.views()).numpy()  # mistake
