import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { channelKindNames, keepSecrets, withoutSecrets } from './channel-kinds.js';
import { targetsOf } from './channel-targets.js';
import { type ChannelKind, channelKinds } from './kinds.js';

type Class = 'secret' | 'shown';

const callByUrl = { url: 'secret' } as const;
const priorities = { priorityDown: 'shown', priorityUp: 'shown' } as const;
const directions = { down: 'shown', up: 'shown' } as const;
const callOf = <Name extends string>(name: Name) => ({
  [`${name}.method`]: 'shown' as const,
  [`${name}.url`]: 'shown' as const,
  [`${name}.body`]: 'shown' as const,
  [`${name}.headers`]: 'secret' as const,
});

/** Every setting of every kind: a new one must be classed here. */
const classes: Readonly<Record<ChannelKind, Readonly<Record<string, Class>>>> = {
  webhook: { ...callOf('down'), ...callOf('up') },
  email: { address: 'shown', tz: 'shown', ...directions },
  slack: callByUrl,
  mattermost: callByUrl,
  discord: callByUrl,
  ntfy: { url: 'shown', topic: 'shown', token: 'secret', ...priorities },
  telegram: { chatId: 'shown', threadId: 'shown' },
  pd: { serviceKey: 'secret' },
  opsgenie: { key: 'secret', region: 'shown' },
  po: { userKey: 'secret', ...priorities },
  msteamsw: callByUrl,
  googlechat: callByUrl,
  matrix: { roomId: 'shown' },
  signal: { recipient: 'shown', ...directions },
  gotify: { url: 'shown', token: 'secret', ...priorities },
  group: { channels: 'shown' },
};

test.each(channelKindNames)('every setting of %s is declared as a secret or may be shown', (kind) => {
  const { settings, secrets } = channelKinds[kind];
  const schema = z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' });
  const declared = new Set(secrets.map(({ path }) => path));
  const found = pathsOf(schema).map((path): [string, Class] => [
    path,
    declared.has(path) ? 'secret' : 'shown',
  ]);
  expect(Object.fromEntries(found)).toEqual(classes[kind]);
});

const secrets = channelKindNames.flatMap((kind) =>
  channelKinds[kind].secrets.map(({ path, sentTo }) => ({ kind, path, sentTo })),
);
const address = 'https://a.test/hook';

test.each(secrets)('$path of $kind is not shown', ({ kind, path }) => {
  expect(JSON.stringify(withoutSecrets(kind, withValues({ [path]: 'hidden' })))).not.toContain('hidden');
});

test.each(secrets)(
  '$path of $kind names the address of the settings that it is sent to',
  ({ kind, path, sentTo }) => {
    const part = path.includes('.') ? path.replace(/\..*/, '.url') : 'url';
    const { shape = {} } = channelKinds[kind].settings as { readonly shape?: object };
    const hasAddress =
      targetsOf(kind, withValues({ [part]: address })).length > 0 && part.replace(/\..*/, '') in shape;
    expect(sentTo ?? path).toBe(hasAddress ? part : path);
  },
);

describe.each(secrets.filter(({ sentTo }) => sentTo !== null))('$path of $kind', ({ kind, path, sentTo }) => {
  const receiver = sentTo ?? '';
  const stored = withValues({ [path]: 'hidden', [receiver]: address });

  test('stays while it is sent to the same address', () => {
    expect(keepSecrets(kind, withValues({ [receiver]: address }), stored)).toEqual(stored);
  });

  test.each([
    'https://b.test/hook',
    'https://a.test:444/hook',
    'http://a.test/hook',
    'https://a.test.b.test/hook',
  ])('is forgotten when it would be sent to %s', (other) => {
    const edited = keepSecrets(kind, withValues({ [receiver]: other }), stored);
    expect(JSON.stringify(edited)).not.toContain('hidden');
  });
});

/** Dotted paths of the members of a schema that have no members themselves. */
function pathsOf(schema: z.core.JSONSchema.BaseSchema, path = ''): string[] {
  const forms = [schema, ...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])];
  const members = forms.flatMap((form) =>
    typeof form === 'boolean' ? [] : Object.entries(form.properties ?? {}),
  );
  if (members.length === 0) return [path];
  return members.flatMap(([name, member]) =>
    typeof member === 'boolean' ? [] : pathsOf(member, path === '' ? name : `${path}.${name}`),
  );
}

/** Object with a value at each dotted path. */
function withValues(values: Readonly<Record<string, string>>): object {
  const root: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const [outer = '', inner] = path.split('.');
    root[outer] = inner === undefined ? value : { ...(root[outer] as object | undefined), [inner]: value };
  }
  return root;
}
