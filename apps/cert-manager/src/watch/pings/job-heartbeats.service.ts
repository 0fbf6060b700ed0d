import type { Logger } from '@certloop/server';
import type { DbDeps } from '../../db-deps.js';
import {
  createHeartbeat,
  type Heartbeat,
  type HeartbeatOptions,
  type LostPings,
} from '../../renewals/heartbeat/heartbeat.client.js';
import { sentText } from './ping-text.js';
import { deletePings, insertPing, listPings } from './watch-pings.repository.js';

export interface JobHeartbeatsDeps extends DbDeps {
  readonly logger: Logger;
  /** Undefined if there is none. */
  readonly monitor: HeartbeatOptions['monitor'] | undefined;
}

/** How the check of a job shows in the monitor, and what follows its pings. */
export type JobCheck = Pick<HeartbeatOptions, 'check' | 'periodSeconds' | 'onAnswer' | 'keyTriedMs'>;

// such a job runs each minute; CAs, servers and receivers may take their time
const periodSeconds = 300;

/** The checks of recurring jobs, beside that of the renewal queue. */
export const jobChecks = {
  advice: {
    periodSeconds,
    check: {
      name: 'CertLoop cert-manager: renewal advice',
      slug: 'certloop-cert-manager-advice',
      desc: 'The certificate manager reports here whenever it has asked CAs when they want certificates renewed.',
    },
  },
  served: {
    periodSeconds,
    check: {
      name: 'CertLoop cert-manager: served certificates',
      slug: 'certloop-cert-manager-served',
      desc: 'The certificate manager reports here whenever it has probed which certificates servers serve.',
    },
  },
  notices: {
    periodSeconds,
    check: {
      name: 'CertLoop cert-manager: notices',
      slug: 'certloop-cert-manager-notices',
      desc: 'The certificate manager reports here each minute that it has sent the notices that were due.',
    },
  },
} as const satisfies Readonly<Record<string, JobCheck>>;

/** Returns what creates the heartbeat of a job, which reports each run to the monitor; undefined without a monitor. */
export function createJobHeartbeats({ monitor, db, clock, logger }: JobHeartbeatsDeps) {
  return (job: string, check: JobCheck): Heartbeat | undefined => {
    if (monitor === undefined) return undefined;
    return createHeartbeat({ monitor, clock, logger, lost: createLostPings({ db, clock }, job), ...check });
  };
}

/** Keeps what the monitor did not take of the recurring job of that name, the newest 20. */
export function createLostPings({ db, clock }: DbDeps, job: string): LostPings {
  return {
    store: (signal, id, body) =>
      db.transaction((tx) => insertPing(tx, { id, subject: job, signal, body, createdAt: clock.now() })),
    list: async () => {
      const rows = await db.read((tx) => listPings(tx, job));
      return rows.map((row) => ({ signal: row.signal, rid: row.id, text: sentText(row, clock.now()) }));
    },
    remove: (id) => db.transaction((tx) => deletePings(tx, [id])),
  };
}
