import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createMailMemory } from './mail-memory.store.js';

async function* mailOf(bytes: number, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < bytes; sent += pieceBytes) {
    await nextRound();
    yield Buffer.alloc(Math.min(pieceBytes, bytes - sent), sent / pieceBytes);
  }
}

const size = async (source: Buffer) => source.length;

describe('memory for mails', () => {
  test.each([
    ['nothing', 0, 10],
    ['less than the first reservation', 100, 3],
    ['exactly what is allowed', 300_000, 65_536],
    ['large pieces', 300_000, 200_000],
  ])('holds a mail of %s whole', async (_situation, bytes, pieceBytes) => {
    const pieces: Buffer[] = [];
    for await (const piece of mailOf(bytes, pieceBytes)) pieces.push(piece);
    const held = await createMailMemory(300_000).hold(mailOf(bytes, pieceBytes), 300_000, async (source) =>
      source.equals(Buffer.concat(pieces)),
    );
    expect(held).toBe(true);
  });

  test('discards a mail that is too long, and reads it to its end', async () => {
    const mail = mailOf(300_001, 1000);
    expect(await createMailMemory(1_000_000).hold(mail, 300_000, size)).toBeUndefined();
    expect(await mail.next()).toEqual({ done: true, value: undefined });
  });

  test('accepts another mail only after one is completed, failed or aborted', async () => {
    const memory = createMailMemory(300_000);
    const takeOne = () => memory.hold(mailOf(200_000, 50_000), 300_000, size);
    let finish = () => {};
    const first = memory.hold(
      mailOf(200_000, 50_000),
      300_000,
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    expect(await takeOne()).toBeUndefined();
    finish();
    await first;
    expect(await takeOne()).toBe(200_000);

    const failed = memory.hold(mailOf(200_000, 50_000), 300_000, () =>
      Promise.reject(new Error('not stored')),
    );
    await expect(failed).rejects.toThrow('not stored');
    async function* brokenOff(): AsyncGenerator<Buffer> {
      yield* mailOf(200_000, 50_000);
      throw new Error('broken off');
    }
    await expect(memory.hold(brokenOff(), 300_000, size)).rejects.toThrow('broken off');
    expect(await takeOne()).toBe(200_000);
  });
});
