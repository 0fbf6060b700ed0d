const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};
// what browsers do not show; the end of the text ends them too
const hidden = /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
const tag = /<\/?[A-Za-z!?][^>]*(?:>|$)/g;
const entity = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/gi;

/** Words of an HTML text: tags leave no blank behind, runs of blanks become one. */
export function textOfHtml(html: string): string {
  const bare = html.replace(hidden, '').replace(tag, '');
  return bare.replace(entity, decoded).trim().split(/\s+/).join(' ');
}

function decoded(whole: string, hex?: string, decimal?: string, name?: string): string {
  if (name !== undefined) return named[name.toLowerCase()] ?? whole;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
}
