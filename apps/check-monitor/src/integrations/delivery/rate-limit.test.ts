import { expect, test } from 'vitest';
import { aDelivery, site } from '../../../test/support/events.js';
import { delivered } from './delivery-result.js';
import { limitRate } from './rate-limit.js';

interface Settings {
  readonly receiver: string;
}

test('a receiver gets six messages a minute, the next one waits in the queue', async () => {
  let now = 0;
  const sent: string[] = [];
  const limited = limitRate<Settings>(
    {
      shouldNotify: () => true,
      deliver: async ({ settings }) => {
        sent.push(settings.receiver);
        return delivered;
      },
    },
    ({ receiver }) => receiver,
    { now: () => now },
  );
  const send = (receiver: string) => limited.deliver(aDelivery({ receiver }));
  for (let turn = 0; turn < 6; turn += 1) expect(await send('ada')).toEqual(delivered);
  const waits = {
    ok: false,
    error: 'Rate limit exceeded',
    permanent: false,
    retryReason: 'limited',
    retryAfterMs: 60_000,
  };
  expect(await send('ada')).toEqual(waits);
  expect(await send('ben')).toEqual(delivered);
  now = 60_000_000;
  expect(await send('ada')).toEqual(delivered);
  expect(sent).toEqual([...Array(6).fill('ada'), 'ben', 'ada']);
});

test('a notice counts like every other message', async () => {
  const limited = limitRate<Settings>(
    {
      shouldNotify: () => true,
      deliver: async () => delivered,
      notify: async () => delivered,
    },
    ({ receiver }) => receiver,
    { now: () => 0 },
  );
  const { settings: _settings, ...rest } = aDelivery({ receiver: 'ada' });
  const notice = { status: 'down', title: 'Two checks are down', lines: [] } as const;
  const delivery = { settings: { receiver: 'ada' }, notice, deliveryId: '', channel: rest.channel, site };
  for (let turn = 0; turn < 6; turn += 1) await limited.notify?.(delivery);
  expect(await limited.notify?.(delivery)).toMatchObject({ ok: false, retryAfterMs: 60_000 });
  expect(await limited.deliver(aDelivery({ receiver: 'ada' }))).toMatchObject({ ok: false });
});
