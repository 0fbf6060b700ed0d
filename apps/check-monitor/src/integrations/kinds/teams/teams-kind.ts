import type { Kind } from '../../kind.js';
import { addressSettings } from '../../settings-rules.js';

/** A workflow of Microsoft Teams that posts what it is sent. */
export const msteamsw: Kind = {
  label: 'Microsoft Teams',
  settings: addressSettings,
  secrets: [{ path: 'url', sentTo: null }],
  isForPeople: true,
  fromHealthchecks: (url) => ({ url }),
};
