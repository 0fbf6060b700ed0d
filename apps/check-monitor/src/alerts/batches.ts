import { type Micros, microsPerSecond } from '../instants.js';

/** Columns that decide which messages are sent together. */
export interface BatchedRow {
  readonly id: number;
  readonly checkId: number | null;
  readonly aboutChannelId: number | null;
}

/** Messages of one call to the target: one message, several about one check, or a digest. */
export interface Batch<Row extends BatchedRow> {
  readonly kind: 'alert' | 'notice' | 'digest';
  /** Oldest first, at least one. */
  readonly rows: readonly Row[];
}

/** The message whose delivery id names the batch: the newest one. */
export function leadOf<Row extends BatchedRow>({ rows }: Batch<Row>): Row {
  const lead = rows.at(-1);
  if (lead === undefined) throw new Error('a batch has at least one message');
  return lead;
}

/** Batches of claimed messages, oldest first: those about one check together, or all in one digest. */
export function batchRows<Row extends BatchedRow>(rows: readonly Row[], isDigest: boolean): Batch<Row>[] {
  const byCheck = new Map<number, Row[]>();
  const batches: Row[][] = [];
  const notices: Batch<Row>[] = [];
  for (const row of rows.toSorted((one, other) => one.id - other.id)) {
    const together = row.checkId === null ? undefined : byCheck.get(row.checkId);
    if (row.aboutChannelId !== null) notices.push({ kind: 'notice', rows: [row] });
    else if (together !== undefined) together.push(row);
    else {
      const begun = [row];
      batches.push(begun);
      if (row.checkId !== null) byCheck.set(row.checkId, begun);
    }
  }
  if (isDigest && batches.length > 1) return [...notices, { kind: 'digest', rows: batches.flat() }];
  return [...notices, ...batches.map((together): Batch<Row> => ({ kind: 'alert', rows: together }))];
}

const minute: Micros = 60 * microsPerSecond;

interface Minute {
  readonly minuteAt: Micros | null;
  readonly minuteCount: number | null;
}

/** How many more messages a channel may get in its current minute. */
export interface Allowance {
  readonly minuteAt: Micros;
  readonly minuteCount: number;
  /** Beyond it, all that waits becomes one digest. */
  readonly left: number;
  /** When the minute ends. */
  readonly endsAt: Micros;
}

/** A minute begins with the first message after the previous minute; a `perMinute` of 0 sets no limit. */
export function allowanceOf({ minuteAt, minuteCount }: Minute, perMinute: number, now: Micros): Allowance {
  const isSame = minuteAt !== null && minuteAt <= now && now < minuteAt + minute;
  const count = isSame ? (minuteCount ?? 0) : 0;
  const begin = isSame ? minuteAt : now;
  const left = perMinute === 0 ? Number.POSITIVE_INFINITY : Math.max(0, perMinute - count);
  return { minuteAt: begin, minuteCount: count, left, endsAt: begin + minute };
}
