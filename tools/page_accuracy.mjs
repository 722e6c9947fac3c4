/**
 * Measures the accuracy of agents as the page's own coach rates it, in classic against `champion`, as
 * `tools/coach_accuracy.py` does for the server's coach:
 *
 *     python -m german_whist.table.page_data DATA && node tools/page_accuracy.mjs DATA 300
 *
 * It writes the accuracies to table/strengths.json.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import "../tests/table/kernels.mjs";
import { makeAgent } from "../table/page/engine/agents.js";
import { NETWORKS, readNetwork } from "../table/page/engine/network.js";
import { rulesNamed } from "../table/page/engine/rules.js";
import { accuracyOf, atStake, judge } from "../table/page/game/coach/judgement.js";
import { setData } from "../table/page/game/data.js";
import { Episode } from "../table/page/game/deal/episode.js";
import { advise } from "../table/page/judge/advice.js";

const STRENGTHS = new URL("../table/strengths.json", import.meta.url);
const strengths = JSON.parse(readFileSync(STRENGTHS, "utf8"));
const [data, deals] = [process.argv[2], Number(process.argv[3] ?? 300)];
setData(JSON.parse(readFileSync(join(data, "data.json"), "utf8")));
const networks = NETWORKS.map((name) =>
  readNetwork(new Uint8Array(readFileSync(join(data, `${name}.safetensors`))).buffer),
);
const champion = networks[networks.length - 1];
const rules = rulesNamed("classic");
const opponent = makeAgent(champion.name, rules, champion);
for (const spec of ["random", "greedy", "heuristic", "heuristic+exact", ...NETWORKS]) {
  const agent = makeAgent(spec, rules, networks.find(({ name }) => name === spec) ?? null);
  let [lost, staked] = [0, 0];
  for (let index = 0; index < deals; index += 1) {
    const deal = Episode.atAddress(rules, 48, index);
    const seat = (index >> 1) % 2; // so the agent deals as often as its opponent
    while (!deal.done) {
      const view = deal.view(deal.turn);
      const action = (deal.turn === seat ? agent : opponent)(view);
      if (deal.turn === seat) {
        const advice = advise(view, rules, champion, 1); // one world: the number does not affect the differences
        lost += judge(advice, action).tricks;
        staked += atStake(advice);
      }
      deal.play(action);
    }
  }
  strengths[spec].page_accuracy = accuracyOf(lost, staked);
  console.log(spec, strengths[spec].page_accuracy);
}
const rows = Object.entries(strengths).map(([spec, figures]) => {
  const words = Object.entries(figures).map(([name, value]) => `"${name}": ${value}`);
  return `  ${JSON.stringify(spec)}: {${words.join(", ")}}`;
});
writeFileSync(STRENGTHS, `{\n${rows.join(",\n")}\n}\n`);
