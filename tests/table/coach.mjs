/** Answer what the page's coach says of decisions, a line of JSON each: `node coach.mjs DATA`, where DATA is the folder with the page's data. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import "./kernels.mjs";
import { beliefOf } from "../../table/page/engine/belief.js";
import { actionText, parseAction, parseDeck } from "../../table/page/engine/cards.js";
import { readNetwork } from "../../table/page/engine/network.js";
import { rulesNamed } from "../../table/page/engine/rules.js";
import { judge, lowestOfEquals } from "../../table/page/game/coach/judgement.js";
import { reason } from "../../table/page/game/coach/reasons.js";
import { setData } from "../../table/page/game/data.js";
import { Episode } from "../../table/page/game/deal/episode.js";
import { advise } from "../../table/page/judge/advice.js";

const data = process.argv[2];
setData(JSON.parse(readFileSync(join(data, "data.json"), "utf8")));
const networks = new Map(
  ["small", "champion"].map((name) => [
    name,
    readNetwork(new Uint8Array(readFileSync(join(data, `${name}.safetensors`))).buffer),
  ]),
);

for await (const line of createInterface({ input: process.stdin })) {
  const { rules: spec, deck, dealer, actions, steps, judge: name } = JSON.parse(line);
  const rules = rulesNamed(spec);
  const deal = new Episode(
    rules,
    parseDeck(deck, rules.cards),
    dealer,
    actions.map((word) => parseAction(word, rules)),
  );
  const found = steps.map((step) => {
    const view = deal.view(deal.actor(step), step);
    const advice = advise(view, rules, rules.humbug ? null : networks.get(name), 4);
    const belief = beliefOf(rules.game, view);
    const hint = lowestOfEquals(advice, view);
    return {
      ...advice,
      hinted: actionText(hint.actions[0], rules),
      reason: reason(view, rules, hint),
      actions: advice.actions.map((action) => actionText(action, rules)),
      judged: judge(advice, deal.actions[step]),
      belief: [belief.expected, belief.void],
    };
  });
  process.stdout.write(`${JSON.stringify(found)}\n`);
}
