// @ts-check
/** What the page shows of a game, as plain data: the answers of `table.js`. */

/**
 * @typedef {"best" | "good" | "inaccuracy" | "mistake" | "blunder"} Label
 * @typedef {"deal" | "trump" | "turn_up" | "keep" | "swap" | "play" | "win" | "leave" | "take" | "draw" | "endgame" | "claim" | "result" | "match"} EventKind
 * @typedef {"you" | "opponent"} Side
 * @typedef {"foreplay" | "endgame"} Stage
 * @typedef {"mine" | "theirs" | "lost"} Claim  what a person says of the end of a deal: all tricks left are mine, are the opponent's, or the deal is lost
 * @typedef {"card" | "pick" | "take_or_leave" | "keep_or_swap"} DecisionKind
 * @typedef {"play" | "practice" | "challenge" | "recording" | "lesson"} SessionKind
 */

/**
 * A way to score a game.
 *
 * @typedef {object} Scoring
 * @property {string} title  its name for people
 * @property {string} rules  what a new session takes as `rules`
 * @property {string[]} [agents]  specifications of the agents that can play it, where they are not those of the game
 */

/**
 * A game of the catalogue.
 *
 * @typedef {object} GameEntry
 * @property {string} id  name of the preset
 * @property {string} title  its name for people
 * @property {string} summary  what it is, in one line
 * @property {Scoring[]} scorings  its scorings; the first is the preset's own
 * @property {string[]} agents  specifications of the agents that can play it, the easiest first
 */

/**
 * An agent of the catalogue.
 *
 * @typedef {object} AgentEntry
 * @property {string} spec  its specification
 * @property {string} title  its name for people
 * @property {string} level  how hard it is
 * @property {Record<string, string>} strength  how strong it is, as a sentence by game, where it was measured
 * @property {number | null} accuracy  its accuracy in classic, measured as yours is; `null`: unknown
 * @property {boolean} own  whether the page plays it by itself, without a server
 * @property {number | null} bytes  of the network that the page loads for it; `null`: it needs none
 * @property {string} description  what it does
 * @property {boolean} [judges]  whether it is a network of the command line, whose values the coach shows
 */

/**
 * A card of your hand.
 *
 * @typedef {object} HandCard
 * @property {string} card
 * @property {string} name
 * @property {boolean} playable  whether you may play it now
 * @property {string | null} reason  why not, as a sentence; `null` if you may
 * @property {boolean} seen  whether the opponent saw you take it
 */

/**
 * The card led to a trick.
 *
 * @typedef {object} LedCard
 * @property {string} card
 * @property {string} name
 * @property {Side} by  who led it
 */

/**
 * What you know of the opponent's hand.
 *
 * @typedef {object} OpponentHand
 * @property {number} cards  number of cards
 * @property {string[]} known  the cards that you have seen it take and not play
 * @property {Record<string, number>} voids  suits in which it was void, and the last trick that showed it
 */

/**
 * The tricks of a side.
 *
 * @typedef {object} Tricks
 * @property {number} foreplay  those of the foreplay
 * @property {number} endgame  those of the endgame
 * @property {number} counted  those that count
 */

/**
 * An action.
 *
 * @typedef {object} NamedAction
 * @property {string} action
 * @property {string} name
 */

/**
 * What you have to decide.
 *
 * @typedef {object} Decision
 * @property {DecisionKind} kind  what is chosen; in `pick` the actions are face-up cards
 * @property {string} text  what to decide, as a sentence
 * @property {NamedAction[]} actions  all legal actions
 */

/**
 * The last complete trick.
 *
 * @typedef {object} LastTrick
 * @property {number} number  its number, from 1
 * @property {Side} leader  who led
 * @property {Side} winner  who won it
 * @property {Record<Side, string>} cards  the cards played
 * @property {Record<Side, string | null>} takes  the cards that it brought from the stock; `null`: none, not yet, or not seen by you
 */

