// A bot for the line protocol in JavaScript:
//
// german-whist evaluate "process:node examples/bots/line_bot.js" random --deals 100

const RANKS = "23456789TJQKA";

function beats(card, led, trump) {
  if (card[0] === led[0]) return RANKS.indexOf(card[1]) > RANKS.indexOf(led[1]);
  return card[0] === trump;
}

function choose(view) {
  if (view.decision !== "play") return view.legal[0];
  const weight = (card) => (card[0] === view.trump ? 100 : 0) + RANKS.indexOf(card[1]);
  const ranked = [...view.legal].sort((a, b) => weight(a) - weight(b));
  if (view.led === null) return view.stock === 0 ? ranked[ranked.length - 1] : ranked[0];
  return ranked.find((card) => beats(card, view.led, view.trump)) ?? ranked[0];
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  const reply = message.type === "hello"
    ? { type: "ready", protocol: 1 }
    : { id: message.id, action: choose(message.view) };
  console.log(JSON.stringify(reply));
});
