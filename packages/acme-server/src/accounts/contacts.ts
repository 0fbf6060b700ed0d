import { AcmeProblem } from '@certloop/contracts';

const maxContacts = 10;
const maxLength = 254;
// Control characters and lone surrogates are in no address.
const mailAddress = /^[^\s@,?<>"\p{Cc}\p{Cs}]+@[^\s@,?<>"\p{Cc}\p{Cs}]+$/u;

/**
 * Contacts of an account as given. Throws `unsupportedContact` for another scheme than mailto and
 * `invalidContact` for a mail address that is none, or several, or has header fields (RFC 8555 §7.3).
 */
export function parseContacts(contacts: readonly string[]): readonly string[] {
  if (contacts.length > maxContacts) {
    throw new AcmeProblem('invalidContact', `an account may have at most ${maxContacts} contacts`);
  }
  for (const contact of contacts) judge(contact);
  return [...contacts];
}

function judge(contact: string): void {
  const shown = JSON.stringify(contact.slice(0, 80));
  if (!/^mailto:/i.test(contact)) {
    throw new AcmeProblem('unsupportedContact', `${shown} is not supported: only mailto is`);
  }
  const address = contact.slice('mailto:'.length);
  if (contact.length > maxLength || !mailAddress.test(address)) {
    throw new AcmeProblem('invalidContact', `${shown} is not exactly one mail address`);
  }
}
