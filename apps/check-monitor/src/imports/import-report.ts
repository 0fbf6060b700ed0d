/** Things that are counted. */
export const things = ['users', 'projects', 'keys', 'members', 'checks', 'integrations', 'flips'] as const;

export type Thing = (typeof things)[number];

/** Result for a thing: `left` where the one here is in use and stays as it is. */
export const fates = ['created', 'updated', 'unchanged', 'left'] as const;

export type Fate = (typeof fates)[number];

export interface NotCarriedOver {
  readonly what: string;
  readonly reason: string;
}

/** Report of what an import did, or would do. */
export interface ImportReport {
  readonly outcome: 'imported' | 'dry run' | 'refused';
  readonly counts: Readonly<Record<Thing, Readonly<Record<Fate, number>>>>;
  /** Rows that cannot be imported: row, field and reason. */
  readonly faults: readonly string[];
  readonly faultCount: number;
  /** Keys and badges that work only while the secret under which it was made is known here. */
  readonly formerSecret: {
    readonly isSet: boolean;
    readonly keys: readonly { readonly projectId: string; readonly project: string; readonly kind: string }[];
    readonly badges: readonly { readonly projectId: string; readonly project: string }[];
  };
  readonly withoutPassword: readonly { readonly email: string; readonly command: string }[];
  /** Checks that had integrations and have none here: they would send no alerts. */
  readonly silentChecks: readonly {
    readonly uuid: string;
    readonly name: string;
    readonly project: string;
  }[];
  /** Integrations that came along but would send nothing from here, and what makes them send. */
  readonly undeliverable: readonly NotCarriedOver[];
  readonly notCarriedOver: readonly NotCarriedOver[];
}

const maxFaults = 1000;

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Collects a report while an import runs. */
export class ImportTally {
  private readonly counts = emptyCounts();
  private readonly faults: string[] = [];
  private faultCount = 0;
  private readonly keys: ImportReport['formerSecret']['keys'][number][] = [];
  private readonly badges: ImportReport['formerSecret']['badges'][number][] = [];
  private readonly notCarriedOver: NotCarriedOver[] = [];
  private readonly ignored = new Map<string, number>();

  count(thing: Thing, fate: Fate, number = 1): void {
    this.counts[thing][fate] += number;
  }

  fault(text: string): void {
    this.faultCount += 1;
    if (this.faults.length < maxFaults) this.faults.push(text);
  }

  get hasFaults(): boolean {
    return this.faultCount > 0;
  }

  leaveBehind(what: string, reason: string): void {
    this.notCarriedOver.push({ what, reason });
  }

  /** Counts a row of a kind that is left behind for one reason. */
  ignore(reason: string, number = 1): void {
    this.ignored.set(reason, (this.ignored.get(reason) ?? 0) + number);
  }

  needFormerSecret(project: { readonly id: string; readonly name: string }, kinds: readonly string[]): void {
    const named = { projectId: project.id, project: project.name };
    this.badges.push(named);
    for (const kind of kinds) this.keys.push({ ...named, kind });
  }

  report(
    outcome: ImportReport['outcome'],
    found: Pick<ImportReport, 'withoutPassword' | 'silentChecks'> & { readonly hasFormerSecret: boolean },
  ): ImportReport {
    const { hasFormerSecret, ...rest } = found;
    const ignored = [...this.ignored].map(([reason, number]) => ({ what: String(number), reason }));
    return {
      outcome,
      counts: this.counts,
      faults: this.faults,
      faultCount: this.faultCount,
      formerSecret: { isSet: hasFormerSecret, keys: this.keys, badges: this.badges },
      ...rest,
      undeliverable: [],
      notCarriedOver: [...this.notCarriedOver, ...ignored],
    };
  }
}

function emptyCounts(): Record<Thing, Mutable<Record<Fate, number>>> {
  const zero = () => ({ created: 0, updated: 0, unchanged: 0, left: 0 });
  return Object.fromEntries(things.map((thing) => [thing, zero()])) as Record<Thing, Record<Fate, number>>;
}
