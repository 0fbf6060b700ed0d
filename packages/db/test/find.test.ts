import { beforeAll, expect, test } from 'vitest';
import { type Database, findRow, findRows, hasRow, insertMany, updateRows } from '../src/index.js';
import { describeEachDialect } from '../src/testing.js';
import { customer } from './support/rows.js';
import { customers, shop } from './support/shop.js';

const bornAt = new Date('2001-02-03T04:05:06.789Z');
const ada = customer({
  name: 'ada',
  bornAt,
  nickname: 'countess',
  bytesSent: 2 ** 40,
  tags: ['a "quoted" one', 'b'],
  address: { street: 'St. James’s', floors: [1, 2] },
});
const bob = customer({ name: 'bob', bornAt, isActive: false, visits: 2 });

describeEachDialect('finding by equal values', (open) => {
  let database: Database;
  beforeAll(async () => {
    ({ database } = await open(shop));
    await database.transaction(async (tx) => {
      for (const row of [ada, bob]) await insertMany(tx, customers, [row]);
    });
  });

  test('returns a row as it was written, column by column', async () => {
    expect(await database.read((tx) => findRow(tx, customers, { id: ada.id }))).toEqual(ada);
  });

  test('returns the same row as the mapper', async () => {
    const [mine, mapped] = await database.read(async (tx) => [
      await findRow(tx, customers, { name: 'bob' }),
      await tx.findOneBy(customers, { name: 'bob' }),
    ]);
    expect(mine).toEqual(bob);
    expect({ ...mapped }).toEqual(mine);
  });

  test('returns nothing if no row matches', async () => {
    const found = await database.read((tx) => findRow(tx, customers, { name: 'ada', visits: 7 }));
    expect(found).toBeUndefined();
  });

  test.each([
    ['asc', ['ada', 'bob']],
    ['desc', ['bob', 'ada']],
  ] as const)('returns rows in order: %s', async (direction, wanted) => {
    const order = { by: ['bornAt', 'name'], direction } as const;
    const found = await database.read((tx) => findRows(tx, customers, { bornAt }, { order }));
    expect(found.map(({ name }) => name)).toEqual(wanted);
  });

  test('finds by booleans, and reports whether a row exists', async () => {
    const found = await database.read(async (tx) => [
      await hasRow(tx, customers, { isActive: false, name: 'bob' }),
      await hasRow(tx, customers, { isActive: false, name: 'ada' }),
    ]);
    expect(found).toEqual([true, false]);
  });

  test('refuses to find without any value', async () => {
    await expect(database.read(async (tx) => findRows(tx, customers, {}))).rejects.toThrow('not only equal');
  });

  test('reads back every kind of value that an update of one row sets', async () => {
    const set = {
      tags: [],
      address: null,
      nickname: null,
      isActive: false,
      bornAt: new Date(0),
      bytesSent: 3,
    };
    const count = await database.transaction((tx) => updateRows(tx, customers, { id: ada.id }, set));
    expect(count).toBe(1);
    const found = await database.read((tx) => findRow(tx, customers, { id: ada.id }));
    expect(found).toEqual({ ...ada, ...set });
  });
});