/**
 * The result of a deal.
 *
 * @typedef {object} Result
 * @property {string} text  in words, as `You win 8 to 5`
 * @property {Side | null} winner  who won; `null` for a draw
 * @property {number} margin  your counted tricks minus the opponent's
 * @property {number} points  the winner's points
 * @property {Record<Side, number>} tricks  the counted tricks
 * @property {string | null} claim  how a player ended the deal before its last card, as a sentence; the rest was best play of both
 */

/**
 * The cards that are left when a deal is over.
 *
 * @typedef {object} OpenCards
 * @property {string[]} you  your hand
 * @property {string[]} opponent  the opponent's hand
 * @property {string[]} stock  the stock, the next card first
 */

/**
 * What you saw of the table after an event.
 *
 * @typedef {object} Table
 * @property {Stage} stage
 * @property {number} trick  number of the current trick, from 1
 * @property {number} stock  cards left, the face-up ones included
 * @property {string[]} face_up  the face-up cards of the stock
 * @property {OpponentHand} opponent  what you know of the opponent's hand
 * @property {Record<Side, Tricks>} tricks  the tricks won so far
 * @property {Side | null} turn  who is to act; `null`: the deal is over, or a trick is being finished
 * @property {LastTrick | null} last_trick  the last complete trick; `null` before the first
 * @property {Record<Side, boolean | null>} exchanged  humbug: whether the hand was swapped; `null`: not decided, or another game
 * @property {string[]} hand  your hand, spades hearts diamonds clubs, each from high to low
 * @property {Record<Side, string | null>} cards  the cards of the current trick; the last one lies there until the next event
 * @property {Side | null} winner  who wins it, once both cards lie there
 */

/**
 * A deal as you see it.
 *
 * @typedef {object} Position
 * @property {Stage} stage
 * @property {number} trick  number of the current trick, from 1
 * @property {number} stock  cards left, the face-up ones included
 * @property {string[]} face_up  the face-up cards of the stock
 * @property {OpponentHand} opponent  what you know of the opponent's hand
 * @property {Record<Side, Tricks>} tricks  the tricks won so far
 * @property {Side | null} turn  who is to act; `null`: the deal is over, or a trick is being finished
 * @property {LastTrick | null} last_trick  the last complete trick; `null` before the first
 * @property {Record<Side, boolean | null>} exchanged  humbug: whether the hand was swapped; `null`: not decided, or another game
 * @property {string | null} trump  the trump suit; `null`: no trumps
 * @property {boolean} low  whether the fewest tricks win
 * @property {LedCard | null} led  the card led to the current trick
 * @property {HandCard[]} hand  your hand, spades hearts diamonds clubs, each from high to low
 * @property {Decision | null} decision  what you have to decide; `null` unless it is your turn
 * @property {Record<Side, string[]>} played  the cards played, in order
 * @property {string[]} discarded  humbug: cards that you know to be out of play
 * @property {Result | null} result  the result, after the deal
 * @property {OpenCards | null} open  the cards left, after the deal
 */

/**
 * Something that happened in a deal.
 *
 * @typedef {object} GameEvent
 * @property {number} number  counts from 0 within the deal; after a take-back the list is shorter
 * @property {EventKind} kind  what happened
 * @property {Side | null} by  who did it
 * @property {string | null} card  the card, if there is one and you saw it
 * @property {boolean} trump  whether the card is of the trump suit
 * @property {number} trick  number of the trick, from 1; 0 before the first
 * @property {string} text  the event as a sentence
 * @property {Table | null} table  what you saw of the table after it; `null` in events before your last action
 */

/**
 * A legal action and what it is worth.
 *
 * @typedef {object} Option
 * @property {string} action
 * @property {string} name
 * @property {number} tricks  expected tricks of yours that count; in a deal played low, fewer are better
 * @property {number} tricks_given_away  how many it gives away against the advised action, at least 0
 * @property {number} win  chance to win the deal; a draw counts half
 * @property {Label} label  how good it is, beyond the noise of the estimates
 * @property {number | null} trick  chance to win this trick; `null` if unknown
 * @property {string} text  the tricks in words
 */

