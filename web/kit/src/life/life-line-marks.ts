/** A certificate's life in milliseconds since the epoch; `renewAt` is unknown where nothing renews it. */
export interface Life {
  readonly notBefore: number;
  readonly renewAt?: number | undefined;
  readonly expiresAt: number;
  /** In which the CA wants it to be renewed (RFC 9773). */
  readonly window?: { readonly from: number; readonly to: number } | undefined;
}

export interface LifeMarks {
  /** Parts of the line from left to right with their shares of its width, which add up to 1. */
  readonly parts: readonly { readonly tone: 'ok' | 'warn' | 'bad'; readonly share: number }[];
  /** Place of the moment now, 0 to 1. */
  readonly now: number;
  /** Place and width of the window of the CA, 0 to 1; undefined without one. */
  readonly window: { readonly from: number; readonly share: number } | undefined;
}

/**
 * How a life line is drawn: calm from the issue to the renewal, alarming from there to the expiry, and bad from the
 * expiry to now where that has passed. Without a renewal the last third is alarming.
 */
export function lifeMarks({ notBefore, renewAt, expiresAt, window }: Life, now: number): LifeMarks {
  const end = Math.max(expiresAt, now, notBefore + 1);
  const width = end - notBefore;
  const share = (at: number) => Math.min(1, Math.max(0, (at - notBefore) / width));
  const turn = share(renewAt ?? notBefore + ((expiresAt - notBefore) * 2) / 3);
  const expiry = share(expiresAt);
  const calm = Math.min(turn, expiry);
  const [from, to] = window === undefined ? [0, 0] : [share(window.from), Math.min(share(window.to), expiry)];
  return {
    parts: [
      { tone: 'ok' as const, share: calm },
      { tone: 'warn' as const, share: expiry - calm },
      { tone: 'bad' as const, share: 1 - expiry },
    ].filter((part) => part.share > 0),
    now: share(now),
    window: to > from ? { from, share: to - from } : undefined,
  };
}
