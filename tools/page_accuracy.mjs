/**
 * The accuracy of agents as the coach of the page without a server measures it, in classic against `small`:
 *
 *     python docs/play/build.py --modules PAGE && node tools/page_accuracy.mjs PAGE 300
 */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const [page, deals] = [resolve(process.argv[2]), Number(process.argv[3] ?? 300)];
const from = (name) => import(join(page, "local", name));
const { setData } = await from("data.js");
setData(JSON.parse(readFileSync(join(page, "local", "catalogue.json"), "utf8")));
const { makeAgent } = await from("engine/agents.js");
const { readNetworks } = await from("engine/network/network.js");
const { rulesNamed } = await from("engine/rules.js");
const { accuracyOf, atStake } = await from("session/coach/accuracy.js");
const { advise } = await from("session/coach/advice.js");
const { judge } = await from("session/coach/judgement.js");
const { TableDeal } = await from("session/deal/table_deal.js");

const networks = readNetworks(new Uint8Array(readFileSync(join(page, "local", "small.safetensors"))).buffer);
const rules = rulesNamed("classic");
const opponent = makeAgent("small", rules, networks);
for (const spec of ["random", "greedy", "heuristic", "heuristic+exact", "small"]) {
  const agent = makeAgent(spec, rules, networks);
  let [lost, staked] = [0, 0];
  for (let index = 0; index < deals; index += 1) {
    const deal = TableDeal.atAddress(rules, 48, index);
    const seat = (index >> 1) % 2; // each seat deals as often
    while (!deal.done) {
      const view = deal.view(deal.turn);
      const action = (deal.turn === seat ? agent : opponent)(view);
      if (deal.turn === seat) {
        const advice = advise(view, rules, networks, 1); // the number of worlds says nothing about differences
        lost += judge(advice, action).tricks;
        staked += atStake(advice);
      }
      deal.play(action);
    }
  }
  console.log(spec, accuracyOf(lost, staked));
}
