import { z } from 'zod';
import { webAddress, word } from '../settings-rules.js';

const priority = z.int().min(0).max(10);

export const gotifySettings = z.strictObject({
  url: webAddress,
  /** Of an application of the server. */
  token: word,
  priorityDown: priority.default(8),
  priorityUp: priority.default(5),
});
export type GotifySettings = z.output<typeof gotifySettings>;
