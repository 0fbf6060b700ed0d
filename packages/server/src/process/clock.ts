/** Source of the current time; passed as a parameter, so that tests can move it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until it is moved. */
export interface MovableClock extends Clock {
  advance(milliseconds: number): void;
  set(instant: Date): void;
}

export function createMovableClock(start: Date): MovableClock {
  let present = start.getTime();
  return {
    now: () => new Date(present),
    advance: (milliseconds) => {
      present += milliseconds;
    },
    set: (instant) => {
      present = instant.getTime();
    },
  };
}
