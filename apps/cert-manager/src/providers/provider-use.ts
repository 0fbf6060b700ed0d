/** Rows of one sort that name a provider. */
export interface ProviderUse {
  /** Name of the uses, for one and for several: `pending renewal`, `pending renewals`. */
  readonly one: string;
  readonly several: string;
  readonly count: number;
  /** Names of the first few. */
  readonly names: readonly string[];
  /** Action that ends the use, as an imperative. */
  readonly remedy: string;
}

/** Returns one sentence: what names a provider, how many of each there are, and what to do about each. */
export function useSentence(uses: readonly ProviderUse[]): string {
  const counted = uses.map(({ one, several, count, names }) => {
    const rest = count - names.length;
    const listed = [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
    return `${count} ${count === 1 ? one : several} (${listed})`;
  });
  const remedies = [...new Set(uses.map(({ remedy }) => remedy))];
  return `${joined(counted)}; ${joined(remedies)}, or disable the provider`;
}

function joined(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}
