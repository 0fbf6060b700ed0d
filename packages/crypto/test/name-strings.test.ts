import { InvalidInput } from '@certloop/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueCertificate } from '../src/certificates/issue.js';
import type { Issuer } from '../src/certificates/issuer.js';
import type { Csr } from '../src/csrs/csr.js';
import { parseDer, tag } from '../src/der/der.js';
import { encode, encodeOid, encodeSequence, encodeSetOf } from '../src/der/der-writer.js';
import { formatPem } from '../src/der/pem.js';
import { describeName, parseName, requireLoadableName } from '../src/names/names.js';
import { makeCsr, makeIssuer, requestFor } from './issuing.js';
import { hasOpenssl, OpensslFolder } from './openssl.js';

const folder = new OpensslFolder();
afterAll(() => folder.close());

let issuer: Issuer;
let csr: Csr;
beforeAll(async () => {
  issuer = await makeIssuer('P-256');
  csr = await makeCsr();
});

function isAccepted(subject: Buffer): boolean {
  const element = parseDer(subject, 'name');
  try {
    requireLoadableName(parseName(element), element);
    return true;
  } catch (error) {
    if (error instanceof InvalidInput) return false;
    throw error;
  }
}

async function isLoaded(subjectDer: Buffer): Promise<boolean> {
  const der = await issueCertificate(issuer, { ...requestFor(csr), subjectDer });
  folder.write('leaf.pem', formatPem('CERTIFICATE', der));
  try {
    folder.run('x509', '-in', 'leaf.pem', '-noout', '-subject');
    return true;
  } catch {
    return false;
  }
}

const { utf8String, printableString, ia5String, teletexString, bmpString } = tag;
const { universalString, numericString, visibleString } = tag;

/** Title, type, content in hex, and text; undefined where a subject with it is refused. */
const strings: [string, number, string, string | undefined][] = [
  ['UTF8String', utf8String, 'c5be61', 'ža'],
  ['UTF8String beyond the BMP', utf8String, 'f09f9880', '😀'],
  ['UTF8String with a surrogate', utf8String, 'eda080', undefined],
  ['UTF8String of half a character', utf8String, 'c5', undefined],
  ['UTF8String above U+10FFFF', utf8String, 'f4908080', undefined],
  ['empty UTF8String', utf8String, '', ''],
  ['PrintableString', printableString, '612e62', 'a.b'],
  ['PrintableString with other ASCII', printableString, '2a40', '*@'],
  ['PrintableString beyond ASCII', printableString, 'e9', undefined],
  ['IA5String', ia5String, '614062', 'a@b'],
  ['IA5String beyond ASCII', ia5String, 'e9', undefined],
  ['TeletexString', teletexString, 'e961', 'éa'],
  ['BMPString', bmpString, '017d0061', 'Ža'],
  ['BMPString with a surrogate pair', bmpString, 'd83dde00', undefined],
  ['BMPString with a high surrogate', bmpString, 'd800', undefined],
  ['BMPString with a low surrogate', bmpString, '0061dfff', undefined],
  ['BMPString below and above the surrogates', bmpString, 'd7ffe000', '\ud7ff\ue000'],
  ['BMPString of odd length', bmpString, '00', undefined],
  ['UniversalString', universalString, '0001f60000000061', '😀a'],
  ['UniversalString with a surrogate pair', universalString, '0000d83d0000de00', undefined],
  ['UniversalString with a surrogate', universalString, '0000d800', undefined],
  ['UniversalString above U+10FFFF', universalString, '00110000', undefined],
  ['UniversalString of three octets', universalString, '000061', undefined],
  ['NumericString', numericString, '3432', '42'],
  ['NumericString beyond ASCII', numericString, 'b9', undefined],
  ['VisibleString', visibleString, '6162', undefined],
];

describe('a subject with a string', () => {
  const withOpenssl = hasOpenssl ? test : test.skip;

  test.each(strings)('%s', (_, type, hex, text) => {
    const subject = commonName(type, hex);
    expect(isAccepted(subject)).toBe(text !== undefined);
    if (text !== undefined) expect(describeName(subject)).toBe(`CN=${text}`);
  });

  withOpenssl.each(strings.filter(([, , , text]) => text !== undefined))(
    'that is accepted is loaded by OpenSSL: %s',
    async (_, type, hex) => {
      expect(await isLoaded(commonName(type, hex))).toBe(true);
    },
  );
});

function commonName(type: number, hex: string): Buffer {
  return encodeSequence(
    encodeSetOf(encodeSequence(encodeOid('2.5.4.3'), encode(type, Buffer.from(hex, 'hex')))),
  );
}
