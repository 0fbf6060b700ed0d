import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { In, IsNull, LessThan, MoreThanOrEqual } from 'typeorm';
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteRows, insertMany, updateRows } from '../src/index.js';
import { describeEachDialect, type TestDatabase } from '../src/testing.js';
import { customer } from './support/rows.js';
import { type CustomerRow, customers, orders, shop } from './support/shop.js';

const run = promisify(execFile);
const visitor = fileURLToPath(new URL('./support/visitor.js', import.meta.url));

describeEachDialect('values', (open) => {
  let made: TestDatabase;
  beforeAll(async () => {
    made = await open(shop);
  });

  const stored = async (row: CustomerRow) => {
    await made.database.transaction((tx) => insertMany(tx, customers, [row]));
    return made.database.read((tx) => tx.findOneByOrFail(customers, { id: row.id }));
  };

  test.each<[string, Partial<CustomerRow>]>([
    ['text with signs of many scripts', { name: 'O\'Brien \\ "ščř" 漢字 🦊 \u0001 $1 ?' }],
    ['null', { nickname: null, address: null }],
    ['false', { isActive: false }],
    ['a negative number', { visits: -2_147_483_648 }],
    ['the largest exact number', { bytesSent: Number.MAX_SAFE_INTEGER }],
    ['no bytes', { photo: Buffer.alloc(0) }],
    ['all bytes', { photo: Buffer.from(Array.from({ length: 256 }, (_, index) => index)) }],
    ['lists', { tags: ['b', 'a', 'ü', ''] }],
    ['objects', { address: { street: '"quoted"', floors: [3, -1, 0.5] } }],
    ['an instant to the millisecond', { bornAt: new Date('2026-03-29T01:30:00.001Z') }],
    ['an instant in the hour that summer time skips', { bornAt: new Date('2026-03-29T00:30:00.999Z') }],
    ['an instant before 1970', { bornAt: new Date('1901-02-03T04:05:06.007Z') }],
    ['an instant after 2038', { bornAt: new Date('9998-12-31T23:59:59.999Z') }],
  ])('come back as they were: %s', async (_, overrides) => {
    const row = customer(overrides);
    const back = await stored(row);
    expect({ ...back, photo: back.photo.toString('hex') }).toEqual({
      ...row,
      photo: row.photo.toString('hex'),
    });
    expect(Buffer.isBuffer(back.photo)).toBe(true);
  });

  test('are returned unchanged by an update', async () => {
    const { id } = await stored(customer());
    const row = customer({
      id,
      nickname: 'Ben',
      bornAt: new Date('2026-10-25T00:30:00.123Z'),
      isActive: false,
      bytesSent: 2 ** 50,
      photo: Buffer.from('photo'),
      tags: ['a'],
      address: { street: 's', floors: [] },
    });
    const { id: _, ...changes } = row;
    expect(await made.database.transaction((tx) => updateRows(tx, customers, { id }, changes))).toBe(1);
    expect(await made.database.read((tx) => tx.findOneBy(customers, { id }))).toEqual(row);
    await made.database.transaction((tx) => updateRows(tx, customers, { id }, { address: null }));
    expect(await made.database.read((tx) => tx.countBy(customers, { id, address: IsNull() }))).toBe(1);
  });

  test('of text are ordered by code point', async () => {
    const tags = ['order'];
    const list = ['b', 'ä', 'B', 'a', '_', 'é', '~'].map((name) => customer({ name, tags }));
    await made.database.transaction((tx) => insertMany(tx, customers, list));
    const ids = In(list.map(({ id }) => id));
    const rows = await made.database.read((tx) =>
      tx.find(customers, { where: { id: ids }, order: { name: 'ASC' } }),
    );
    expect(rows.map(({ name }) => name)).toEqual(['B', '_', 'a', 'b', '~', 'ä', 'é']);
  });

  test('that are missing in a condition are rejected instead of matching every row', async () => {
    const { id } = await stored(customer());
    const unnamed = { id: undefined as unknown as string };
    await expect(made.database.transaction((tx) => deleteRows(tx, customers, unnamed))).rejects.toThrow();
    await expect(
      made.database.transaction((tx) => updateRows(tx, customers, {}, { visits: 0 })),
    ).rejects.toThrow();
    expect(await made.database.transaction((tx) => deleteRows(tx, customers, { id }))).toBe(1);
  });

  test('have rising keys, and times in microseconds', async () => {
    const row = await stored(customer());
    const order = { customerId: row.id, status: 'paid' as const, note: '' };
    await made.database.transaction((tx) =>
      insertMany(tx, orders, [
        { ...order, seenAt: 1_790_000_000_123_456 },
        { ...order, seenAt: 1_790_000_000_123_457 },
      ]),
    );
    const back = await made.database.read((tx) => tx.find(orders, { order: { id: 'ASC' } }));
    expect(back.map(({ seenAt }) => seenAt)).toEqual([1_790_000_000_123_456, 1_790_000_000_123_457]);
    expect(back.map(({ id }) => id)).toEqual([1, 2]);
  });

  test('compare instants exactly', async () => {
    const bornAt = new Date('2031-01-01T00:00:00.500Z');
    const { id } = await stored(customer({ bornAt }));
    const { database } = made;
    const after = (instant: Date) =>
      database.read((tx) => tx.countBy(customers, { id, bornAt: MoreThanOrEqual(instant) }));
    const before = (instant: Date) =>
      database.read((tx) => tx.countBy(customers, { id, bornAt: LessThan(instant) }));
    expect(await after(bornAt)).toBe(1);
    expect(await after(new Date(bornAt.getTime() + 1))).toBe(0);
    expect(await before(bornAt)).toBe(0);
    expect(await before(new Date(bornAt.getTime() + 1))).toBe(1);
  });

  describe('between processes in different zones', () => {
    test.each(['Europe/Riga', 'America/St_Johns', 'UTC'])('an instant stays the same: %s', async (zone) => {
      const summer = customer({ bornAt: new Date('2026-07-01T12:00:00.123Z') });
      const back = await stored(summer);
      const { stdout } = await run(process.execPath, [visitor, 'copy', made.url, summer.id], {
        env: { ...process.env, TZ: zone },
      });
      const { seen, copyId } = JSON.parse(stdout) as { seen: string; copyId: string };
      const copy = await made.database.read((tx) => tx.findOneByOrFail(customers, { id: copyId }));
      expect(seen).toBe('2026-07-01T12:00:00.123Z');
      expect(copy.bornAt).toEqual(new Date(back.bornAt.getTime() + 1000));
    });
  });
});