/**
 * What the opponent may hold of a suit.
 *
 * @typedef {object} Holding
 * @property {number} expected  expected number of cards
 * @property {number} void  chance that it has none
 */

/**
 * What the strongest agent would play.
 *
 * @typedef {object} Hint
 * @property {string} by  judge
 * @property {string} by_title  the same for people
 * @property {string} by_text  where the advice comes from and what it is after, as a sentence
 * @property {string} action  the advised action
 * @property {string} name
 * @property {string} reason  why, as a sentence
 * @property {boolean} exact  whether the values are exact results, not estimates
 * @property {number} win  chance to win the deal with the advised action; a draw counts half
 * @property {Option[]} options  every legal action: the advised one, then the others from the best to the worst
 * @property {Record<string, Holding> | null} opponent  what the opponent may hold, by suit; `null` where its hand is known
 * @property {string[] | null} opponent_hand  the opponent's hand where you know it, else `null`
 * @property {{title: string, tricks: Record<string, number>} | null} beside  the expected tricks that a network of the command line says, by action
 */

/**
 * What the teacher says.
 *
 * @typedef {object} Lesson
 * @property {number} step  number of this step, from 1
 * @property {number} steps  number of steps
 * @property {string} text  explains the position
 * @property {string[] | null} wanted  the actions that it asks for; `null`: any. Another one is refused as `illegal`, with a hint
 * @property {boolean} done  whether the lesson is over
 */

/**
 * What a deal brought before: the person in practice, the sender in a challenge.
 *
 * @typedef {object} Earlier
 * @property {string} text  the result in words
 * @property {boolean} swapped  whether you had the other hand then
 * @property {string | null} session  id of the session in which it was played; `null` if unknown
 * @property {number} deal  its number there, from 1
 * @property {number | null} move  number of the decision from which it goes on; `null`: from the start
 */

/**
 * A card of a memory quiz: the opponent held it, or you named it.
 *
 * @typedef {object} RecalledCard
 * @property {string} card
 * @property {string} name
 * @property {boolean} held  whether the opponent held it
 * @property {boolean} recalled  whether you named it
 * @property {string} reason  how you could know, as a sentence
 */

/**
 * Your answer to the memory quiz: which cards does the opponent hold when the stock is gone?
 *
 * @typedef {object} Recall
 * @property {number} right  how many of your cards it held
 * @property {number} held  how many it held
 * @property {RecalledCard[] | null} cards  what they were, after the deal; `null` before
 */

/**
 * A reviewed move.
 *
 * @typedef {object} Move
 * @property {number} number  its number, from 1
 * @property {number} trick  number of its trick, from 1
 * @property {Stage} stage  the stage of the deal
 * @property {Side} by  who made it
 * @property {string} action
 * @property {string} name
 * @property {string} text  the move as a sentence
 * @property {string} best  the best action; the move's own if that gave away too little to be criticised
 * @property {string} best_name
 * @property {Label} label  how good the move was, by what could be known
 * @property {number} tricks_given_away  tricks that it gave away against the advised action, by what could be known
 * @property {number} win_given_away  the same in chance to win
 * @property {boolean} exact  whether the values are exact results, not estimates
 * @property {string} judge  who judges, as `by` in a hint
 * @property {string} judge_title  the same for people
 * @property {string} reason  why the best action is the best, as a sentence
 * @property {Option[]} options  every legal action, as in a hint
 * @property {string[]} line  perfect play from here, where the values are exact and another action was better; else empty
 */

/**
 * A change of your chance to win that you did not cause: by the cards, or by what the opponent played.
 *
 * @typedef {object} Swing
 * @property {number} move  number of moves played when you saw what had changed
 * @property {number} change  by how much your chance changed
 * @property {string} text  what happened, as a sentence
 */

