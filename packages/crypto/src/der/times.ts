import { InvalidInput } from '@certloop/contracts';
import { type DerElement, tag } from './der.js';
import { encode } from './der-writer.js';

const utcTime = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;
const generalizedTime = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;

/**
 * Instant of a UTCTime or GeneralizedTime in the only forms RFC 5280 §4.1.2.5 allows, with seconds and Z.
 * Throws InvalidInput for any other form and for instants no calendar has.
 */
export function decodeTime(element: DerElement, name: string): Date {
  const text = element.content.toString('latin1');
  if (element.tag === tag.utcTime) {
    const parts = utcTime.exec(text);
    if (parts === null) throw element.malformed(`${name} is not a UTCTime YYMMDDHHMMSSZ`);
    const year = Number(parts[1]);
    return instantOf(element, name, year + (year >= 50 ? 1900 : 2000), parts);
  }
  if (element.tag !== tag.generalizedTime) throw element.malformed(`${name} is not a time`);
  const parts = generalizedTime.exec(text);
  if (parts === null) throw element.malformed(`${name} is not a GeneralizedTime YYYYMMDDHHMMSSZ`);
  return instantOf(element, name, Number(parts[1]), parts);
}

/** DER of the instant, fractions of a second cut: UTCTime through 2049, GeneralizedTime from 2050 on. */
export function encodeTime(instant: Date): Buffer {
  const year = instant.getUTCFullYear();
  if (!(year >= 1950 && year <= 9999)) {
    throw new InvalidInput('notBefore and notAfter must be between the years 1950 and 9999', {
      code: 'invalid_validity',
    });
  }
  return year < 2050
    ? encode(tag.utcTime, Buffer.from(`${digitsOf(instant).slice(2)}Z`, 'latin1'))
    : encodeGeneralizedTime(instant);
}

/** DER of the instant as GeneralizedTime whatever its year, as OCSP has all of its times (RFC 6960 §4.2.2.1). */
export function encodeGeneralizedTime(instant: Date): Buffer {
  return encode(tag.generalizedTime, Buffer.from(`${digitsOf(instant)}Z`, 'latin1'));
}

/** YYYYMMDDHHMMSS */
function digitsOf(instant: Date): string {
  const text = instant.toISOString();
  const at = (place: number, length = 2) => text.slice(place, place + length);
  return at(0, 4) + at(5) + at(8) + at(11) + at(14) + at(17);
}

function instantOf(element: DerElement, name: string, year: number, parts: readonly string[]): Date {
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(2).map(Number);
  const instant = new Date(0);
  // Date.UTC would turn the years 0 to 99 into 1900 to 1999.
  instant.setUTCFullYear(year, month - 1, day);
  instant.setUTCHours(hour, minute, second);
  const isUnchanged =
    instant.getUTCMonth() === month - 1 &&
    instant.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!isUnchanged) throw element.malformed(`${name} is a date or time that does not exist`);
  return instant;
}
