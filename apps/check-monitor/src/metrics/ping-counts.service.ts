import { AppError } from '@certloop/contracts';
import type { Sample } from '@certloop/server';
import type { PingIntake } from '../pings/intake/receive-ping.service.js';

/** Pings that were taken in, by their kind and what was answered. */
export interface PingCounts {
  /** The same intake, counted. */
  watch(intake: PingIntake): PingIntake;
  read(): Sample<'kind' | 'answer'>[];
}

const pingKinds = ['success', 'start', 'fail', 'log', 'mail'] as const;
type PingKind = (typeof pingKinds)[number];

/**
 * Counts pings as plain numbers that are read at a scrape: thousands of them come in a second, and a metric that is
 * looked up by its labels each time would cost more than the rest of the counting.
 */
export function createPingCounts(): PingCounts {
  // what an alert counts is there from the start: a rise from nothing is none to Prometheus
  const byKind = new Map(
    pingKinds.map((kind): [PingKind, Map<string, number>] => [kind, new Map([['failed', 0]])]),
  );

  const count = (kind: PingKind, answer: string): void => {
    const answers = byKind.get(kind);
    answers?.set(answer, (answers.get(answer) ?? 0) + 1);
  };

  return {
    watch: (intake) => ({
      find: async (target) => {
        try {
          return await intake.find(target);
        } catch (error) {
          count('mail', refusalOf(error));
          throw error;
        }
      },
      receive: async (ping) => {
        // a ping by mail means what its words mean, which only the check knows
        const kind = ping.mail === undefined ? ping.address.action : 'mail';
        try {
          const result = await intake.receive(ping);
          count(kind, result.isNew ? 'created' : 'stored');
          return result;
        } catch (error) {
          count(kind, refusalOf(error));
          throw error;
        }
      },
    }),
    read: () =>
      [...byKind].flatMap(([kind, answers]) =>
        [...answers].map(([answer, value]) => ({ labels: { kind, answer }, value })),
      ),
  };
}

function refusalOf(error: unknown): string {
  return error instanceof AppError && error.status < 500 ? error.kind : 'failed';
}
