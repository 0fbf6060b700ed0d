import { z } from 'zod';
import { webAddress, word } from '../../settings-rules.js';

/** From 1 to 10; 0 sends nothing, null leaves the choice to the server. */
const priority = z.int().min(0).max(10).nullable().default(null);

export const gotifySettings = z.strictObject({
  url: webAddress,
  /** Of an application of the server. */
  token: word,
  priorityDown: priority,
  priorityUp: priority,
});
export type GotifySettings = z.output<typeof gotifySettings>;
