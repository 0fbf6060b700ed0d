import { z } from 'zod';
import { microsPerSecond, parseInstant } from '../../instants.js';
import { isStorable, isUuid } from '../../storable-text.js';

// How `manage.py dumpdata` writes values: instants and durations as text, bytes as Base64, relations as primary keys.

/** Number by which rows of a dump refer to each other. */
export const primaryKey = z.int();

export const uuid = z.string().toLowerCase().refine(isUuid, 'is not a uuid');

/** Text of at most `length` characters. */
export function textUpTo(length: number) {
  return z
    .string()
    .refine((value) => [...value].length <= length, `has more than ${length} characters`)
    .refine(isStorable, 'is not valid Unicode, or has null characters');
}

const clockForm = /^(?:(-?\d+) )?(-?)(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?$/;
const isoForm = /^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,6}))?S)?)?$/;

/** Microseconds of a duration such as `1 02:03:04.000005`, or `P1DT02H03M04.000005S`. */
export function durationOf(value: string): number | undefined {
  const clock = clockForm.exec(value);
  if (clock !== null) {
    const [, days = '0', sign, hours, minutes, seconds, fraction] = clock;
    const ofDay = sum('0', hours, minutes, seconds, fraction);
    return Number(days) * 86_400 * microsPerSecond + (sign === '-' ? -ofDay : ofDay);
  }
  const [whole, sign, days, hours, minutes, seconds, fraction] = isoForm.exec(value) ?? [];
  if (whole === undefined || /[PT]$/.test(whole)) return undefined;
  const length = sum(days, hours, minutes, seconds, fraction);
  return sign === '-' ? -length : length;
}

function sum(days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''): number {
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * microsPerSecond + Number(fraction.padEnd(6, '0'));
}

export const instant = z.string().transform((value, context) => {
  const found = parseInstant(value);
  if (found === undefined) context.addIssue({ code: 'custom', message: 'is not an instant' });
  return found ?? 0;
});

/** In microseconds. */
export const duration = z.string().transform((value, context) => {
  const found = durationOf(value);
  if (found === undefined) context.addIssue({ code: 'custom', message: 'is not a duration' });
  return found ?? 0;
});
