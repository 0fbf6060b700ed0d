import { expect, test } from 'vitest';
import { scheduleWords } from './schedule-words.js';

test.each([
  ['* * * * *', 'every minute'],
  ['*/15 * * * *', 'every 15 minutes'],
  ['5 * * * *', 'hourly at minute 5'],
  ['30 */6 * * *', 'every 6 hours at minute 30'],
  ['0 3 * * *', 'daily at 03:00'],
  [' 5  23 * * * ', 'daily at 23:05'],
  ['0 6 * * 1-5', 'Mon to Fri at 06:00'],
  ['0 6 * * mon-fri', 'Mon to Fri at 06:00'],
  ['0 6 * * 0', 'Sun at 06:00'],
  ['0 6 * * 1,3,SUN', 'Mon, Wed, Sun at 06:00'],
  ['15 2 1 * *', 'on day 1 of each month at 02:15'],
])('writes %j as %s', (line, words) => {
  expect(scheduleWords(line)).toBe(words);
});

test.each([
  ['*/7 * * * *'],
  ['*/60 * * * *'],
  ['0 3,5 * * *'],
  ['0 3 L * *'],
  ['0 3 1 * 1'],
  ['0 3 * 2 *'],
  ['0 3 * * 7L'],
  ['0 3 * * 5-'],
  ['61 3 * * *'],
  ['30 3-5 * * *'],
  ['*-*-* 03:00'],
  ['daily'],
  [''],
])('leaves %j as it is', (line) => {
  expect(scheduleWords(line)).toBeUndefined();
});
