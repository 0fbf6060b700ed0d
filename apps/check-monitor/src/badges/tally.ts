import type { CheckStatus } from '@certloop/contracts';
import { type TaggedStatus, tagsOf } from '../checks/check.js';
import { allChecks } from './badge-signature.js';
import { countStatus, noChecks, type StatusCounts } from './badge-status.js';

interface Counted {
  readonly status: CheckStatus;
  /** Of the check, and the one that stands for all checks. */
  readonly tags: readonly string[];
}

/** Counts of the checks of a project by tag, and what each check adds to them, so that one can change alone. */
export class Tally {
  readonly #checks = new Map<string, Counted>();
  readonly #counts = new Map<string, StatusCounts>();
  readonly #tagsOfText = new Map<string, readonly string[]>();

  constructor(checks: readonly TaggedStatus[]) {
    for (const check of checks) this.set(check);
  }

  get size(): number {
    return this.#checks.size;
  }

  has(uuid: string): boolean {
    return this.#checks.has(uuid);
  }

  /** Tags that checks have. */
  tags(): string[] {
    return [...this.#counts.keys()].filter((tag) => tag !== allChecks);
  }

  /** Counts of the checks that have the tag. */
  countsOf(tag: string): StatusCounts {
    return this.#counts.get(tag) ?? noChecks;
  }

  /** Counts the check as it is, in place of what it was. */
  set({ uuid, status, tags }: TaggedStatus): void {
    this.remove(uuid);
    const counted = { status, tags: this.#tagsIn(tags) };
    this.#checks.set(uuid, counted);
    this.#add(counted, 1);
  }

  remove(uuid: string): void {
    const counted = this.#checks.get(uuid);
    if (counted === undefined) return;
    this.#checks.delete(uuid);
    this.#add(counted, -1);
  }

  #add({ status, tags }: Counted, by: 1 | -1): void {
    for (const tag of tags) {
      const counts = countStatus(this.countsOf(tag), status, by);
      if (counts.total === 0) this.#counts.delete(tag);
      else this.#counts.set(tag, counts);
    }
  }

  /** Most checks of a project have the same tags. */
  #tagsIn(text: string): readonly string[] {
    const known = this.#tagsOfText.get(text);
    if (known !== undefined) return known;
    const tags = [...new Set([allChecks, ...tagsOf(text)])];
    this.#tagsOfText.set(text, tags);
    return tags;
  }
}