/**
 * A position of a finished deal, all cards open.
 *
 * @typedef {object} OpenPosition
 * @property {string[]} you  your hand
 * @property {string[]} opponent  the opponent's hand
 * @property {string[]} face_up  the face-up cards of the stock
 * @property {string[]} stock  its face-down cards, the next first
 * @property {LedCard | null} led  the card led to the current trick
 * @property {Side | null} turn  who is to act; `null`: the deal is over
 * @property {Record<Side, number>} tricks  all tricks won so far
 * @property {Record<Side, number>} score  those that count
 */

/**
 * Counted tricks with your cards.
 *
 * @typedef {object} Compared
 * @property {number} you  those that you took
 * @property {number} other  those of the other player
 */

/**
 * What an agent makes of your cards.
 *
 * @typedef {object} HouseResult
 * @property {string} title  the agent
 * @property {number} tricks  counted tricks that it takes
 */

/**
 * A trick, all cards open.
 *
 * @typedef {object} PlayedTrick
 * @property {Record<Side, string>} cards
 * @property {Side} winner
 */

/**
 * A move of the other player with your cards, or of the opponent.
 *
 * @typedef {object} WatchMove
 * @property {number} number  its number, from 1
 * @property {Side} by  who made it, `you` being your seat
 * @property {string} action
 * @property {string} name
 * @property {string} text  the move as a sentence
 * @property {string | null} yours  what was played in your deal, while the deals were the same, else `null`
 */

/**
 * What another player makes of your cards: the agent against itself, perfect play from a decision on, or the sender of a challenge.
 *
 * @typedef {object} Watch
 * @property {string} title  who plays your cards
 * @property {Record<Side, string>} names  names of the players
 * @property {string | null} trump  the trump suit; `null`: no trumps
 * @property {Result} result  the result, `you` being your seat
 * @property {Compared} compare  tricks with your cards
 * @property {Record<"other" | "yours", PlayedTrick[]>} tricks  all tricks of both deals
 * @property {WatchMove[]} moves
 * @property {OpenPosition[]} positions  before the first of these moves, then after each
 */

/**
 * Deals won in a row.
 *
 * @typedef {object} Streak
 * @property {number} now
 * @property {number} longest  the most there have been
 */

/**
 * A mean over deals.
 *
 * @typedef {object} Estimate
 * @property {number} mean
 * @property {number} error  half its 95 % interval
 */

/**
 * The deals of one game against one agent; deals with hints or take-backs are a group of their own.
 *
 * @typedef {object} DealGroup
 * @property {string} rules  specification of the rules
 * @property {string} agent  specification of the agent
 * @property {boolean} assisted  whether a hint was asked for or an action taken back
 * @property {number} deals  number of deals
 * @property {number} won  those won
 * @property {number} drawn  those drawn
 * @property {number} lost  those lost
 * @property {number | null} tricks  mean of your counted tricks; `null` in a game that the page does not play
 * @property {number | null} accuracy  accuracy of your decisions in all of them, 0 to 100; `null` until a deal is reviewed
 * @property {Estimate | null} luck  tricks that `champion` (in humbug, `heuristic+exact`) takes when it plays both hands; `null` before ten rated deals
 * @property {Estimate | null} skill  how many more you took, or fewer in deals played low; `null` before ten rated deals
 * @property {Streak} streak  deals won in a row
 */

/**
 * The matches of one game against one agent.
 *
 * @typedef {object} MatchGroup
 * @property {string} rules  specification of the rules
 * @property {string} agent  specification of the agent
 * @property {string} match  specification of the match
 * @property {boolean} assisted  whether you were helped in at least one deal
 * @property {number} won  matches won
 * @property {number} lost  matches lost
 */

/**
 * A deal of the statistics.
 *
 * @typedef {object} RecentDeal
 * @property {number} margin  your margin
 * @property {boolean} assisted  whether a hint was asked for or an action taken back
 * @property {number | null} accuracy  accuracy of your decisions, 0 to 100; `null` until it is reviewed
 */

