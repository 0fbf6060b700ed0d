import { beforeAll, expect, test } from 'vitest';
import {
  type Database,
  findRow,
  findRows,
  insertIfAbsent,
  insertMany,
  insertOrUpdate,
} from '../src/index.js';
import { describeEachDialect } from '../src/testing.js';
import { customer } from './support/rows.js';
import { customers, passes, shop } from './support/shop.js';

describeEachDialect('a row that may exist already', (open) => {
  let database: Database;
  beforeAll(async () => {
    ({ database } = await open(shop));
  });

  const find = (id: string) => database.read((tx) => findRow(tx, customers, { id }));

  test('is inserted if absent, with null in the columns that are not named', async () => {
    const { nickname: _nickname, address: _address, ...named } = customer({ tags: ['a "quoted" one'] });
    expect(await database.transaction((tx) => insertIfAbsent(tx, customers, named))).toBe(true);
    expect(await find(named.id)).toEqual({ ...named, nickname: null, address: null });
  });

  test('stays unchanged by an insert if absent', async () => {
    const row = customer();
    await database.transaction((tx) => insertMany(tx, customers, [row]));
    const again = { ...row, name: 'another', visits: 7 };
    expect(await database.transaction((tx) => insertIfAbsent(tx, customers, again))).toBe(false);
    expect(await find(row.id)).toEqual(row);
  });

  test('is inserted by one of two concurrent callers', async () => {
    const row = customer();
    const insert = () => database.transaction((tx) => insertIfAbsent(tx, customers, row));
    const inserted = await Promise.all([insert(), insert()]);
    expect(inserted.sort()).toEqual([false, true]);
    expect(await find(row.id)).toEqual(row);
  });

  test('is updated in the named columns only', async () => {
    const row = customer({ nickname: 'countess', visits: 2 });
    await database.transaction((tx) => insertOrUpdate(tx, customers, row));
    expect(await find(row.id)).toEqual(row);
    const { nickname: _nickname, ...named } = { ...row, visits: 3, address: { street: 'Main', floors: [1] } };
    await database.transaction((tx) => insertOrUpdate(tx, customers, named));
    expect(await find(row.id)).toEqual({ ...row, visits: 3, address: { street: 'Main', floors: [1] } });
  });

  test('is unchanged when an update has no columns except the key', async () => {
    const row = { customerId: customer().id, door: 3 };
    for (let time = 0; time < 2; time += 1) {
      await database.transaction((tx) => insertOrUpdate(tx, passes, row));
    }
    const { customerId } = row;
    expect(await database.read((tx) => findRows(tx, passes, { customerId }))).toEqual([row]);
  });

  test.each([
    ['insertIfAbsent', insertIfAbsent],
    ['insertOrUpdate', insertOrUpdate],
  ] as const)('is rejected by %s if it violates another unique index', async (_name, insert) => {
    const row = customer();
    await database.transaction((tx) => insertMany(tx, customers, [row]));
    const twin = customer({ name: row.name, bornAt: row.bornAt });
    await expect(
      database.transaction(async (tx) => void (await insert(tx, customers, twin))),
    ).rejects.toThrow(/unique/i);
    expect(await find(twin.id)).toBeUndefined();
  });
});
