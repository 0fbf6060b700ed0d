import type { Kind } from '../../kind.js';
import { ofAddress } from '../../settings-rules.js';

/** A space of Google Chat, by an incoming webhook. */
export const googlechat: Kind = {
  label: 'Google Chat',
  ...ofAddress,
  fromHealthchecks: (url) => ({ url }),
};
