import { createHash } from 'node:crypto';
import type { MailDestination } from '../event.js';

/** A mail address that gets the notices about FQDNs with one of these labels. */
export interface MailRoute {
  readonly destination: MailDestination;
  readonly address: string;
  /** Lines of `labelsText`, such as `@ada` and `#shop`. */
  readonly labels: readonly string[];
}

/** Routes of the pairs of label and address, one for each address; pairs of a receiver of all notices are left out. */
export function mailRoutesOf(
  pairs: readonly { readonly label: string; readonly address: string }[],
  receivers: string,
): MailRoute[] {
  const all = new Set(receivers.split(',').map((receiver) => plainAddress(receiver)));
  const routes = new Map<string, { readonly address: string; readonly labels: string[] }>();
  for (const { label, address } of pairs) {
    const plain = plainAddress(address);
    if (all.has(plain)) continue;
    const route = routes.get(plain) ?? { address, labels: [] };
    route.labels.push(label);
    routes.set(plain, route);
  }
  return [...routes].map(([plain, route]) => ({ ...route, destination: destinationOf(plain) }));
}

/** The destinations of an event about an FQDN with these labels. */
export function routedTo(routes: readonly MailRoute[], labels: readonly string[]): MailDestination[] {
  return routes.flatMap((route) =>
    route.labels.some((label) => labels.includes(label)) ? [route.destination] : [],
  );
}

/** The address of `Ada <ada@example.org>` or `ada@example.org`, in lower case. */
function plainAddress(text: string): string {
  return (/<([^>]*)>\s*$/.exec(text)?.[1] ?? text).trim().toLowerCase();
}

/** The same after each start, whatever other routes there are. */
function destinationOf(address: string): MailDestination {
  return `m${createHash('sha256').update(address).digest('hex').slice(0, 7)}`;
}
