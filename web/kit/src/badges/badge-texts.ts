import type { BadgeUrls } from '@certloop/contracts/browser';

/** In which forms a badge is copied. */
export const badgeForms = [
  ['markdown', 'Markdown'],
  ['html', 'HTML'],
  ['url', 'address of the picture'],
  ['json', 'address of the JSON'],
  ['shields', 'address for Shields.io'],
] as const;
export type BadgeForm = (typeof badgeForms)[number][0];

/** Addresses of the badge of a check, from the one that the API names, such as `…/b/2/UUID.svg`. */
export function checkBadges(url: string): BadgeUrls {
  const three = url.replace(/\/b\/2\//, '/b/3/');
  const as = (base: string, ending: string) => base.replace(/\.svg$/, `.${ending}`);
  return {
    svg: url,
    svg3: three,
    json: as(url, 'json'),
    json3: as(three, 'json'),
    shields: as(url, 'shields'),
    shields3: as(three, 'shields'),
  };
}

/** The address that a form names, of the badge with two or three states. */
export function badgeAddress(urls: BadgeUrls, form: BadgeForm, isThree: boolean): string {
  const kind = form === 'json' || form === 'shields' ? form : 'svg';
  return urls[isThree ? (`${kind}3` as const) : kind];
}

/** Returns the text to paste into a page. */
export function badgeText(
  urls: BadgeUrls,
  form: BadgeForm,
  { isThree, name }: { readonly isThree: boolean; readonly name: string },
): string {
  const address = badgeAddress(urls, form, isThree);
  if (form === 'markdown') return `![${name.replace(/[\\[\]]/g, '\\$&')}](${address})`;
  if (form === 'html') return `<img src="${address}" alt="${escaped(name)}">`;
  return address;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

const badgePath = /\/(?:badge\/[^/]+\/[^/]+(?:\/[^/]+)?|b\/[^/]+\/[^/]+)$/;

/** The same badge at this service, where the page may load it: the address for others may name another host. */
export function badgeAt(service: string, address: string): string {
  return `${service}${badgePath.exec(address)?.[0] ?? ''}`;
}
