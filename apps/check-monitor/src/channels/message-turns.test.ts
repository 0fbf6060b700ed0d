import { expect, test } from '@jest/globals';
import { aDelivery } from '../../test/support/events.js';
import { delivered } from './delivery-result.js';
import { inTurns } from './message-turns.js';

interface Settings {
  readonly receiver: string;
}

test('a receiver gets six messages a minute, the next one waits in the queue', async () => {
  let now = 0;
  const sent: string[] = [];
  const limited = inTurns<Settings>(
    {
      kind: 'po',
      tells: () => true,
      deliver: async ({ settings }) => {
        sent.push(settings.receiver);
        return delivered;
      },
    },
    ({ receiver }) => receiver,
    () => now,
  );
  const send = (receiver: string) => limited.deliver(aDelivery({ receiver }));
  for (let turn = 0; turn < 6; turn += 1) expect(await send('ada')).toEqual(delivered);
  const waits = { ok: false, error: 'Rate limit exceeded', permanent: false, retryAfterMs: 60_000 };
  expect(await send('ada')).toEqual(waits);
  expect(await send('ben')).toEqual(delivered);
  now = 60_000_000;
  expect(await send('ada')).toEqual(delivered);
  expect(sent).toEqual([...Array(6).fill('ada'), 'ben', 'ada']);
});
