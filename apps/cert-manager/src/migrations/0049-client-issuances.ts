import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const openOrder = (causes: string) => [
  {
    name: 'uq_issuances_open_order',
    columns: ['fqdnId'],
    unique: true,
    where: `is_order and ${causes} and state in ('queued', 'running', 'waiting')`,
  },
];

const ofLineages = [{ columns: ['lineage', 'position'], where: 'lineage is not null' }];

const ofClients = [
  { columns: ['lineage'], where: 'lineage is not null' },
  { columns: ['clientId'], where: 'client_id is not null' },
  { columns: ['providerId', 'spaceId', 'clientId', 'nextAt'], where: "state = 'queued'" },
];

const ofOrders = [{ columns: ['createdAt', 'id'], where: 'acme_client_id is not null' }];

const columnsOf = {
  csrs: ['acme_client_id'],
  certificates: ['acme_client_id', 'acme_account_id', 'lineage'],
  issuances: ['order_id', 'client_id', 'account_id', 'lineage'],
};

/**
 * The ACME client, account and lineage of a CSR, a certificate and an issuance. Of one FQDN, several issuances of clients may
 * be queued: each order has one.
 */
export const addClientIssuances: Migration = {
  name: '0049-client-issuances',
  up: async (runner, dialect) => {
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    const uuid = dialect.capabilities.hasConcurrentWriters ? dialect.types.uuid : `${dialect.types.uuid}(36)`;
    for (const [table, columns] of Object.entries(columnsOf)) {
      for (const column of columns) {
        const type = column === 'lineage' ? `${dialect.types.word}(64)${collation}` : uuid;
        await runner.query(`alter table ${table} add column ${column} ${type}`);
      }
    }
    await addIndexes(runner, 'csrs', ofOrders);
    await addIndexes(runner, 'certificates', ofLineages);
    await addIndexes(runner, 'issuances', ofClients);
    await dropIndexes(runner, 'issuances', openOrder("cause <> 'renewal'"));
    await addIndexes(runner, 'issuances', openOrder("cause not in ('renewal', 'client')"));
  },
  down: async (runner) => {
    // an earlier version would take them for those of people
    await runner.query("delete from issuances where cause = 'client'");
    await runner.query('delete from csrs where position < 0');
    await dropIndexes(runner, 'issuances', openOrder("cause not in ('renewal', 'client')"));
    await addIndexes(runner, 'issuances', openOrder("cause <> 'renewal'"));
    await dropIndexes(runner, 'issuances', ofClients);
    await dropIndexes(runner, 'certificates', ofLineages);
    await dropIndexes(runner, 'csrs', ofOrders);
    for (const [table, columns] of Object.entries(columnsOf)) {
      for (const column of columns) await runner.query(`alter table ${table} drop column ${column}`);
    }
  },
};
