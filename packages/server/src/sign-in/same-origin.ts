/** Headers with which a browser identifies the page that sent a request. */
export interface FetchMetadata {
  /** Sec-Fetch-Site (Fetch Metadata §2.4). */
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Whether the request came from a page of one of these origins. `same-site` is another service: a different
 * port shares the site and even the cookies. A request without these headers came from no known page.
 */
export function isFromOwnPage({ fetchSite, origin }: FetchMetadata, ownOrigins: readonly string[]): boolean {
  if (fetchSite !== undefined) return fetchSite.toLowerCase() === 'same-origin';
  return origin !== undefined && ownOrigins.includes(origin.toLowerCase());
}

/** Whether the request came from a page of another origin; a request without these headers did not. */
export function isFromForeignPage(
  { fetchSite, origin }: FetchMetadata,
  ownOrigins: readonly string[],
): boolean {
  // none: typed into the address bar, or a bookmark
  const site = fetchSite?.toLowerCase();
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && !ownOrigins.includes(origin.toLowerCase());
}
