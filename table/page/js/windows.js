// @ts-check
/** The windows, in a bundle of their own that is loaded after the first card. */

export { openFair } from "./dialogs/fair.js";
export { chooseTwoAgents, gameForm, rulesText } from "./dialogs/game_form.js";
export { openGames } from "./dialogs/games.js";
export { openSettings } from "./dialogs/settings_dialog.js";
export { openRecordingDialog, openShare, sendDay } from "./dialogs/share.js";
export { openStatistics } from "./dialogs/statistics.js";
export { openReview } from "./review/review.js";
export { openWatch } from "./review/watch.js";
