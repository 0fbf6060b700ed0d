import { randomUUID } from 'node:crypto';
import type { Database } from '@certloop/db';
import type { IncomingPing } from '../../src/pings/incoming-ping.js';
import { createPingIntake, type PingIntake } from '../../src/pings/intake/receive-ping.service.js';
import type { PingTarget } from '../../src/pings/ping-address.js';
import type { Stage } from './suite.js';

/** An intake of its own, as of another process. */
export function intakeOf(
  { app }: Pick<Stage, 'app'>,
  { pingLimit = 100, ...changed }: Partial<Database> & { readonly pingLimit?: number } = {},
): PingIntake {
  const { clock } = app.accounts;
  const database = { ...app.database, ...changed };
  const { logger } = app;
  return createPingIntake({ db: database, clock, logger, newUuid: randomUUID, checkLimit: 20, pingLimit });
}

export function pingTo(uuid: string, changed: Partial<IncomingPing> = {}): IncomingPing {
  return { ...pingAt({ kind: 'uuid', uuid }), ...changed };
}

export function pingAt(target: PingTarget): IncomingPing {
  return {
    address: { target, action: 'success', exitStatus: undefined, runId: undefined },
    origin: { remoteAddr: null, scheme: 'http' },
    method: 'GET',
    userAgent: '',
    body: Buffer.alloc(0),
  };
}
