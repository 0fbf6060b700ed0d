import { legacyNames, namesByArea } from './zone-names.js';

const currentNames: ReadonlySet<string> = new Set(
  Object.entries(namesByArea).flatMap(([area, names]) => listed(names).map((name) => zoneName(area, name))),
);

const currentNameOf: ReadonlyMap<string, string> = new Map(listed(legacyNames).map(linkPair));

/** All names that are taken: current ones, and legacy ones that are replaced. */
export function listTimeZones(): string[] {
  return [...currentNames, ...currentNameOf.keys()];
}

/** Current name of the zone that `name` means, legacy spellings replaced; undefined if there is none. Case counts. */
export function currentTimeZone(name: string): string | undefined {
  return currentNames.has(name) ? name : currentNameOf.get(name);
}

/** Whether `name` is spelled exactly as in the database, in a current or a legacy form. */
export function isTimeZone(name: string): boolean {
  return currentTimeZone(name) !== undefined;
}

function listed(text: string): string[] {
  return text.trim().split(/\s+/);
}

function zoneName(area: string, name: string): string {
  return area === '' ? name : `${area}/${name}`;
}

function linkPair(link: string): readonly [string, string] {
  const [legacy = '', current = ''] = link.split('=');
  return [legacy, current];
}
