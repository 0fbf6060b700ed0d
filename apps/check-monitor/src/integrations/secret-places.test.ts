import { describe, expect, test } from '@jest/globals';
import { channelKindNames, keepSecrets, withoutSecrets } from './channel-kinds.js';
import { targetsOf } from './channel-targets.js';
import { channelKinds } from './kinds.js';

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

/** Object with a value at each dotted path. */
function withValues(values: Readonly<Record<string, string>>): object {
  const root: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const [outer = '', inner] = path.split('.');
    root[outer] = inner === undefined ? value : { ...(root[outer] as object | undefined), [inner]: value };
  }
  return root;
}
