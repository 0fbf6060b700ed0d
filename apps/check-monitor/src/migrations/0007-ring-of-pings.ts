import type { Migration } from '@certloop/db';

const ringColumns = ['first_slot', 'last_slot', 'slot_count'];

/**
 * A ping takes the slot of the one that it pushes out. The rows stay as they are, however many: a ping that has no
 * number yet lies in the slot of its number, and a check that has no ring yet finds it by its pings.
 */
export const addPingRing: Migration = {
  name: '0007-ring-of-pings',
  up: async (runner, dialect) => {
    await runner.query('alter table pings rename column n to slot');
    await runner.query('alter table pings add column n bigint');
    for (const name of ringColumns) await runner.query(`alter table check_states add column ${name} bigint`);
    if (dialect.name !== 'postgres') return;
    const [{ relkind }] = await runner.query(`select relkind from pg_class where oid = 'pings'::regclass`);
    // room in each page for the next version of a row; partitions have settings of their own
    if (relkind === 'r') await runner.query('alter table pings set (fillfactor = 90)');
  },
  down: async (runner) => {
    await runner.query('delete from pings where n = 0');
    // below zero first, where no number is in the way
    await runner.query('update pings set slot = -coalesce(n, slot)');
    await runner.query('update pings set slot = -slot');
    await runner.query('alter table pings drop column n');
    await runner.query('alter table pings rename column slot to n');
    for (const name of ringColumns) await runner.query(`alter table check_states drop column ${name}`);
  },
};
