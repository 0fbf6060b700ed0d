import { findText, type MimePart, parsePart, subjectOf } from '../../mime.js';
import { textOf } from '../../mime-content.js';
import type { MailPing } from '../signal.js';
import { resultOf, type Steps, stepsOfHtml } from './html-text.js';

/** Bytes of each text of a mail that are searched for keywords. */
export const maxTextBytes = 1_000_000;

/** Words of a mail, each read once and only when a check asks for it: most checks ask for none. */
export interface MailWords extends MailPing {
  /** Reads the texts step by step, for a large mail: nothing is left to do when a check asks for them. */
  readAhead(): Iterable<undefined>;
}

export function mailWords(source: Buffer): MailWords {
  let mail: MimePart | undefined;
  let texts: readonly string[] | undefined;
  const read = () => {
    mail ??= parsePart(source);
    return mail;
  };
  return {
    get subject() {
      return subjectOf(read());
    },
    get texts() {
      texts ??= resultOf(stepsOfTexts(read()));
      return texts;
    },
    *readAhead() {
      const parsed = read();
      yield;
      texts = yield* stepsOfTexts(parsed);
    },
  };
}

function* stepsOfTexts(mail: MimePart): Steps<readonly string[]> {
  const plain = findText(mail, 'text/plain');
  yield;
  const html = findText(mail, 'text/html');
  yield;
  const texts = plain === undefined ? [] : [textOf(plain, maxTextBytes)];
  if (html === undefined) return texts;
  yield;
  const source = textOf(html, maxTextBytes);
  yield;
  return [...texts, yield* stepsOfHtml(source)];
}
