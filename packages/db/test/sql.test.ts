import { beforeEach, expect, test } from 'vitest';
import { column, type Database, executeSql, insertMany, querySql } from '../src/index.js';
import { describeEachDialect } from '../src/testing.js';
import { customer } from './support/rows.js';
import { customers, shop } from './support/shop.js';

describeEachDialect('portable SQL', (open) => {
  let database: Database;
  const ada = customer({ name: 'Ada', tags: ['x'], bytesSent: 2 ** 40, isActive: false });
  beforeEach(async () => {
    ({ database } = await open(shop));
    await database.transaction((tx) => insertMany(tx, customers, [ada]));
  });

  test('reads rows as the table declares them', async () => {
    const rows = await database.read((tx) =>
      querySql(tx, customers.columns, 'select * from customers where name = $1 and is_active = $2', [
        'Ada',
        false,
      ]),
    );
    expect(rows).toEqual([ada]);
  });

  test('reads what the statement computes', async () => {
    const counted = { total: column.bigint(), bornAt: column.instant() };
    const text = 'select count(*) as total, max(born_at) as born_at from customers where born_at <= $1';
    expect(await database.read((tx) => querySql(tx, counted, text, [ada.bornAt]))).toEqual([
      { total: 1, bornAt: ada.bornAt },
    ]);
  });

  test('uses a placeholder any number of times, in any order', async () => {
    const text = 'select name from customers where $2 = name and ($2 = nickname or $1 = id) and $3 = visits';
    const rows = await database.read((tx) =>
      querySql(tx, { name: column.word(9) }, text, [ada.id, ada.name, 1]),
    );
    expect(rows).toEqual([{ name: 'Ada' }]);
  });

  test('writes every kind of value and returns what it wrote', async () => {
    const bornAt = new Date('2026-10-25T00:59:59.999Z');
    const text = `update customers set born_at = $1, photo = $2, tags = $3, address = $4, nickname = $5,
      is_active = $6 where id = $7 returning *`;
    const address = { street: 's', floors: [1] };
    const values = [bornAt, Buffer.from('new'), ['p', 'q'], address, null, true, ada.id];
    const [row] = await database.transaction((tx) => querySql(tx, customers.columns, text, values));
    const expected = { ...ada, bornAt, tags: ['p', 'q'], address, isActive: true };
    expect({ ...row, photo: row?.photo.toString() }).toEqual({ ...expected, photo: 'new' });
    const found = await database.read((tx) => tx.findOneByOrFail(customers, { id: ada.id }));
    expect({ ...found, photo: found.photo.toString() }).toEqual({ ...expected, photo: 'new' });
  });

  test('counts the rows it wrote', async () => {
    const text = 'update customers set visits = visits + 1 where visits = $1';
    const counts = await database.transaction(async (tx) => [
      await executeSql(tx, text, [1]),
      await executeSql(tx, text, [1]),
      await executeSql(tx, 'update customers set visits = 9 returning id'),
      await executeSql(tx, 'delete from customers where id = $1', [ada.id]),
    ]);
    expect(counts).toEqual([1, 0, 1, 1]);
  });

  test('inserts more rows than one statement takes', async () => {
    const many = Array.from({ length: 1001 }, (_, index) =>
      customer({ name: `bulk ${String(index).padStart(4, '0')}` }),
    );
    await database.transaction((tx) => insertMany(tx, customers, many));
    await database.transaction((tx) => insertMany(tx, customers, []));
    const text = 'select count(*) as count, max(name) as last from customers';
    const [stored] = await database.read((tx) =>
      querySql(tx, { count: column.bigint(), last: column.text() }, text),
    );
    expect(stored).toEqual({ count: 1002, last: 'bulk 1000' });
  });
});
