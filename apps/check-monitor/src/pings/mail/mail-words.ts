import { findText, type MimePart, parsePart, subjectOf } from '../../mime.js';
import { textOf } from '../../mime-content.js';
import type { MailPing } from '../signal.js';
import { textOfHtml } from './html-text.js';

/** Bytes of each text of a mail that are searched for keywords. */
export const maxTextBytes = 1_000_000;

/** Words of a mail, each read once and only when a check asks for it: most checks ask for none. */
export function mailWords(source: Buffer): MailPing {
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
      texts ??= textsOf(read());
      return texts;
    },
  };
}

function textsOf(mail: MimePart): readonly string[] {
  const plain = findText(mail, 'text/plain');
  const html = findText(mail, 'text/html');
  return [
    ...(plain === undefined ? [] : [textOf(plain, maxTextBytes)]),
    ...(html === undefined ? [] : [textOfHtml(textOf(html, maxTextBytes))]),
  ];
}
