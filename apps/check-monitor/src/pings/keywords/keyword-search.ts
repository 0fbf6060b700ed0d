// below it, a search for one keyword after the other takes some ten microseconds, less than to prepare one for all
const maxSimpleWork = 100_000;

/**
 * Place of the first list that has a keyword in the text, by case; undefined if none has. Keywords are not empty. Takes
 * time in proportion to the text and the keywords together, not to their product.
 */
export function firstListFound(text: string, lists: readonly (readonly string[])[]): number | undefined {
  const simpleWork = lists.flat().join('').length * text.length;
  if (simpleWork > maxSimpleWork) return new KeywordSearch(lists).firstListIn(text);
  const found = lists.findIndex((keywords) => keywords.some((keyword) => text.includes(keyword)));
  return found < 0 ? undefined : found;
}

const none = 255;

/** The automaton of Aho and Corasick (1975): one step for each unit of a text, however many keywords there are. */
class KeywordSearch {
  /** Class of each UTF-16 unit: 0 for those that no keyword has. */
  readonly #classes = new Uint16Array(65_536);
  readonly #width: number;
  /** The next state by state and class; 0 is the first state. */
  readonly #next: Uint16Array;
  /** The first list of which a keyword ends in a state. */
  readonly #found: Uint8Array;

  constructor(lists: readonly (readonly string[])[]) {
    const units = [...new Set(lists.flat().flatMap(unitsOf))];
    for (const [index, unit] of units.entries()) this.#classes[unit] = index + 1;
    this.#width = units.length + 1;
    const maxStates = lists.flat().join('').length + 1;
    this.#next = new Uint16Array(maxStates * this.#width);
    this.#found = new Uint8Array(maxStates).fill(none);
    this.#addKeywords(lists);
    this.#linkStates(maxStates);
  }

  firstListIn(text: string): number | undefined {
    let [state, first] = [0, none];
    for (let place = 0; place < text.length && first > 0; place += 1) {
      state = this.#after(state, this.#classes[text.charCodeAt(place)] ?? 0);
      first = Math.min(first, this.#found[state] ?? none);
    }
    return first === none ? undefined : first;
  }

  #after(state: number, unitClass: number): number {
    return this.#next[state * this.#width + unitClass] ?? 0;
  }

  #addKeywords(lists: readonly (readonly string[])[]): void {
    let states = 1;
    for (const [list, keywords] of lists.entries()) {
      for (const keyword of keywords) {
        let state = 0;
        for (const unit of unitsOf(keyword)) {
          const place = state * this.#width + (this.#classes[unit] ?? 0);
          if (this.#next[place] === 0) this.#next[place] = states++;
          state = this.#next[place] ?? 0;
        }
        this.#found[state] = Math.min(this.#found[state] ?? none, list);
      }
    }
  }

  /** Where a keyword does not go on, the search goes on with the longest end of it that begins another. */
  #linkStates(maxStates: number): void {
    const shorter = new Uint16Array(maxStates);
    const states = [0];
    for (const state of states) {
      for (let unitClass = 1; unitClass < this.#width; unitClass += 1) {
        const place = state * this.#width + unitClass;
        const next = this.#next[place] ?? 0;
        const link = state === 0 ? 0 : this.#after(shorter[state] ?? 0, unitClass);
        if (next === 0) this.#next[place] = link;
        else {
          shorter[next] = link;
          this.#found[next] = Math.min(this.#found[next] ?? none, this.#found[link] ?? none);
          states.push(next);
        }
      }
    }
  }
}

function unitsOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, place) => text.charCodeAt(place));
}
