import type { Clock } from '@certloop/server';
import type { ProjectReach } from './alert-state.js';

/** Whether the monitor answers this process, and since when. */
export interface MonitorContact {
  readonly answers: boolean;
  readonly since: Date;
  /** Whether its alerts reach people, as it said last; undefined if it does not answer or does not say. */
  readonly reach: ProjectReach | undefined;
}

/** Stores how the last call to the monitor ended. */
export interface MonitorContactStore {
  /** `reach` is what the monitor says of its integrations. */
  note(answers: boolean, reach?: ProjectReach): void;
  /** Undefined before the first call. */
  read(): MonitorContact | undefined;
}

export function createMonitorContact(clock: Clock): MonitorContactStore {
  let contact: MonitorContact | undefined;
  return {
    note: (answers, reach) => {
      const since = contact?.answers === answers ? contact.since : clock.now();
      contact = { answers, since, reach };
    },
    read: () => contact,
  };
}
