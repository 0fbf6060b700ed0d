import punycode from 'punycode.js';

/** A label uses one of these; the scripts of a line are written together. */
const scripts = [
  /^[\p{scx=Latin}\p{scx=Common}]+$/u,
  /^[\p{scx=Cyrillic}\p{scx=Common}]+$/u,
  /^[\p{scx=Greek}\p{scx=Common}]+$/u,
  /^[\p{scx=Armenian}\p{scx=Common}]+$/u,
  /^[\p{scx=Georgian}\p{scx=Common}]+$/u,
  /^[\p{scx=Hebrew}\p{scx=Common}]+$/u,
  /^[\p{scx=Arabic}\p{scx=Common}]+$/u,
  /^[\p{scx=Devanagari}\p{scx=Common}]+$/u,
  /^[\p{scx=Bengali}\p{scx=Common}]+$/u,
  /^[\p{scx=Tamil}\p{scx=Common}]+$/u,
  /^[\p{scx=Thai}\p{scx=Common}]+$/u,
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Common}]+$/u,
  /^[\p{scx=Han}\p{scx=Hangul}\p{scx=Common}]+$/u,
];

const written = /^[\p{L}\p{M}\p{N}-]+$/u;
// Cyrillic and Greek letters that look like Latin ones
const lookalikes = /^[асԁеһіїјӏорԛѕԝхуъьпгѵѡαικνορτυχ\d-]+$/u;

/**
 * A host name as people write it, if that cannot be taken for another one; undefined for other names. Each `xn--` label
 * consists of letters of one script, and not only of those that look like Latin ones.
 */
export function unicodeHost(name: string): string | undefined {
  if (!/(^|\.)xn--/i.test(name)) return undefined;
  const labels = name.split('.').map((label) => (/^xn--/i.test(label) ? readableLabel(label) : label));
  return labels.includes(undefined) ? undefined : labels.join('.');
}

function readableLabel(label: string): string | undefined {
  const text = decodedLabel(label);
  if (text === undefined || !written.test(text) || text !== text.normalize('NFC')) return undefined;
  const isOfOneScript = scripts.some((script) => script.test(text));
  return isOfOneScript && !lookalikes.test(text) ? text : undefined;
}

/** The text of a label that begins with `xn--`; undefined if the rest is not Punycode (RFC 3492). */
function decodedLabel(label: string): string | undefined {
  try {
    return punycode.decode(label.slice(4).toLowerCase());
  } catch {
    return undefined;
  }
}

/** The name as links and dialogs call it: such as `bücher.example (xn--bcher-kva.example)`, or as it is. */
export function hostText(name: string): string {
  const unicode = unicodeHost(name);
  return unicode === undefined ? name : `${unicode} (${name})`;
}
