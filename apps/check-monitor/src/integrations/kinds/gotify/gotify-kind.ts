import { z } from 'zod';
import { documentOf, withoutNulls } from '../../healthchecks-value.js';
import type { Kind } from '../../kind.js';
import { singleWord, webAddress } from '../../settings-rules.js';

/** From 1 to 10; 0 sends nothing, null leaves the choice to the server. */
const priority = z.int().min(0).max(10).nullable().default(null);

export const gotifySettings = z.strictObject({
  url: webAddress,
  /** Of an application of the server. */
  token: singleWord,
  priorityDown: priority,
  priorityUp: priority,
});
export type GotifySettings = z.output<typeof gotifySettings>;

/** An application of a Gotify server. */
export const gotify: Kind = {
  label: 'Gotify',
  settings: gotifySettings,
  secrets: [{ path: 'token', sentTo: 'url' }],
  isForPeople: true,
  fromHealthchecks: (value) => {
    const { url, token, priority, priority_up: priorityUp } = documentOf(value);
    return { url, token, ...withoutNulls({ priorityDown: priority, priorityUp }) };
  },
};
