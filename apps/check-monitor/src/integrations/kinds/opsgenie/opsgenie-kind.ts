import { z } from 'zod';
import { documentOf } from '../../healthchecks-value.js';
import type { Kind } from '../../kind.js';
import { singleWord } from '../../settings-rules.js';

export const opsgenieRegions = ['us', 'eu'] as const;
export type OpsgenieRegion = (typeof opsgenieRegions)[number];

export const opsgenieSettings = z.strictObject({
  key: singleWord,
  region: z.enum(opsgenieRegions).default('us'),
});
export type OpsgenieSettings = z.output<typeof opsgenieSettings>;

/** A team of Opsgenie. */
export const opsgenie: Kind = {
  label: 'Opsgenie',
  settings: opsgenieSettings,
  secrets: [{ path: 'key', sentTo: null }],
  isForPeople: false,
  fromHealthchecks: (value) => {
    const { key, region } = documentOf(value);
    return { key, region };
  },
};
