import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const tables = ['certificates', 'csrs'];
const byMoment = [{ columns: ['fqdnId', 'createdAt', 'id'] }];
const byPosition = [{ columns: ['fqdnId', 'position'], unique: true }];
const inUse = [
  { name: 'uq_certificates_in_use', columns: ['fqdnId'], unique: true, where: 'replaced_at is null' },
];

/**
 * Gives the certificates and the CSRs of an FQDN the order in which they were stored, whatever clocks said. Those that
 * are there are numbered by their moments and ids, and the database refuses a second certificate in use.
 */
export const orderCertificates: Migration = {
  name: '0012-order-of-certificates',
  up: async (runner, dialect) => {
    for (const table of tables) {
      // by plain SQL: TypeORM would copy the whole table on SQLite
      await runner.query(`alter table ${table} add column position ${dialect.types.integer}`);
      await runner.query(
        `update ${table} set position = numbered.position
         from (select id, row_number() over (partition by fqdn_id order by created_at, id) as position
           from ${table}) as numbered
         where numbered.id = ${table}.id`,
      );
      await addIndexes(runner, table, byPosition);
      await dropIndexes(runner, table, byMoment);
      if (dialect.name === 'postgres') await numberOfOthers(runner, table);
    }
    await runner.query(
      `update certificates set replaced_at = created_at
       where replaced_at is null and exists (select 1 from certificates n
         where n.fqdn_id = certificates.fqdn_id and n.position > certificates.position)`,
    );
    await addIndexes(runner, 'certificates', inUse);
  },
  down: async (runner, dialect) => {
    await dropIndexes(runner, 'certificates', inUse);
    for (const table of tables) {
      if (dialect.name === 'postgres') {
        await runner.query(`drop trigger ${table}_position on ${table}`);
        await runner.query(`drop function ${table}_position()`);
      }
      await addIndexes(runner, table, byMoment);
      await dropIndexes(runner, table, byPosition);
      await runner.query(`alter table ${table} drop column position`);
    }
  },
};

/** Numbers rows that a process of the version before, which knows no positions, stores during an upgrade. */
async function numberOfOthers(runner: Parameters<Migration['up']>[0], table: string): Promise<void> {
  await runner.query(
    `create function ${table}_position() returns trigger language plpgsql as $$
     begin
       select coalesce(max(position), 0) + 1 into new.position from ${table} where fqdn_id = new.fqdn_id;
       return new;
     end $$`,
  );
  await runner.query(
    `create trigger ${table}_position before insert on ${table}
     for each row when (new.position is null) execute function ${table}_position()`,
  );
}
