/** Clients whose user agents name a library first. */
const known: readonly (readonly [name: string, product: RegExp])[] = [
  ['certbot', /\bcertbot\/v?(\d+(?:\.\d+)?)/i],
  ['Traefik', /\btraefik\/v?(\d+(?:\.\d+)?)/i],
  ['lego', /\b(?:lego-cli|goacme-lego|lego)\/v?(\d+(?:\.\d+)?)/i],
  ['lego', /\bxenolf-acme\/v?(\d+(?:\.\d+)?)/i],
  ['Caddy', /\bcaddy\/v?(\d+(?:\.\d+)?)/i],
  ['mod_md', /\bmod_md\/v?(\d+(?:\.\d+)?)/i],
  ['cert-manager for Kubernetes', /\bcert-manager[a-z-]*\/v?(\d+(?:\.\d+)?)/i],
];

// a product and its version (RFC 9110 §10.1.5)
const firstProduct = /^([\w.!#$%&'*+^`|~-]{1,40})(?:\/v?(\d+(?:\.\d+)?))?/;

/** Name and version of an ACME client by its user agent, as in "certbot 2.1"; undefined for one that names none. */
export function agentOf(userAgent: string): string | undefined {
  for (const [name, product] of known) {
    const version = product.exec(userAgent)?.[1];
    if (version !== undefined) return `${name} ${version}`;
  }
  const [, name, version] = firstProduct.exec(userAgent.trim()) ?? [];
  if (name === undefined || !/[a-z]/i.test(name)) return undefined;
  return version === undefined ? name : `${name} ${version}`;
}
