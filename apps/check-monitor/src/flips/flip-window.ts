import { InvalidInput } from '@certloop/contracts';
import { type Micros, microsPerSecond } from '../instants.js';
import { stripWhitespace } from '../python-whitespace.js';

export interface FlipWindow {
  readonly from: Micros;
  readonly before: Micros;
}

type QueryText = string | readonly string[] | undefined;

export interface FlipQuery {
  readonly seconds?: QueryText;
  readonly start?: QueryText;
  readonly end?: QueryText;
}

const latestSecond = 10_000_000_000;
// with what else Python's int() takes: a plus, a minus before nought, underscores between digits
const whole = /^(?:\+?[0-9]+(?:_[0-9]+)*|-0+)$/;
const wholeWithPoint = /^(?:\+?[0-9]+(?:_[0-9]+)*|-0+)(?:\.0*)?$/;
const year = 31_536_000;

/** Part of time that a query asks for. Throws InvalidInput for anything that is not a whole number or out of bounds. */
export function parseFlipWindow(query: FlipQuery, now: Micros): FlipWindow {
  const start = readWhole('start', lastOf(query.start), whole, latestSecond) ?? 0;
  const end = readWhole('end', lastOf(query.end), whole, latestSecond);
  const seconds = lastOf(query.seconds);
  const recent = seconds === '' ? 0 : (readWhole('seconds', seconds, wholeWithPoint, year) ?? 0);
  const since = recent === 0 ? 0 : now - recent * microsPerSecond;
  return {
    from: Math.max(start * microsPerSecond, since),
    before: end === undefined ? Number.MAX_SAFE_INTEGER : end * microsPerSecond,
  };
}

/** The last one counts where a parameter is given several times. */
export function lastOf(value: QueryText): string | undefined {
  return typeof value === 'string' ? value : value?.at(-1);
}

function readWhole(name: string, text: string | undefined, form: RegExp, max: number): number | undefined {
  if (text === undefined) return undefined;
  const digits = stripWhitespace(text);
  const value = form.test(digits) ? Math.abs(Number.parseInt(digits.replaceAll('_', ''), 10)) : Number.NaN;
  if (!(value <= max)) throw new InvalidInput(`${name} must be a whole number from 0 to ${max}`);
  return value;
}
