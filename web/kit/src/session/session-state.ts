/** Response of the services about the caller; `session` is absent for callers without one. */
export interface Me {
  readonly user: { readonly id: string };
  readonly csrfToken?: string | undefined;
  /** Rights of the user beyond single objects, in words of the service. */
  readonly rights?: unknown;
  readonly session?: SessionEnds | undefined;
}

/** Points in time as the service sends them. */
export interface SessionEnds {
  /** The session ends then unless a person does something before. */
  readonly idleEndsAt: string;
  /** It ends then in any case. */
  readonly endsAt: string;
}

/** Where a page stands with its session. */
export type SessionState<M extends Me> =
  /** The service has not answered yet who the caller is; `error` when it could not be asked. */
  | { readonly phase: 'unknown'; readonly error?: unknown }
  | { readonly phase: 'out' }
  | { readonly phase: 'in'; readonly me: M; readonly skewMs: number }
  /** It was open in this page and is not any more: the page stays as it is, with a dialog over it. */
  | ({ readonly phase: 'ended'; readonly me: M } & SessionEnd<M>);

/** Why a session ended: time, a sign-out in another tab, or another user who has signed in there. */
export type SessionEnd<M extends Me> =
  | { readonly reason: 'idle' | 'elsewhere' }
  | { readonly reason: 'other-user'; readonly other: M };

/** Message that tabs of a console send to each other. */
export type TabMessage = 'signed-in' | 'signed-out';

export interface TabChannel {
  send(message: TabMessage): void;
  listen(listener: (message: TabMessage) => void): void;
}

const noticeMs = 120_000;

/**
 * Milliseconds until the session ends, where a person should be warned about it: in its last two minutes. `skewMs` is
 * how far the clock of the service is ahead of `now`.
 */
export function warningOf(ends: SessionEnds | undefined, now: number, skewMs: number): number | undefined {
  if (ends === undefined) return undefined;
  const end = Math.min(Date.parse(ends.idleEndsAt), Date.parse(ends.endsAt));
  const left = end - (now + skewMs);
  return left <= noticeMs ? Math.max(0, left) : undefined;
}

/** Whether acting can prolong it: not when its longest time is over. */
export function canStay({ idleEndsAt, endsAt }: SessionEnds): boolean {
  return Date.parse(idleEndsAt) < Date.parse(endsAt);
}

/** How far the clock of the service is ahead of this one, from its header Date, which counts in seconds. */
export function skewOf(date: string | undefined, now: number): number {
  const then = Date.parse(date ?? '');
  if (Number.isNaN(then)) return 0;
  const skew = then + 500 - now;
  return Math.abs(skew) < 2_000 ? 0 : skew;
}

/** Minutes and seconds of a time span such as `1:05`, never rounded up. */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
