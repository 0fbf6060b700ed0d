import { existsSync } from 'node:fs';

/** Where Debian, other systems and the makers of Chrome and Edge put theirs. */
const usual = [
  // the same engine without windows, which takes a quarter less of the processor
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/microsoft-edge',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

/** Whether stories leave a trace of what the browser did, which `STORY_TRACE=1` asks for. */
export function isTraced(): boolean {
  return process.env['STORY_TRACE'] === '1';
}

/** Where commands are looked for; undefined for the usual folders of the system. */
export function searchPath(): string | undefined {
  return process.env['PATH'];
}

/** Path of the browser that stories run in: `CHROMIUM_PATH`, else a Chromium, Chrome or Edge that is there. */
export function browserPath(): string {
  return process.env['CHROMIUM_PATH'] ?? usual.find((path) => existsSync(path)) ?? 'chromium';
}
