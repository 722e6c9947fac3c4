// @ts-check
/** The windows, which come after the first card: what a person opens later. */

export { openFairness } from "./dialogs/fairness.js";
export { gameForm } from "./dialogs/game_form.js";
export { openGames } from "./dialogs/games.js";
export { rulesText } from "./dialogs/rules.js";
export { openSettings } from "./dialogs/settings_dialog.js";
export { openRecordingDialog, openShare, sendDay } from "./dialogs/share.js";
export { openStatistics } from "./dialogs/statistics.js";
export { openReview } from "./review/review.js";
export { openWatch } from "./review/watch.js";
