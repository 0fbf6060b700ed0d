import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { anEvent } from '../../test/support/events.js';
import { channelKindNames } from './channel-kinds.js';
import { fillTemplate, type Place, placeholderNames } from './kinds/webhook/placeholders.js';
import { type ChannelKind, channelKinds } from './kinds.js';

const page = readFileSync(new URL('../../../../../docs/integrations.md', import.meta.url), 'utf8');

/** Part of the page under a heading, up to the next one. */
function section(heading: string): string {
  const [, found] = page.split(`\n${heading}\n`);
  return found?.split(/\n##+ /)[0] ?? '';
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
  readonly default?: unknown;
}

/** Every setting of a kind by its path, with its default. */
function settingsIn({ properties = {}, anyOf = [] }: JsonSchema, prefix = ''): [string, unknown][] {
  const own = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => [
    [prefix + name, schema.default],
    ...settingsIn(schema, `${prefix}${name}.`),
  ]);
  return [...own, ...anyOf.flatMap((schema) => settingsIn(schema, prefix))];
}

function settingsOf(kind: ChannelKind): [string, unknown][] {
  const schema = z.toJSONSchema(channelKinds[kind].settings, { io: 'input', unrepresentable: 'any' });
  return settingsIn(schema as JsonSchema);
}

describe('the page of integrations', () => {
  test('has a section for every kind and for no other', () => {
    expect([...page.matchAll(/^### (.*)$/gm)].map(([, kind]) => kind)).toEqual(channelKindNames);
  });

  test.each(channelKindNames.flatMap((kind) => settingsOf(kind).map(([path, value]) => [kind, path, value])))(
    'names %s, setting %s, and its default %j',
    (kind, path, value) => {
      const rows = section(`### ${kind}`).split('\n');
      const row = rows.find((line) => line.split('|')[1]?.includes(`\`${path}\``)) ?? 'no row';
      const shown = row.split('|')[2]?.trim();
      expect(shown).toBe(value === undefined ? '' : `\`${JSON.stringify(value)}\``);
    },
  );

  test('names no setting that does not exist', () => {
    for (const kind of channelKindNames) {
      const known = settingsOf(kind).map(([path]) => path);
      const rows = section(`### ${kind}`).matchAll(/^\| (`[^|]*`) \|/gm);
      const named = [...rows].flatMap(([, cell = '']) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
      );
      expect(named.sort()).toEqual(known.sort());
    }
  });

  test('names every placeholder with its places, and no other', () => {
    const rows = [...section('## Placeholders').matchAll(/^\| `(\$[A-Z_0-9]+)`.*?\| ([a-z, ]+) \|/gm)];
    const named = rows.map(([, placeholder = '', places = '']) => [placeholder, places.split(', ')]);
    const event = anEvent();
    const isFilled = (placeholder: string, place: Place) =>
      fillTemplate(placeholder, event, place) !== placeholder;
    const real = [...placeholderNames, '$TAG1'].map((placeholder) => [
      placeholder,
      ['url', ...(isFilled(placeholder, 'header') ? ['headers'] : []), 'body'].filter(
        (place) => place === 'headers' || isFilled(placeholder, place as Place),
      ),
    ]);
    expect(named.sort()).toEqual(real.sort());
  });
});
