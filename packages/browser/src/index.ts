export { type Browser, hasBrowser, openBrowser } from './open-browser.js';
export { runStory, type Story } from './run-story.js';
