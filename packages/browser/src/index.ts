export { commandsOfPage, failingCommands, filledPath, hasCurl, openPath, pagePaths } from './curl.js';
export { type Account, assertLosesNothing, type FormRow, type FormStage, formsIn } from './forms.js';
export { assertFits, assertFocusReturns, tabTo } from './keyboard.js';
export { type APIRequestContext, type Browser, hasBrowser, openBrowser } from './open-browser.js';
export { runStory, type Story } from './run-story.js';
