import { AppError } from '@certloop/contracts';
import type { Sample } from '@certloop/server';
import type { PingIntake } from '../pings/receive-ping.service.js';

/** Pings that were taken in, by their kind and what was answered. */
export interface PingCounts {
  /** The same intake, counted. */
  watch(intake: PingIntake): PingIntake;
  read(): Sample<'kind' | 'answer'>[];
}

/**
 * Counts pings as plain numbers that are read at a scrape: thousands of them come in a second, and a metric that is
 * looked up by its labels each time would cost more than the rest of the counting.
 */
export function createPingCounts(): PingCounts {
  const byKind = new Map<string, Map<string, number>>();

  const count = (kind: string, answer: string): void => {
    let answers = byKind.get(kind);
    if (answers === undefined) {
      answers = new Map();
      byKind.set(kind, answers);
    }
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  };

  return {
    watch: (intake) => ({
      receive: async (ping) => {
        // a ping by mail means what its words mean, which only the check knows
        const kind = ping.mail === undefined ? ping.address.action : 'mail';
        try {
          const result = await intake.receive(ping);
          count(kind, result.isNew ? 'created' : 'stored');
          return result;
        } catch (error) {
          count(kind, error instanceof AppError ? error.kind : 'failed');
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
