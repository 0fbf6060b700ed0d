import { z } from 'zod';
import { word } from '../../settings-rules.js';

export const opsgenieRegions = ['us', 'eu'] as const;
export type OpsgenieRegion = (typeof opsgenieRegions)[number];

export const opsgenieSettings = z.strictObject({
  key: word,
  region: z.enum(opsgenieRegions).default('us'),
});
export type OpsgenieSettings = z.output<typeof opsgenieSettings>;
