import { type DerElement, tag } from '../der/der.js';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of a string element, or undefined when its type is not a string or its octets are not text of that type. */
export function decodeText(element: DerElement): string | undefined {
  const { content } = element;
  switch (element.tag) {
    case tag.utf8String:
      return decodeUtf8(content);
    case tag.printableString:
    case tag.ia5String:
    case tag.numericString:
    case tag.visibleString:
      return content.every((octet) => octet < 0x80) ? content.toString('latin1') : undefined;
    case tag.teletexString:
      // T.61 in theory; every program that writes it means Latin-1.
      return content.toString('latin1');
    case tag.bmpString:
      return decodeUcs2(content);
    case tag.universalString:
      return decodeUtf32(content);
    default:
      return undefined;
  }
}

function decodeUtf8(content: Buffer): string | undefined {
  try {
    return strictUtf8.decode(content);
  } catch {
    return undefined;
  }
}

/** UCS-2 has no surrogate pairs: OpenSSL cannot load a certificate with one in a BMPString. */
function decodeUcs2(content: Buffer): string | undefined {
  if (content.length % 2 !== 0) return undefined;
  const text = Buffer.from(content).swap16().toString('utf16le');
  return /[\ud800-\udfff]/.test(text) ? undefined : text;
}

function decodeUtf32(content: Buffer): string | undefined {
  if (content.length % 4 !== 0) return undefined;
  let text = '';
  for (let offset = 0; offset < content.length; offset += 4) {
    const point = content.readUInt32BE(offset);
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
    text += String.fromCodePoint(point);
  }
  return text;
}
