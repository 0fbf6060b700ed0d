import { describe, expect, test } from 'vitest';
import { channelKindNames } from './channel-kinds.js';
import { targetsOf } from './channel-targets.js';
import { type ChannelKind, channelKinds } from './kinds.js';

describe('targets of a channel', () => {
  const hook = { method: 'GET', body: '', headers: {} };

  test.each<[string, ChannelKind, object, object[]]>([
    ['a chat', 'slack', { url: 'https://a.example/x' }, [{ path: 'url', url: 'https://a.example/x' }]],
    [
      'a webhook',
      'webhook',
      { down: { ...hook, url: 'http://a.example/$NAME' }, up: { ...hook, url: 'http://b.example/' } },
      [
        { path: 'down.url', url: 'http://a.example/$NAME' },
        { path: 'up.url', url: 'http://b.example/' },
      ],
    ],
    [
      'one direction',
      'webhook',
      { down: null, up: { ...hook, url: 'http://b.example/' } },
      [{ path: 'up.url', url: 'http://b.example/' }],
    ],
    [
      'a placeholder in the host',
      'webhook',
      { down: { ...hook, url: 'http://$SLUG.example/' }, up: null },
      [],
    ],
    ['no address', 'telegram', { chatId: 1, threadId: null }, []],
  ])('%s', (_situation, kind, settings, targets) => {
    expect(targetsOf(kind, settings)).toEqual(targets);
  });

  const withAddress = channelKindNames.filter((kind) => {
    const { shape } = channelKinds[kind].settings as unknown as { shape?: Record<string, unknown> };
    return shape !== undefined && 'url' in shape;
  });

  test.each(withAddress)('are found for %s, whose settings have an address', (kind) => {
    const url = 'https://a.example/x';
    expect(targetsOf(kind, { url })).toEqual([{ path: 'url', url }]);
  });
});
