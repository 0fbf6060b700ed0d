// The parameters of RFC 3492, section 5.
const [base, tMin, tMax, skew, damp, initialBias, initialN] = [36, 1, 26, 38, 700, 72, 128];

/** The text of a label without its `xn--` (RFC 3492); undefined if it is not Punycode. */
export function decodePunycode(encoded: string): string | undefined {
  const end = encoded.lastIndexOf('-');
  const output = end > 0 ? [...encoded.slice(0, end)].map((one) => one.charCodeAt(0)) : [];
  if (output.some((code) => code >= initialN)) return undefined;
  let [n, i, bias]: [number, number, number] = [initialN, 0, initialBias];
  for (let place = end > 0 ? end + 1 : 0; place < encoded.length; ) {
    const before = i;
    let weight = 1;
    for (let k = base; ; k += base) {
      const digit = digitOf(encoded.charCodeAt(place));
      if (digit === undefined) return undefined;
      place += 1;
      i += digit * weight;
      const threshold = Math.min(tMax, Math.max(tMin, k - bias));
      if (digit < threshold) break;
      weight *= base - threshold;
    }
    bias = adapted(i - before, output.length + 1, before === 0);
    n += Math.floor(i / (output.length + 1));
    i %= output.length + 1;
    if (n > 0x10_ff_ff) return undefined;
    output.splice(i, 0, n);
    i += 1;
  }
  return String.fromCodePoint(...output);
}

/** a to z are 0 to 25, 0 to 9 are 26 to 35; undefined for other characters, and at the end of the text. */
function digitOf(code: number): number | undefined {
  if (code >= 97 && code <= 122) return code - 97;
  if (code >= 65 && code <= 90) return code - 65;
  return code >= 48 && code <= 57 ? code - 22 : undefined;
}

function adapted(delta: number, length: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / damp) : delta >> 1;
  rest += Math.floor(rest / length);
  let k = 0;
  while (rest > ((base - tMin) * tMax) >> 1) {
    rest = Math.floor(rest / (base - tMin));
    k += base;
  }
  return k + Math.floor(((base - tMin + 1) * rest) / (rest + skew));
}
