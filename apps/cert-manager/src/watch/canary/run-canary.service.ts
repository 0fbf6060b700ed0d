import { randomUUID } from 'node:crypto';
import { AppError } from '@certloop/contracts';
import type { Logger } from '@certloop/server';
import type { DbDeps } from '../../db-deps.js';
import type { Notices } from '../../events/notices.service.js';
import { MonitorRefused } from '../monitor/monitor.client.js';
import { type AlertSight, createAlertEvents } from '../monitor/monitor-events.service.js';
import { isPaused } from '../watch-pause.js';
import { type CanaryClient, createCanaryClient } from './canary.client.js';
import { canaryRetryAt, canaryStepOf, nextRoundAt, readAt, readBackMs } from './canary-step.js';
import {
  type CanaryTurnRow,
  claimCanaryTurn,
  deleteCanaryTurn,
  ensureCanaryTurn,
  findCanaryTurn,
  releaseCanaryTurn,
} from './canary-turns.repository.js';

interface CanaryDeps extends DbDeps {
  readonly logger: Logger;
  readonly client: CanaryClient;
  /** The project that the canary was in before it got one of its own. */
  readonly formerClient?: CanaryClient | undefined;
  /** Seconds for which the monitor may refuse the canary until that is noticed. */
  readonly awaySeconds: number;
  /** Takes what a round has shown. */
  readonly onSight: (sight: AlertSight) => Promise<void>;
}

export interface CanaryJobDeps extends Pick<CanaryDeps, 'db' | 'clock' | 'logger' | 'awaySeconds'> {
  readonly monitor: Parameters<typeof createCanaryClient>[0];
  /** Key of a project for the canary alone; it is in the project of the other checks when absent. */
  readonly canaryApiKey: string | undefined;
  readonly notices: Notices | undefined;
}

/**
 * Returns the next step of the canary if there is a destination of notices or a project for the canary; otherwise a step
 * that deletes it.
 */
export function createCanaryJob({ monitor, canaryApiKey, notices, ...deps }: CanaryJobDeps) {
  const mainClient = createCanaryClient(monitor);
  const ownClient =
    canaryApiKey === undefined ? undefined : createCanaryClient({ url: monitor.url, apiKey: canaryApiKey });
  const client = ownClient ?? mainClient;
  if (notices === undefined && ownClient === undefined) return createCanaryRemoval({ ...deps, client });
  const onSight = createAlertEvents({ ...deps, notices });
  return createCanary({ ...deps, client, formerClient: ownClient && mainClient, onSight });
}

// longer than the calls of a step can take
const leaseMs = 60_000;

/**
 * The next step of the canary, when it is due: pings a check that is meant to fall, reads ten minutes later whether the
 * monitor made it fall, and pauses it. One process at a time. A monitor that does not answer shows nothing of its alerts.
 */
function createCanary(deps: CanaryDeps): () => Promise<void> {
  const { db, clock, logger, formerClient, awaySeconds, onSight } = deps;
  let askAt = clock.now();
  let refusedSince: Date | undefined;

  const putOff = async ({ checkUuid }: CanaryTurnRow, error: unknown): Promise<Next> => {
    if (!(error instanceof MonitorRefused)) throw error;
    const now = clock.now();
    const { fault, message: reason } = error;
    logger.info({ fault, reason }, 'watch.canary_postponed');
    refusedSince = isRefusal(error) ? (refusedSince ?? now) : undefined;
    if (refusedSince !== undefined && now.getTime() - refusedSince.getTime() >= awaySeconds * 1000)
      await onSight({ raisesAlerts: 'unknown', reason });
    const isGone = fault === 'gone' && (checkUuid === null || (await isDeleted(formerClient, checkUuid)));
    return { checkUuid: isGone ? null : checkUuid, pingedAt: null, dueAt: canaryRetryAt(now) };
  };

  return async () => {
    const now = clock.now();
    if (isPaused(askAt, now)) return;
    const token = randomUUID();
    const claim = { now, token, until: new Date(now.getTime() + leaseMs) };
    const { row, dueAt } = await db.transaction(async (tx) => {
      await ensureCanaryTurn(tx, now);
      const claimed = await claimCanaryTurn(tx, claim);
      return { row: claimed, dueAt: claimed === undefined ? (await findCanaryTurn(tx))?.dueAt : undefined };
    });
    if (row === undefined) {
      askAt = dueAt ?? now;
      return;
    }
    const next = await takeStep(deps, row).then(
      (step) => {
        // a ping needs no key, so it shows nothing of it
        if (row.checkUuid === null || step.pingedAt === null) refusedSince = undefined;
        return step;
      },
      (error: unknown) => putOff(row, error),
    );
    await db.transaction((tx) => releaseCanaryTurn(tx, token, next));
    askAt = next.dueAt;
  };
}

/** Deletes the check of a canary that is no longer wanted, once. */
function createCanaryRemoval({ db, client }: Pick<CanaryDeps, 'db' | 'client'>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    const row = await db.read(findCanaryTurn);
    if (row !== undefined) {
      if (row.checkUuid !== null && !(await isDeleted(client, row.checkUuid))) return;
      await db.transaction(deleteCanaryTurn);
    }
    isDone = true;
  };
}

/** False when the monitor does not answer or does not take the key. */
async function isDeleted(client: CanaryClient | undefined, uuid: string): Promise<boolean> {
  try {
    await client?.delete(uuid);
    return true;
  } catch (error) {
    if (!(error instanceof MonitorRefused)) throw error;
    return error.fault === 'gone';
  }
}

type Next = Pick<CanaryTurnRow, 'dueAt' | 'checkUuid' | 'pingedAt'>;

async function takeStep({ clock, client, onSight }: CanaryDeps, row: CanaryTurnRow): Promise<Next> {
  const { checkUuid, pingedAt } = row;
  if (checkUuid === null || pingedAt === null || canaryStepOf(row, clock.now()) === 'ping') {
    const uuid = checkUuid ?? (await client.ensureCheck());
    await client.ping(uuid);
    const now = clock.now();
    return { checkUuid: uuid, pingedAt: now, dueAt: readAt(now) };
  }
  const hasFallen = await client.hasFallen(checkUuid, readBackMs);
  // a check that people have changed shows nothing: another round begins with its settings reset
  if (!hasFallen && !(await client.isArmed(checkUuid)))
    return { checkUuid: null, pingedAt: null, dueAt: clock.now() };
  await onSight({ raisesAlerts: hasFallen });
  if (hasFallen) await client.pause(checkUuid);
  return { checkUuid, pingedAt: null, dueAt: nextRoundAt(pingedAt) };
}

/** Whether the monitor answers, but does not do what it is asked. */
function isRefusal({ fault, cause }: MonitorRefused): boolean {
  if (fault === 'no_room' || fault === 'refused') return true;
  return cause instanceof AppError && cause.kind === 'unauthenticated';
}
