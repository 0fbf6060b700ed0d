// Suite `manager`: the certificate manager on both databases.
import { measureOnEach } from '../databases.mjs';
import { measureAudit } from './manager-audit.mjs';
import { measureLists } from './manager-lists.mjs';
import { withManager } from './manager-place.mjs';
import { measureSigning } from './manager-signing.mjs';
import { measureTick } from './manager-tick.mjs';
import { measureWaits } from './manager-waits.mjs';
import { measureNotices } from './notices.mjs';

// the last one stops the manager
const parts = [measureSigning, measureLists, measureAudit, measureWaits, measureNotices, measureTick];

export const manager = {
  name: 'manager',
  run: ({ seconds, dialects }) =>
    measureOnEach(dialects, (database) =>
      withManager(database, async (place) => {
        const rows = [];
        for (const part of parts) rows.push(...(await part(place, { seconds })));
        return rows;
      }),
    ),
};
