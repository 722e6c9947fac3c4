/** Print the processor time of a hint of each kind of decision, in milliseconds: `node hint_time.mjs DATA`. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

import "./kernels.mjs";
import { heuristicAction } from "../../table/page/engine/agents.js";
import { readNetwork } from "../../table/page/engine/network.js";
import { rulesNamed } from "../../table/page/engine/rules.js";
import { setData } from "../../table/page/game/data.js";
import { Episode } from "../../table/page/game/deal/episode.js";
import { advise } from "../../table/page/judge/advice.js";

const data = process.argv[2];
setData(JSON.parse(readFileSync(join(data, "data.json"), "utf8")));
const network = readNetwork(new Uint8Array(readFileSync(join(data, "champion.safetensors"))).buffer);
const rules = rulesNamed("classic");
const times = [];
for (let index = 0; index < 12; index++) {
  const deal = Episode.atAddress(rules, 6, index);
  for (let step = 0; step < 4 * index; step++) deal.play(heuristicAction(deal.view(deal.turn)));
  const before = process.cpuUsage();
  advise(deal.view(deal.turn), rules, network);
  const { user, system } = process.cpuUsage(before);
  times.push((user + system) / 1000);
}
console.log(JSON.stringify(times));