/**
 * The results of the memory quizzes.
 *
 * @typedef {object} Memory
 * @property {number} deals  deals with a quiz
 * @property {number} share  share of the opponent's cards that were named, 0 to 1
 * @property {number} perfect  quizzes without an error
 */

/**
 * The statistics of a person.
 *
 * @typedef {object} Statistics
 * @property {number} deals  number of deals
 * @property {DealGroup[]} groups  the deals by game and agent
 * @property {MatchGroup[]} matches  the matches by game, agent and match
 * @property {Streak} streak  deals won in a row without help
 * @property {number | null} accuracy  accuracy of your decisions without help in classic, 0 to 100; `null` until one is reviewed
 * @property {string | null} plays_like  title of the agent whose accuracy is nearest; `null` before ten rated deals
 * @property {Memory | null} memory  the memory quizzes; `null` before the first
 * @property {RecentDeal[]} recent  the last 100 deals, oldest first
 */

/**
 * What the page proposes at first.
 *
 * @typedef {object} Defaults
 * @property {string} rules  specification of the rules
 * @property {string} agent  specification of the agent
 * @property {string | null} match  specification of the match
 */

/**
 * What can be played.
 *
 * @typedef {object} Catalog
 * @property {string} version  version of the package
 * @property {GameEntry[]} games
 * @property {AgentEntry[]} agents  the agents, from the easiest to the hardest
 * @property {string[]} suggested  specifications of the opponents that the command line names
 * @property {Defaults} defaults  those of the command line
 * @property {string} today  the date of the deal of the day
 */

/**
 * The rules of a session in figures.
 *
 * @typedef {object} Game
 * @property {string} title  their name for people
 * @property {string} text  the whole rules in words
 * @property {number} hand  cards of a hand
 * @property {number} stock  cards of the stock
 * @property {number} foreplay  tricks of the foreplay
 * @property {number} tricks  tricks of a deal
 * @property {"endgame" | "all"} counts  which tricks count
 * @property {number} counted  how many count
 * @property {number} race  tricks that win the deal at once; 0: it is no race
 * @property {string} suits  the suits, as `CDHS`
 */

/**
 * The agent of a session.
 *
 * @typedef {object} Agent
 * @property {string} spec  its specification
 * @property {string} title  its name for people
 * @property {boolean} [copy]  whether the page's copy of its network plays until the server is ready
 */

/**
 * The match of a session.
 *
 * @typedef {object} Match
 * @property {string | null} format  its specification; `null`: no end
 * @property {string} title  its name for people
 * @property {number | null} target  what wins it; `null`: no end
 * @property {Record<Side, number>} score  points, or deals won in `best_of`
 * @property {Record<Side, number>} deals_won  deals won
 * @property {number} deals_drawn  deals drawn
 * @property {number} deals  deals finished
 * @property {Side | null} winner  who has won it
 */

/**
 * A finished deal of a session.
 *
 * @typedef {object} FinishedDeal
 * @property {string} text  in words, as `You win 8 to 5`
 * @property {Side | null} winner  who won; `null` for a draw
 * @property {number} margin  your counted tricks minus the opponent's
 * @property {number} points  the winner's points
 * @property {number} deal  its number, from 1
 * @property {boolean} assisted  whether a hint was asked for or an action taken back
 */

/**
 * The text behind the commitment to a deal.
 *
 * @typedef {object} Disclosure
 * @property {string} salt  32 random bytes in hexadecimal
 * @property {string} deck  the cards in dealing order
 * @property {string} text  `SALT DEALER DECK`, of which the commitment is the hash
 */

/**
 * The deal on the table.
 *
 * @typedef {object} Deal
 * @property {number} number  its number, from 1
 * @property {number} seat  your seat
 * @property {Side} dealer  who dealt
 * @property {boolean} assisted  whether a hint was asked for or an action taken back
 * @property {string} commitment  SHA-256 of the disclosed text, in hexadecimal
 * @property {Disclosure | null} disclosure  what it was committed to, after the deal
 */

