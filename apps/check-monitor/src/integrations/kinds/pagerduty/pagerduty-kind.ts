import { z } from 'zod';
import { word } from '../../settings-rules.js';

export const pagerDutySettings = z.strictObject({ serviceKey: word });
export type PagerDutySettings = z.output<typeof pagerDutySettings>;
