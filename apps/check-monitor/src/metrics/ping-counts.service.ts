import { AppError } from '@certloop/contracts';
import type { Sample } from '@certloop/server';
import type { PingIntake } from '../pings/intake/receive-ping.service.js';

/** Received pings, counted by kind and result. */
export interface PingCounts {
  /** Wraps the intake so that it counts. */
  watch(intake: PingIntake): PingIntake;
  read(): Sample<'kind' | 'answer'>[];
}

const pingKinds = ['success', 'start', 'fail', 'log', 'mail'] as const;
type PingKind = (typeof pingKinds)[number];

/**
 * Counts pings in plain numbers, which a scrape reads: thousands arrive each second, and looking up a metric by its
 * labels for each of them would be too expensive.
 */
export function createPingCounts(): PingCounts {
  // alerts use `failed`: it starts at 0, since Prometheus sees no increase in a new series
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
        // the kind of a ping by mail depends on the keywords of its check
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
