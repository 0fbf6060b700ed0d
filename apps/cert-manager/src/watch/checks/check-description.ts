/** Host that a check watches. */
export interface WatchedHost {
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

// the monitor's bound of a name
const maxNameLength = 100;

/**
 * Name, tags and text of the check of an FQDN. Its slug is made of the FQDN's id, so that equal host names in several
 * spaces have checks of their own and one that is made twice is one.
 */
export function describeCheck({ fqdnId, fqdn, space, mode }: WatchedHost): CheckDescription {
  const tag = tagOf(space);
  const next =
    mode === 'renewal'
      ? 'issued or renewed, and expected again when its renewal is due'
      : 'issued, and expected again before it expires, as no one renews it';
  return {
    name: shortened(`${fqdn} (${space})`),
    slug: slugOf(fqdnId),
    tags: ['certloop', 'certificate', ...(tag === '' ? [] : [`space-${tag}`])].join(' '),
    desc: `Certificate of ${fqdn} in the space ${space}: pinged when one is ${next}.`,
  };
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
