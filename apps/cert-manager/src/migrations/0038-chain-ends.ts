import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const indexes = [{ name: 'ix_certificates_unread_chain', columns: ['id'], where: 'leaf_expires_at is null' }];

/**
 * A certificate ends when the first certificate of its chain ends. The service reads the chains of those that are there
 * after its start, in slices.
 */
export const addChainEnds: Migration = {
  name: '0038-chain-ends',
  up: async (runner, dialect) => {
    await runner.query(`alter table certificates add column leaf_expires_at ${dialect.types.instant}`);
    await addIndexes(runner, 'certificates', indexes);
  },
  down: async (runner) => {
    await dropIndexes(runner, 'certificates', indexes);
    await runner.query(
      'update certificates set expires_at = leaf_expires_at where leaf_expires_at > expires_at',
    );
    await runner.query('alter table certificates drop column leaf_expires_at');
  },
};
