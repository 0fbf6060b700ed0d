// Finds dates of the calendar of public rules in other code, which must read them from the calendar.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const source = 'packages/crypto/src/calendar.ts';

/** The days on which a rule of the calendar begins, as in 2027-03-15. */
export function calendarDays(root) {
  const text = readFileSync(join(root, source), 'utf8');
  return [...new Set([...text.matchAll(/from: '(\d{4}-\d{2}-\d{2})'/g)].map(([, day]) => day))];
}

/** Places in the sources of apps, packages and consoles, tests left out, that contain one of the days. */
export function calendarDatesInCode(root, days) {
  const files = ['apps', 'packages', 'web']
    .flatMap((folder) => sourcesIn(root, folder))
    .filter((file) => file !== source && /^[^/]+\/[^/]+\/src\/.*(?<!\.test)\.tsx?$/.test(file))
    .sort();
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return days
      .filter((day) => spellings(day).some((form) => form.test(text)))
      .map((day) => `${file}: ${day}`);
  });
}

function sourcesIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? sourcesIn(root, path) : [path];
  });
}

/** The day as text, and as numbers, whose months count from 0. */
function spellings(day) {
  const [year, month, date] = day.split('-').map(Number);
  return [new RegExp(`\\b${day}`), new RegExp(`\\b${year}, ?${month - 1}, ?${date}\\b`)];
}
