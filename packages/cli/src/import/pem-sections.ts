/** A block of a PEM file, from BEGIN to END. */
export interface PemSection {
  readonly label: string;
  /** Line of BEGIN, from 1. */
  readonly line: number;
  readonly text: string;
}

const begin = '-----BEGIN ';
const dashes = '-----';
const [lineFeed, carriageReturn] = [10, 13];

/**
 * The blocks of a PEM file whose labels are wanted. Other blocks, such as private keys, never become texts. A block without
 * its END is returned up to the next dashes, so that readers reject it.
 */
export function pemSections(bytes: Buffer, isWanted: (label: string) => boolean): PemSection[] {
  const sections: PemSection[] = [];
  let line = 1;
  let counted = 0;
  for (let start = bytes.indexOf(begin); start >= 0; ) {
    for (; counted < start; counted += 1) if (bytes[counted] === lineFeed) line += 1;
    const labelEnd = bytes.indexOf(dashes, start + begin.length);
    if (labelEnd < 0) break;
    const label = bytes.toString('latin1', start + begin.length, Math.min(labelEnd, start + 80));
    const next = bytes.indexOf(dashes, labelEnd + dashes.length);
    const end = `${dashes}END ${label}${dashes}`;
    const hasEnd = next >= 0 && bytes.toString('latin1', next, next + end.length) === end;
    const until = endOf(bytes, next, hasEnd ? end.length : 0);
    if (isWanted(label) && beginsLine(bytes, start)) {
      sections.push({ label, line, text: bytes.toString('latin1', start, until) });
    }
    start = bytes.indexOf(begin, until);
  }
  return sections;
}

function endOf(bytes: Buffer, next: number, length: number): number {
  return next < 0 ? bytes.length : next + length;
}

function beginsLine(bytes: Buffer, at: number): boolean {
  const before = bytes[at - 1];
  const isAfterMark = at === 3 && bytes[0] === 0xef;
  return at === 0 || before === lineFeed || before === carriageReturn || isAfterMark;
}

export const isCertificateLabel = (label: string): boolean => label === 'CERTIFICATE';

export const isKeyLabel = (label: string) => label.endsWith('PRIVATE KEY');
