import type { Kind } from '../../kind.js';
import { ofAddress } from '../../settings-rules.js';

/** A workflow of Microsoft Teams that posts what it is sent. */
export const msteamsw: Kind = {
  label: 'Microsoft Teams',
  ...ofAddress,
  fromHealthchecks: (url) => ({ url }),
};
