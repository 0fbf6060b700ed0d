import type { CsrFinding, Fix } from '@certloop/contracts';
import { plainText } from './table.js';

/** Page that explains each code. */
const page = 'docs/csr-lint.md';

/** The findings about a CSR for people: what is wrong, and then each repair once. */
export function findingText(findings: readonly CsrFinding[]): string {
  const width = Math.max(0, ...findings.map(({ severity = 'warning' }) => severity.length));
  const lines = findings.map(
    ({ severity = 'warning', message, code }) =>
      `${severity.padEnd(width)}  ${plainText(message)} (${page}#${code})\n`,
  );
  const repairs = new Set(findings.flatMap(({ fix }) => fixText(fix) ?? []));
  return [...lines, ...repairs].join('');
}

/** Returns the fix for people: the sentence, and the command on a line of its own. Undefined without a fix. */
export function fixText(fix: Fix | undefined): string | undefined {
  if (fix === undefined) return undefined;
  const { text, openssl } = fix;
  return `${[text, openssl].flatMap((line) => (line === undefined ? [] : plainText(line))).join('\n')}\n`;
}
