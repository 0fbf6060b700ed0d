import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/index.js';
import { insertMany, type Tx } from '../../src/index.js';
import { type CustomerRow, customers } from './shop.js';

/** A customer who is new unless overridden. */
export function customer(overrides: Partial<CustomerRow> = {}): CustomerRow {
  return {
    id: randomUUID(),
    name: `customer ${randomUUID()}`,
    nickname: null,
    bornAt: new Date('1990-03-04T05:06:07.089Z'),
    isActive: true,
    visits: 1,
    bytesSent: 0,
    photo: Buffer.from([0, 255, 10]),
    tags: [],
    address: null,
    ...overrides,
  };
}

export function insertNamed(tx: Tx, name: string): Promise<void> {
  return insertMany(tx, customers, [customer({ name })]);
}

/** Names of all customers that are committed, sorted. */
export async function namesIn(database: Database): Promise<string[]> {
  return database.read((tx) => names(tx));
}

export async function names(tx: Tx): Promise<string[]> {
  const rows = await tx.find(customers, { order: { name: 'ASC' } });
  return rows.map(({ name }) => name);
}

/** A promise and the means to keep it: holds a transaction open until the test says so. */
export function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
