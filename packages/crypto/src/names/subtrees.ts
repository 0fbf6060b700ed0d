import { parseIpAddress } from './ip-addresses.js';

/** A name as the subtrees of its kind compare it: in lower case, taken apart once for all constraints of a path. */
export interface JudgedName {
  /** The name as it is in the certificate. */
  readonly name: string;
  readonly text: string;
  /** Host name of a URI, or of a mailbox. */
  readonly host: string;
  /** Octets of an address, four to a number. */
  readonly words: readonly number[];
}

/** Comparisons of one name with one subtree that are left, for the kinds that have to compare each with each. */
export interface Comparisons {
  left: number;
}

/** Subtrees of one kind, prepared so that a name is looked up among all of them. */
export interface Subtrees {
  /** Whether one of them has the name in it. */
  has: (name: JudgedName, comparisons: Comparisons) => boolean;
  /** Whether one of them is among the names that a wildcard stands for. */
  isCoveredBy: (name: JudgedName) => boolean;
}

/** A host name (RFC 5280 §4.2.1.10): labels may be added in front; a base that begins with a dot needs at least one. */
export function hostNameSubtrees(bases: readonly string[]): Subtrees {
  const whole = new Set(bases);
  const below = new Suffixes('.', bases);
  const parents = new Set(bases.map(parentOf));
  return {
    has: ({ text }) => {
      const host = text.replace(/\.$/, '');
      return whole.has('') || whole.has(host) || below.endAny(host);
    },
    isCoveredBy: ({ text }) => text.startsWith('*.') && parents.has(text.slice(2)),
  };
}

/** URIs by their host: a base is one host, and one that begins with a dot all hosts below it. */
export function uriSubtrees(bases: readonly string[]): Subtrees {
  const hosts = hostsOrBelow(bases);
  return { has: ({ host }) => hosts(host), isCoveredBy: () => false };
}

/** A base with @ is one mailbox, one without it a host, and one that begins with a dot all hosts below it. */
export function mailSubtrees(bases: readonly string[]): Subtrees {
  const mailboxes = new Set(bases.filter((base) => base.includes('@')));
  const hosts = hostsOrBelow(bases.filter((base) => !base.includes('@')));
  return { has: ({ text, host }) => mailboxes.has(text) || hosts(host), isCoveredBy: () => false };
}

/** Directory names in the form of RFC 4514, which has the first part at the end. */
export function directorySubtrees(bases: readonly string[]): Subtrees {
  const whole = new Set(bases);
  const below = new Suffixes(',', bases);
  return {
    has: ({ text }) => whole.has('') || whole.has(text) || below.endAny(text),
    isCoveredBy: () => false,
  };
}

/** Ranges, each an address and its mask of the same length. */
export function rangeSubtrees(ranges: readonly Buffer[]): Subtrees {
  const prepared = ranges.map((range) => {
    const words = wordsOf(range);
    return { address: words.slice(0, words.length / 2), mask: words.slice(words.length / 2) };
  });
  return {
    has: ({ words }, comparisons) => {
      comparisons.left -= prepared.length;
      if (comparisons.left < 0) return false;
      return prepared.some(
        ({ address, mask }) =>
          words.length === address.length &&
          words.every((word, place) => ((word ^ (address[place] ?? 0)) & (mask[place] ?? 0)) === 0),
      );
    },
    isCoveredBy: () => false,
  };
}

/** Kinds that cannot be compared here: permitted by none, excluded by each. */
export const otherSubtrees: Subtrees = { has: () => false, isCoveredBy: () => true };

/** The name with what subtrees of its kind compare. */
export function judgedName(kind: string, name: string): JudgedName {
  const text = name.toLowerCase();
  const octets = kind === 'ipAddresses' ? parseIpAddress(text) : undefined;
  return { name, text, host: hostOf(kind, text), words: octets === undefined ? [] : wordsOf(octets) };
}

function hostOf(kind: string, text: string): string {
  if (kind === 'emailAddresses') return text.slice(text.lastIndexOf('@') + 1);
  if (kind !== 'uris') return '';
  return URL.canParse(text) ? new URL(text).hostname : '';
}

function wordsOf(octets: Buffer): number[] {
  const words: number[] = [];
  for (let place = 0; place < octets.length; place += 4) words.push(octets.readInt32BE(place));
  return words;
}

/** The base without its first label: what a wildcard that covers the base has after its asterisk. */
function parentOf(base: string): string {
  const name = base.replace(/^\./, '');
  const dot = name.indexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1);
}

function hostsOrBelow(bases: readonly string[]): (host: string) => boolean {
  const whole = new Set(bases.filter((base) => !base.startsWith('.')));
  const below = new Suffixes(
    '.',
    bases.filter((base) => base.startsWith('.')),
  );
  return (host) => whole.has(host) || below.endAny(host);
}

type Labels = Map<string, Labels | 'end'>;

/**
 * Texts of labels, by their labels from the last one on, so that a text is compared with all of them in one pass, however
 * many and however long they are. A separator that a text begins with may be omitted.
 */
class Suffixes {
  readonly #separator: string;
  readonly #root: Labels = new Map();

  constructor(separator: string, texts: readonly string[]) {
    this.#separator = separator;
    for (const text of texts) this.#add(text.startsWith(separator) ? text.slice(1) : text);
  }

  /** Whether the text ends with the separator and one of the texts. */
  endAny(text: string): boolean {
    let labels = this.#root;
    const parts = text.split(this.#separator);
    for (let place = parts.length - 1; place > 0; place -= 1) {
      const next = labels.get(parts[place] ?? '');
      if (next === undefined) return false;
      if (next === 'end') return true;
      labels = next;
    }
    return false;
  }

  #add(text: string): void {
    const [first = '', ...above] = text.split(this.#separator);
    let labels = this.#root;
    for (const label of above.toReversed()) {
      const known = labels.get(label);
      // a shorter text says it already
      if (known === 'end') return;
      const next: Labels = known ?? new Map();
      labels.set(label, next);
      labels = next;
    }
    labels.set(first, 'end');
  }
}
