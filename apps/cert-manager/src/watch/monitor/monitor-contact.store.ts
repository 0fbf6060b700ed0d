import type { Clock } from '@certloop/server';

/** Whether the monitor answers this process, and since when. */
export interface MonitorContact {
  readonly answers: boolean;
  readonly since: Date;
}

/** Stores how the last call to the monitor ended. */
export interface MonitorContactStore {
  note(answers: boolean): void;
  /** Undefined before the first call. */
  read(): MonitorContact | undefined;
}

export function createMonitorContact(clock: Clock): MonitorContactStore {
  let contact: MonitorContact | undefined;
  return {
    note: (answers) => {
      if (contact?.answers !== answers) contact = { answers, since: clock.now() };
    },
    read: () => contact,
  };
}
