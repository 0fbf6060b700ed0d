import {
  column,
  createTables,
  defineTable,
  dropTables,
  entitiesOf,
  type Migration,
  type Schema,
} from '../../src/index.js';

export type OrderStatus = 'open' | 'paid';

export interface CustomerRow {
  readonly id: string;
  readonly name: string;
  readonly nickname: string | null;
  readonly bornAt: Date;
  readonly isActive: boolean;
  readonly visits: number;
  readonly bytesSent: number;
  readonly photo: Buffer;
  readonly tags: readonly string[];
  readonly address: { readonly street: string; readonly floors: readonly number[] } | null;
}

export interface OrderRow {
  readonly id: number;
  readonly customerId: string;
  readonly status: OrderStatus;
  readonly note: string;
  readonly seenAt: number;
}

export const customers = defineTable<CustomerRow>('customers', {
  columns: {
    id: column.uuid().primary(),
    name: column.word(100),
    nickname: column.word(100).nullable(),
    bornAt: column.instant(),
    isActive: column.boolean(),
    visits: column.integer(),
    bytesSent: column.bigint(),
    photo: column.bytes(),
    tags: column.json(),
    address: column.json<CustomerRow['address'] & {}>().nullable(),
  },
  indexes: [{ columns: ['name', 'bornAt'], unique: true }, { columns: ['bornAt'] }],
});

export const orders = defineTable<OrderRow>('orders', {
  columns: {
    id: column.key(),
    customerId: column.uuid(),
    status: column.word(10),
    note: column.text(),
    seenAt: column.preciseInstant(),
  },
  indexes: [{ columns: ['customerId'], unique: true, where: "status = 'open'" }],
  references: [{ columns: ['customerId'], table: 'customers', onDelete: 'CASCADE' }],
});

/** Which customer may open which door: a table whose columns are all in its key. */
export const passes = defineTable<{ readonly customerId: string; readonly door: number }>('passes', {
  columns: { customerId: column.uuid().primary(), door: column.integer().primary() },
});

const initial: Migration = {
  name: '0001-initial',
  up: (runner, dialect) => createTables(runner, dialect, [customers, orders, passes]),
  down: (runner) => dropTables(runner, [customers, orders, passes]),
};

export const shop: Schema = {
  entities: (dialect) => entitiesOf(dialect, [customers, orders, passes]),
  migrations: [initial],
};
