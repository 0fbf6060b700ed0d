import { z } from 'zod';
import { documentOr } from '../../healthchecks-value.js';
import type { Kind } from '../../kind.js';
import { singleWord } from '../../settings-rules.js';

export const pagerDutySettings = z.strictObject({ serviceKey: singleWord });
export type PagerDutySettings = z.output<typeof pagerDutySettings>;

/** A service of PagerDuty. */
export const pd: Kind = {
  label: 'PagerDuty',
  settings: pagerDutySettings,
  secrets: [{ path: 'serviceKey', sentTo: null }],
  isForPeople: false,
  fromHealthchecks: (value) => ({
    serviceKey: documentOr(value, { service_key: value })['service_key'],
  }),
};
