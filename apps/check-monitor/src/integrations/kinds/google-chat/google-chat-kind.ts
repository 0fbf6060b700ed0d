import type { Kind } from '../../kind.js';
import { addressSettings } from '../../settings-rules.js';

/** A space of Google Chat, by an incoming webhook. */
export const googlechat: Kind = {
  label: 'Google Chat',
  settings: addressSettings,
  secrets: [{ path: 'url', sentTo: null }],
  isForPeople: true,
  fromHealthchecks: (url) => ({ url }),
};
