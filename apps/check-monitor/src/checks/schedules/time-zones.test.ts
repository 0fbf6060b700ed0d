import { IANAZone } from 'luxon';
import { describe, expect, test } from 'vitest';
import { currentTimeZone, listTimeZones } from './time-zones.js';

// other versions bring other zones: they report, so that one who updates Node learns of it, and do not fail
const isNodeOfGate = process.versions.node.startsWith('20.');

describe('time zone names', () => {
  test.each([
    ['a current name stays', 'Europe/Riga', 'Europe/Riga'],
    ['UTC stays', 'UTC', 'UTC'],
    ['Etc/UTC stays', 'Etc/UTC', 'Etc/UTC'],
    ['a name with two slashes', 'America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['a name that the reference lacks', 'America/Coyhaique', 'America/Coyhaique'],
    ['a legacy name is replaced', 'Europe/Kiev', 'Europe/Kyiv'],
    ['an abbreviation is replaced', 'EST', 'America/Panama'],
    ['Zulu is UTC', 'Zulu', 'Etc/UTC'],
    ['case counts', 'utc', undefined],
    ['the placeholder of the database', 'Factory', undefined],
    ['the machine its own zone', 'localtime', undefined],
    ['nothing', '', undefined],
    ['an offset is not a name', '+02:00', undefined],
    ['an object member is not a name', 'constructor', undefined],
  ])('%s', (_situation, name, current) => {
    expect(currentTimeZone(name)).toBe(current);
  });

  test.each(['Europe/Kyiv', 'America/Nuuk', 'Pacific/Kanton', 'America/Ciudad_Juarez'])(
    'this Node knows %s',
    (name) => {
      expect(IANAZone.isValidZone(name)).toBe(true);
    },
  );

  test('are exactly those of ICU', () => {
    const missing = Intl.supportedValuesOf('timeZone').filter((name) => currentTimeZone(name) === undefined);
    const unknown = listTimeZones().filter((name) => !IANAZone.isValidZone(name));
    const differing = { missing, unknown };
    if (isNodeOfGate) expect(differing).toEqual({ missing: [], unknown: [] });
    else if (missing.length + unknown.length > 0)
      process.emitWarning(
        `ICU ${process.versions['icu']} and time-zones.ts differ: ${JSON.stringify(differing)}`,
      );
  });
});
