// Suite `scale`: what the tables take, and what the hot statements cost, at a million checks and a million certificates.
import { measureOnEach } from '../databases.mjs';
import { measureManager } from './scale-manager.mjs';
import { measureMonitor } from './scale-monitor.mjs';

const parts = [measureMonitor, measureManager];

export const scale = {
  name: 'scale',
  isLong: true,
  run: async ({ dialects, rows: count }) => {
    const rows = [];
    for (const part of parts)
      rows.push(...(await measureOnEach(dialects, (database) => part(database, count))));
    return rows;
  },
};
