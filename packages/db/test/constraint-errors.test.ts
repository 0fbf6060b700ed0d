import { randomUUID } from 'node:crypto';
import { Conflict } from '@certloop/contracts';
import { beforeEach, expect, test } from 'vitest';
import { constraintViolation, type Database, insertMany, onUniqueViolation, type Tx } from '../src/index.js';
import { describeEachDialect } from '../src/testing.js';
import { customer, namesIn } from './support/rows.js';
import { customers, orders, shop } from './support/shop.js';

const ada = customer({ name: 'Ada' });
const order = { customerId: ada.id, status: 'open' as const, note: '', seenAt: 0 };

describeEachDialect('a constraint', (open, dialect) => {
  let database: Database;
  beforeEach(async () => {
    ({ database } = await open(shop));
    await database.transaction(async (tx) => {
      await insertMany(tx, customers, [ada]);
      await insertMany(tx, orders, [order]);
    });
  });

  const violation = async (work: (tx: Tx) => Promise<unknown>) =>
    constraintViolation(
      await database.transaction(work).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );

  test('names itself when it is unique', async () => {
    const { name, bornAt } = ada;
    const twin = customer({ name, bornAt });
    expect(await violation((tx) => insertMany(tx, customers, [twin]))).toEqual({
      kind: 'unique',
      name: 'uq_customers_name_born_at',
      table: 'customers',
      columns: ['name', 'born_at'],
    });
  });

  test('names itself when it is unique for some rows only', async () => {
    await database.transaction((tx) => insertMany(tx, orders, [{ ...order, status: 'paid' }]));
    expect(await violation((tx) => insertMany(tx, orders, [order]))).toEqual({
      kind: 'unique',
      name: 'uq_orders_customer_id',
      table: 'orders',
      columns: ['customer_id'],
    });
  });

  test('names itself when it is the primary key', async () => {
    expect(await violation((tx) => insertMany(tx, customers, [customer({ id: ada.id })]))).toEqual({
      kind: 'unique',
      name: 'pk_customers',
      table: 'customers',
      columns: ['id'],
    });
  });

  test('names itself when it is a foreign key, where the database says so', async () => {
    const orphan = { ...order, customerId: randomUUID() };
    expect(await violation((tx) => insertMany(tx, orders, [orphan]))).toEqual(
      dialect === 'sqlite'
        ? { kind: 'foreign_key' }
        : { kind: 'foreign_key', name: 'fk_orders_customer_id', table: 'orders' },
    );
  });

  test('names its column when it refuses null', async () => {
    const nameless = { ...customer(), name: null as unknown as string };
    expect(await violation((tx) => insertMany(tx, customers, [nameless]))).toEqual({
      kind: 'not_null',
      table: 'customers',
      columns: ['name'],
    });
  });

  test('is not reported as the cause of other errors', async () => {
    expect(await violation((tx) => tx.query('select nothing'))).toBeUndefined();
    expect(constraintViolation(new Error('unique'))).toBeUndefined();
  });

  const insertTwin = () =>
    database.transaction((tx) => insertMany(tx, customers, [{ ...ada, id: randomUUID() }]));
  const refusal = () => new Conflict('there is one of that name');

  test('becomes a rejection outside the transaction', async () => {
    await expect(onUniqueViolation(insertTwin, refusal)).rejects.toThrow(Conflict);
    await expect(onUniqueViolation(insertTwin, refusal, ['bornAt', 'name'])).rejects.toThrow(Conflict);
  });

  test('becomes a rejection inside the transaction, which is rolled back', async () => {
    const work = database.transaction(async (tx) => {
      await insertMany(tx, customers, [customer({ name: 'Ben' })]);
      await onUniqueViolation(() => insertMany(tx, customers, [{ ...ada, id: randomUUID() }]), refusal);
    });
    await expect(work).rejects.toThrow(Conflict);
    expect(await namesIn(database)).toEqual(['Ada']);
  });

  test('is not translated when other columns were named', async () => {
    await expect(onUniqueViolation(insertTwin, refusal, ['id'])).rejects.not.toThrow(Conflict);
    await expect(onUniqueViolation(insertTwin, refusal, ['name'])).rejects.not.toThrow(Conflict);
  });

  test('deletes rows that refer to a deleted row', async () => {
    await database.transaction((tx) => tx.delete(customers, { id: ada.id }));
    expect(await database.read((tx) => tx.count(orders))).toBe(0);
  });
});
