import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type DatabaseWarning, executeSql, insertMany, openDatabase } from '../../src/index.js';
import { customer, insertNamed } from './rows.js';
import { customers, shop } from './shop.js';

// Another process at the same database: visitor.js <act> <url> [argument]
const [, , act, url = '', argument = ''] = process.argv;
const onWarning = ({ name }: DatabaseWarning) => process.stderr.write(`${name}\n`);
const database = await openDatabase({ url, schema: shop, onWarning });

/** Prints the instant of a customer as this process sees it, and stores one a second later. */
async function copy(): Promise<void> {
  const row = await database.read((tx) => tx.findOneByOrFail(customers, { id: argument }));
  const bornAt = new Date(row.bornAt.getTime() + 1000);
  const copyId = randomUUID();
  await database.transaction((tx) =>
    insertMany(tx, customers, [customer({ id: copyId, name: copyId, bornAt })]),
  );
  print({ seen: row.bornAt.toISOString(), copyId });
}

/** Holds a write transaction open until the input ends; prints a line when it has begun. */
async function hold(): Promise<void> {
  await database.transaction(async (tx) => {
    await insertNamed(tx, 'visitor');
    print({ holding: true });
    await once(process.stdin.resume(), 'end');
  });
}

/** Deletes everything in a long transaction, which stays open until the input ends; prints a line when it has begun. */
async function empty(): Promise<void> {
  await database.longTransaction(async (tx) => {
    await executeSql(tx, 'delete from customers');
    print({ holding: true });
    await once(process.stdin.resume(), 'end');
  });
}

async function migrate(): Promise<void> {
  print(await database.migrate());
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

const acts: Readonly<Record<string, () => Promise<void>>> = { copy, empty, hold, migrate };
await acts[act ?? '']?.();
await database.close();
