import { addIndexes, dropIndexes, type Migration, type TableIndex } from '@certloop/db';

const turnsOfChannel: readonly TableIndex[] = [
  { columns: ['channelId', 'turnId'], where: 'turn_id is not null', name: 'ix_notifications_channel_turns' },
];

const openOfCheck: readonly TableIndex[] = [
  {
    columns: ['channelId', 'checkId', 'id'],
    where: 'settled_at is null',
    name: 'ix_notifications_open_channel',
  },
];

/**
 * The turns of a channel are counted at each claim, without its messages of the past. The index of the open messages
 * about a check is made again: without statistics PostgreSQL takes the newest of equally good indexes, and took one
 * that made it compare each open message of a channel with all others.
 */
export const indexTurnsOfChannels: Migration = {
  name: '0013-messages-in-hand',
  up: async (runner) => {
    await addIndexes(runner, 'notifications', turnsOfChannel);
    await dropIndexes(runner, 'notifications', openOfCheck);
    await addIndexes(runner, 'notifications', openOfCheck);
  },
  down: (runner) => dropIndexes(runner, 'notifications', turnsOfChannel),
};
