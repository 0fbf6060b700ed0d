import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createTurns } from '@certloop/server';
import { giveTurnsBack } from '../notifications/notifications.repository.js';
import { claimTurns, type Turn } from './claim-turns.repository.js';
import { type DeliverTurnDeps, leaseMicros, type RunningTurn, runTurn } from './deliver-turn.service.js';
import { expireHeld } from './expire-messages.repository.js';

export interface DispatchDeps extends DeliverTurnDeps {
  /** Turns that are delivered at once in this process, apart from those that are slow. */
  readonly deliveryWorkers: number;
  /** Messages a minute to a channel that people read, before the rest becomes a digest; 0 is without limit. */
  readonly digestPerMinute: number;
}

/** Delivers what waits in the queue. */
export interface Dispatcher {
  /** Begins what may be delivered now, and again whenever a turn ends. */
  pump(): Promise<void>;
  /** The same, and resolves when all is delivered that could be; whether there was anything. */
  deliver(): Promise<boolean>;
  /** Gives back what is not delivered yet. The notifier must be stopped before. */
  stop(): Promise<void>;
}

/** A turn that takes longer waits for its target: the next one may begin beside it. */
const slowMs = 1000;
/** Turns in one process, as multiples of `deliveryWorkers`; each slow one holds a connection. */
const maxSlowness = 25;
const stopMs = 2000;

interface InHand {
  readonly running: RunningTurn;
  isSlow: boolean;
}

/**
 * Several processes may dispatch. A slow target costs no worker: after a second another turn begins beside it. A
 * message that may have killed its worker is delivered while nothing else is.
 */
export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { db, logger, deliveryWorkers, digestPerMinute } = deps;
  const inHand = new Map<string, InHand>();
  /** Turns whose claim failed: their messages may be claimed in the database nevertheless. */
  const unsure = new Set<string>();
  const inTurn = createTurns({ atOnce: 1 });
  let isStopping = false;
  let isAlone = false;

  const free = () => {
    if (isStopping || isAlone) return 0;
    const slow = [...inHand.values()].filter((turn) => turn.isSlow).length;
    return Math.min(deliveryWorkers + slow, maxSlowness * deliveryWorkers) - inHand.size;
  };
  const claim = async (): Promise<number> => {
    const limit = free();
    if (limit <= 0) return 0;
    const now = deps.clock.now();
    const ownTurns = new Set(inHand.keys());
    const newTurnId = () => {
      const id = randomUUID();
      unsure.add(id);
      return id;
    };
    const facts = { now, lease: leaseMicros, limit, newTurnId, ownTurns, digestPerMinute };
    const before = [...unsure];
    const turns = await db.transaction(async (tx) => {
      await giveTurnsBack(tx, before);
      return claimTurns(tx, facts);
    });
    unsure.clear();
    for (const turn of turns) begin(turn);
    return turns.length;
  };
  const begin = (turn: Turn): void => {
    if (turn.isAlone) isAlone = true;
    const others = turn.isAlone ? [...inHand.values()].map(({ running }) => running.over) : [];
    const running = runTurn(deps, turn, others);
    const held: InHand = { running, isSlow: false };
    inHand.set(turn.id, held);
    const slow = setTimeout(() => {
      held.isSlow = true;
      running.release();
      goOn();
    }, slowMs).unref();
    void running.over.then(() => {
      clearTimeout(slow);
      inHand.delete(turn.id);
      if (turn.isAlone) isAlone = false;
      goOn();
    });
    if (isStopping) running.stop();
  };
  /** Whether there was anything to begin. */
  const pump = async (): Promise<boolean> => {
    let any = false;
    while ((await inTurn(claim)) > 0) any = true;
    return any;
  };
  const goOn = () => void pump().catch((error: unknown) => logger.error({ error }, 'alert.claim_failed'));
  return {
    pump: async () => {
      await expireHeld(deps);
      await pump();
    },
    deliver: async () => {
      await expireHeld(deps);
      let any = await pump();
      for (; inHand.size > 0; any = true) {
        await Promise.race([...inHand.values()].map(({ running }) => running.over));
        await pump();
      }
      return any;
    },
    stop: async () => {
      isStopping = true;
      for (const { running } of inHand.values()) running.stop();
      const over = Promise.all([...inHand.values()].map(({ running }) => running.over));
      await Promise.race([over, pause(stopMs, undefined, { ref: false })]);
    },
  };
}
