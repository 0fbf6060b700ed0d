import type { Labels } from '../../fqdns/labels.js';

/** Host that a check watches. */
export interface WatchedHost extends Labels {
  readonly fqdnId: string;
  /** Host name. */
  readonly fqdn: string;
  /** Name of the space. */
  readonly space: string;
  /** With renewal off, its expiry is watched. */
  readonly mode: 'renewal' | 'expiry';
}

/** How a check shows in the monitor. */
export interface CheckDescription {
  readonly name: string;
  readonly slug: string;
  readonly tags: string;
  readonly desc: string;
}

// the monitor's bounds of a name and of the tags
const maxNameLength = 100;
const maxTagsLength = 500;

/**
 * Name, tags and text of the check of an FQDN. Its slug is made of the FQDN's id, so that equal host names in several
 * spaces have checks of their own and one that is made twice is one.
 */
export function describeCheck({ fqdnId, fqdn, space, mode, owner, tags }: WatchedHost): CheckDescription {
  const tag = tagOf(space);
  const next =
    mode === 'renewal'
      ? 'issued or renewed, and expected again when its renewal is due'
      : 'issued, and expected again before it expires, as no one renews it';
  return {
    name: shortened(`${fqdn} (${space})`),
    slug: slugOf(fqdnId),
    tags: withTags(['certloop', 'certificate', ...(tag === '' ? [] : [`space-${tag}`])], tags ?? []),
    desc: `Certificate of ${fqdn} in the space ${space}: pinged when one is ${next}.${owner === null ? '' : ` Owner: ${owner}.`}`,
  };
}

/** The check's own tags, and as many of the FQDN's as the monitor has room for. */
function withTags(own: readonly string[], tags: readonly string[]): string {
  let text = own.join(' ');
  for (const tag of tags) {
    // those are ours: a tag of the canary would exclude the check from badges
    const isOurs = tag.startsWith('certloop') || own.includes(tag);
    if (!isOurs && text.length + 1 + tag.length <= maxTagsLength) text += ` ${tag}`;
  }
  return text;
}

/** Slug that distinguishes the check of an FQDN from all others. */
export function slugOf(fqdnId: string): string {
  return `certloop-fqdn-${fqdnId}`;
}

function shortened(text: string): string {
  const letters = [...text];
  return letters.length <= maxNameLength ? text : `${letters.slice(0, maxNameLength - 1).join('')}…`;
}

/** Letters and digits of a name with hyphens between them, at most 50. */
function tagOf(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 50);
}
