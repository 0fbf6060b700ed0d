import { InvalidArgumentError } from '@commander-js/extra-typings';

/** Reader of a whole number within bounds for an option; throws commander's own error otherwise. */
export function wholeNumber(name: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`${name} takes a whole number from ${min} to ${max}.`);
  };
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3_600, d: 86_400, w: 604_800 };
const unitNames = { s: 'seconds', d: 'days' } as const;

/**
 * Reader of a length of time for an option: a bare number in the unit, or with units such as 36h, 1d or 1h30m. Returns
 * it in the unit, which may leave a fraction; throws commander's own error outside of the bounds, which are in the unit.
 */
export function duration(
  name: string,
  unit: keyof typeof unitNames,
  min: number,
  max: number,
): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : seconds(text) / (secondsOf[unit] ?? 1);
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(
      `${name} takes a whole number from ${min} to ${max} (${unitNames[unit]}), or a duration such as 36h or 1d.`,
    );
  };
}

/**
 * Reader of a moment for an option: ISO 8601, where a date alone is its first second in UTC, or a duration such as 36h
 * from now. Returns it as the APIs take it; throws commander's own error for another text.
 */
export function moment(name: string, direction: 'ago' | 'ahead'): (text: string) => string {
  return (text) => {
    const distance = seconds(text) * (direction === 'ago' ? -1_000 : 1_000);
    const at = new Date(Number.isNaN(distance) ? text : Date.now() + distance);
    if (!Number.isNaN(at.getTime())) return at.toISOString();
    throw new InvalidArgumentError(
      `${name} takes a moment such as 2026-12-31 or 2026-12-31T12:00:00Z, or a duration such as 36h or 1d.`,
    );
  };
}

/** NaN for anything that is not a duration. */
function seconds(text: string): number {
  if (!/^(\d{1,9}(min|[smhdw]))+$/.test(text)) return Number.NaN;
  const parts = text.matchAll(/(\d+)(min|[smhdw])/g);
  return [...parts].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (secondsOf[unit ?? ''] ?? Number.NaN),
    0,
  );
}
