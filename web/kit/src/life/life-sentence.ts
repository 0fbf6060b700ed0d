import { exactTime, relativeTime } from '../times.js';
import type { Life } from './life-line-marks.js';

/** A life line in words: when the certificate expires, when it is renewed, and when the CA wants that. */
export function lifeSentence({ expiresAt, renewAt, window }: Omit<Life, 'notBefore'>, now: number): string {
  const end = expiresAt > now ? 'The certificate expires' : 'The certificate expired';
  const renewal = renewAt === undefined ? 'Nothing renews it.' : `It is renewed ${relative(renewAt, now)}.`;
  const wanted = window === undefined ? [] : [`The CA wants it to be renewed ${windowText(window)}.`];
  return [`${end} ${relative(expiresAt, now)}.`, renewal, ...wanted].join(' ');
}

/** A renewal window of a CA: `from 1 Mar 2026, 12:00 UTC to 3 Mar 2026, 12:00 UTC`. */
export function windowText({ from, to }: NonNullable<Life['window']>): string {
  return `from ${exactTime(textOf(from))} to ${exactTime(textOf(to))}`;
}

const textOf = (at: number) => new Date(at).toISOString();
const relative = (at: number, now: number) => relativeTime(textOf(at), now);
