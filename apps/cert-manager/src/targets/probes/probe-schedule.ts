const minute = 60_000;
const afterStoring = [minute, 5 * minute, 30 * minute] as const;
const spread = 0.1;

/** Terms that decide when a target is probed next. */
export interface ProbeTerms {
  readonly now: Date;
  /** When the newest certificate was stored; undefined without one. */
  readonly storedAt: Date | undefined;
  readonly everySeconds: number;
  /** Moments at which the verdict on what was seen changes, such as the end of a grace. */
  readonly turns: readonly Date[];
  /** 0 to 1: where in the spread the moment lies. */
  readonly random: number;
}

/**
 * When a target is probed next: 1, 5 and 30 minutes after a certificate was stored, at the next turn, and every
 * `everySeconds`, give or take a tenth; whichever comes first.
 */
export function nextProbeAt({ now, storedAt, everySeconds, turns, random }: ProbeTerms): Date {
  const regular = now.getTime() + everySeconds * 1000 * (1 - spread + 2 * spread * random);
  const steps = storedAt === undefined ? [] : afterStoring.map((ms) => storedAt.getTime() + ms);
  const coming = [...steps, ...turns.map((turn) => turn.getTime())].filter((at) => at > now.getTime());
  return new Date(Math.floor(Math.min(regular, ...coming)));
}

/** The moment from which probes follow in short steps: when a certificate was stored, or when a target that adopts was added. */
export function scheduledFrom(
  { adopt, createdAt }: { readonly adopt: boolean | null; readonly createdAt: Date },
  newest: { readonly createdAt: Date } | undefined,
): Date | undefined {
  return newest?.createdAt ?? (adopt === true ? createdAt : undefined);
}

/** When a target is probed first after a certificate was stored. */
export const firstProbeAt = (storedAt: Date): Date => new Date(storedAt.getTime() + afterStoring[0]);
