// The characters from U+00A0 to U+00FF by their names in HTML, which programs write into mails of many languages.
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
  'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil ' +
  'Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave ' +
  'Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
  'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute ' +
  'thorn yuml';
const marks: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", AMP: '&', LT: '<', GT: '>', QUOT: '"' },
  ...{ euro: '€', ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', bdquo: '„' },
  ...{ hellip: '…', bull: '•', trade: '™', rarr: '→', larr: '←', check: '✓' },
};
const named: ReadonlyMap<string, string> = new Map([
  ...latin.split(' ').map((name, place): [string, string] => [name, String.fromCharCode(0xa0 + place)]),
  ...Object.entries(marks),
]);
// what browsers do not show; the end of the text ends them too
const hidden = /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
const tag = /<\/?[A-Za-z!?][^>]*(?:>|$)/g;
const entity = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,6}[0-9]{0,2}));/gi;

/** Words of an HTML text: tags leave no blank behind, runs of blanks become one. */
export function textOfHtml(html: string): string {
  const bare = html.replace(hidden, '').replace(tag, '');
  return bare.replace(entity, decoded).trim().split(/\s+/).join(' ');
}

function decoded(whole: string, hex?: string, decimal?: string, name?: string): string {
  if (name !== undefined) return named.get(name) ?? whole;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
}
