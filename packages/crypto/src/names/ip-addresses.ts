import { isIP } from 'node:net';

/** Text of an address of 4 or 16 octets: dotted, or RFC 5952 for version 6; undefined for other lengths. */
export function formatIpAddress(octets: Uint8Array): string | undefined {
  if (octets.length === 4) return octets.join('.');
  if (octets.length !== 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, i) => ((octets[2 * i] ?? 0) << 8) | (octets[2 * i + 1] ?? 0));
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? `::ffff:${octets.slice(12).join('.')}` : compress(groups);
}

/** Octets of an address in text, 4 or 16; undefined when the text is no address (a zone is none). */
export function parseIpAddress(text: string): Buffer | undefined {
  const version = text.includes('%') ? 0 : isIP(text);
  if (version === 0) return undefined;
  if (version === 4) return Buffer.from(text.split('.').map(Number));
  const [head = '', tail] = text.split('::');
  const front = octetsOfGroups(head);
  if (tail === undefined) return Buffer.from(front);
  const back = octetsOfGroups(tail);
  return Buffer.from([...front, ...new Array<number>(16 - front.length - back.length).fill(0), ...back]);
}

function octetsOfGroups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

// RFC 5952 §4.2: the longest run of two or more zero groups, the first one of equals, becomes "::".
function compress(groups: readonly number[]): string {
  let best = { start: 0, length: 1 };
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === 0) length += 1;
    if (length > best.length) best = { start, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.length < 2) return hex.join(':');
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`;
}
