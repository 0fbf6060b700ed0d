import { InvalidArgumentError } from 'commander';

/** Reader of a whole number within bounds for an option; throws commander's own error otherwise. */
export function wholeNumber(name: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`${name} takes a whole number from ${least} to ${most}.`);
  };
}
