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

const initial: Migration = {
  name: '0001-initial',
  up: (runner, dialect) => createTables(runner, dialect, [customers, orders]),
  down: (runner) => dropTables(runner, [customers, orders]),
};

export const shop: Schema = {
  entities: (dialect) => entitiesOf(dialect, [customers, orders]),
  migrations: [initial],
};
