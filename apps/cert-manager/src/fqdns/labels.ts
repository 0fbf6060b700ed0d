/** Who is responsible for an FQDN, and its tags; null and null if it has neither. */
export interface Labels {
  readonly owner: string | null;
  /** Sorted, each once; never empty. */
  readonly tags: readonly string[] | null;
}

/** The tags as an FQDN has them: each once, sorted; null for none. */
export function normalTags(tags: readonly string[]): readonly string[] | null {
  return tags.length === 0 ? null : [...new Set(tags)].sort();
}

/**
 * Owner and tags as one searchable text: a line `@OWNER`, then a line `#TAG` for each tag, in lower case and with a line
 * break before and after each; null if there are none.
 */
export function labelsText(labels: Labels): string | null {
  const lines = labelLines(labels);
  return lines.length === 0 ? null : `\n${lines.join('\n')}\n`;
}

/** The lines of the searchable text. */
export function labelLines({ owner, tags }: Labels): string[] {
  return [...(owner === null ? [] : [ownerLine(owner)]), ...(tags ?? []).map(tagLine)];
}

/** The line of an owner in the searchable text. */
export const ownerLine = (owner: string): string => `@${owner.toLowerCase()}`;

/** The line of a tag in the searchable text. */
export const tagLine = (tag: string): string => `#${tag}`;

/** Members of an FQDN or an event about it; absent ones are not set. */
export function labelsView({ owner, tags }: Labels): {
  readonly owner?: string;
  readonly tags?: string[];
} {
  return { ...(owner !== null && { owner }), ...(tags !== null && { tags: [...tags] }) };
}
