import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { yieldBetween } from '@certloop/db';
import { oneAtATime } from '@certloop/server';
import { releaseTurns } from '../notifications/notifications.repository.js';
import { type Claimed, claimTurns } from './claim-turns.repository.js';
import { type DeliverTurnDeps, leaseMicros, type RunningTurn, runTurn } from './deliver-turn.service.js';
import { expireHeld } from './expire-messages.repository.js';
import type { DeliveryTurn } from './turn-rows.repository.js';

export interface DispatchDeps extends DeliverTurnDeps {
  /** Turns that are delivered at once in this process, apart from those that are slow. */
  readonly deliveryWorkers: number;
  /** Messages a minute to a channel that people read, before the rest becomes a digest; 0 is without limit. */
  readonly digestPerMinute: number;
  /** A turn that takes longer waits for its target: the next one may begin beside it. A second when absent. */
  readonly slowMs?: number;
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

/** Turns in one process, as multiples of `deliveryWorkers`; each slow one holds a connection. */
const maxSlowness = 25;
const stopMs = 2000;

/**
 * Several processes may dispatch. A slow target costs no worker: after a second another turn begins beside it. A
 * message that may have killed its worker is delivered while nothing else is.
 */
export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const claim = createClaimer(deps);
  const goOn = () =>
    void pump().catch((error: unknown) => deps.logger.error({ error }, 'alert.claim_failed'));
  const inHand = createTurnsInHand(deps, goOn);
  /** Whether there was anything to begin. */
  const beginAll = async (): Promise<boolean> => {
    let any = false;
    for await (const _round of yieldBetween()) {
      const limit = inHand.free();
      if (limit <= 0) break;
      const { turns, mayHaveMore } = await claim(limit, inHand.ids());
      for (const turn of turns) inHand.begin(turn);
      if (turns.length > 0) any = true;
      if (!mayHaveMore) break;
    }
    return any;
  };
  // what wants turns while a claim is under way shares the next one
  const claims = oneAtATime(beginAll);
  const pump = () => claims.run();
  return {
    pump: async () => {
      await expireHeld(deps);
      await pump();
    },
    deliver: async () => {
      await expireHeld(deps);
      let any = await pump();
      for await (const _round of yieldBetween()) {
        const over = inHand.over();
        if (over.length === 0) break;
        any = true;
        await Promise.race(over);
        await pump();
      }
      return any;
    },
    stop: async () => {
      inHand.stop();
      const allOver = async () => {
        // a claim that is under way may still take turns
        await claims.idle();
        await Promise.all(inHand.over());
      };
      await Promise.race([allOver(), pause(stopMs, undefined, { ref: false })]);
    },
  };
}

/** Claims turns. What a claim that failed may have taken all the same is given back by the next one. */
function createClaimer({ db, clock, digestPerMinute }: DispatchDeps) {
  const unsure = new Set<string>();
  const newTurnId = () => {
    const id = randomUUID();
    unsure.add(id);
    return id;
  };
  return async (limit: number, ownTurns: ReadonlySet<string>): Promise<Claimed> => {
    const facts = { now: clock.now(), lease: leaseMicros, limit, newTurnId, ownTurns, digestPerMinute };
    const before = [...unsure];
    const claimed = await db.transaction(async (tx) => {
      await releaseTurns(tx, before);
      return claimTurns(tx, facts);
    });
    unsure.clear();
    return claimed;
  };
}

interface TurnInHand {
  readonly running: RunningTurn;
  isSlow: boolean;
}

/** The turns that this process delivers; `onChange` is called when one has ended or has become slow. */
function createTurnsInHand(deps: DispatchDeps, onChange: () => void) {
  const { deliveryWorkers, slowMs = 1000 } = deps;
  const turns = new Map<string, TurnInHand>();
  const over = () => [...turns.values()].map(({ running }) => running.over);
  let isStopping = false;
  let isAlone = false;
  return {
    ids: () => new Set(turns.keys()),
    /** How many more may begin. */
    free: (): number => {
      if (isStopping || isAlone) return 0;
      const slow = [...turns.values()].filter((turn) => turn.isSlow).length;
      return Math.min(deliveryWorkers + slow, maxSlowness * deliveryWorkers) - turns.size;
    },
    /** Each resolves when its turn is over. */
    over,
    begin: (turn: DeliveryTurn): void => {
      if (turn.isAlone) isAlone = true;
      const running = runTurn(deps, turn, turn.isAlone ? over() : []);
      const held: TurnInHand = { running, isSlow: false };
      turns.set(turn.id, held);
      const slow = setTimeout(() => {
        held.isSlow = true;
        running.release();
        onChange();
      }, slowMs).unref();
      void running.over.then(() => {
        clearTimeout(slow);
        turns.delete(turn.id);
        if (turn.isAlone) isAlone = false;
        onChange();
      });
      if (isStopping) running.stop();
    },
    stop: (): void => {
      isStopping = true;
      for (const { running } of turns.values()) running.stop();
    },
  };
}