/**
 * What can be asked for now.
 *
 * @typedef {object} Can
 * @property {boolean} act  an action
 * @property {boolean} hint  a hint
 * @property {boolean} take_back  a take-back
 * @property {boolean} claim  a claim
 * @property {boolean} next  the next deal
 * @property {boolean} recall  the answer to the memory quiz
 * @property {boolean} review  a review
 * @property {boolean} swap  swap, try and watch; never in a lesson
 */

/**
 * A table: a person against an agent.
 *
 * @typedef {object} Session
 * @property {number} version  number of changes so far
 * @property {SessionKind} kind  `practice` comes from try and swap, `challenge` from a link; a `recording` is read-only
 * @property {string} title  its name for people
 * @property {string} rules  specification of the rules
 * @property {Game} game  the rules in figures
 * @property {Agent} agent
 * @property {string | null} day  date of the deal of the day
 * @property {Match} match
 * @property {FinishedDeal[]} deals  the finished deals
 * @property {Deal} deal  the deal on the table
 * @property {Position} position  the deal as you see it
 * @property {GameEvent[]} events  what happened in this deal, all of it, oldest first
 * @property {Can} can  what can be asked for now
 * @property {Earlier | null} earlier  practice: what this deal brought before; a challenge, once it is over: what it brought the sender
 * @property {Hint | null} hint  the hint for this position, once it was asked for
 * @property {Recall | null} recall  your answer to the memory quiz of this deal
 * @property {Lesson | null} lesson  what the teacher says, in a lesson
 * @property {string} id  its name in addresses, random
 * @property {import("./errors.js").TableError | null} failed  why the agent has not played, if it was asked and could not
 */

/**
 * A session of the list, in a few fields.
 *
 * @typedef {object} ListedSession
 * @property {string} id  its name in addresses
 * @property {SessionKind} kind
 * @property {string} title  its name for people
 * @property {string} rules  specification of the rules
 * @property {string} agent  specification of the agent
 * @property {string | null} match  specification of the match
 * @property {string | null} day  date of the deal of the day
 * @property {string} updated  when it was last changed, ISO 8601 in UTC; empty if it is damaged
 * @property {boolean} finished  whether no further deal follows
 * @property {boolean} in_play  whether a deal is not over
 * @property {string | null} outcome  what its finished deals have brought, in words; `null` before the first
 * @property {number | null} accuracy  accuracy of your decisions in all of them, 0 to 100; `null` until a deal is reviewed
 */

/**
 * A finished deal of a session, every decision judged.
 *
 * @typedef {object} Review
 * @property {number} seat  your seat
 * @property {string | null} trump  the trump suit; `null`: no trumps
 * @property {boolean} low  whether the fewest tricks win
 * @property {Record<Side, string>} names  names of the players
 * @property {Result} result
 * @property {Record<Side, number | null>} accuracy  accuracy of the decisions, 0 to 100; `null`: nothing was at stake
 * @property {Record<Side, number>} tricks_given_away  the sum over the moves of a side
 * @property {Record<Side, number>} tricks_at_stake  tricks that average actions would have given away
 * @property {number[]} win_curve  your chance to win: before move 1, then after each move
 * @property {Swing[]} swings  its largest changes that you did not cause, at most three, in order
 * @property {Move[]} moves
 * @property {number[]} mistakes  numbers of your biggest mistakes, at most three, the biggest first
 * @property {OpenPosition[]} positions  before move 1, then after each move
 * @property {number} deal  its number, from 1
 * @property {string} rules  specification of the rules
 * @property {Agent} agent
 */

/**
 * Finished deals to share.
 *
 * @typedef {object} Recording
 * @property {string} recording  lines of recordings
 * @property {string | null} code  the same in letters, digits, `-` and `_`, for a link; `null` where the browser cannot make it
 */

/**
 * What a new game is to be.
 *
 * @typedef {object} Choices
 * @property {string} rules  specification of the rules
 * @property {string} agent  specification of the agent
 * @property {string | null} match  specification of the match
 * @property {number} seed
 * @property {number} seat  yours
 */

export {};
