import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib, { constants } from 'node:zlib';
import type { Response } from 'express';

/** Encodings of bodies (RFC 9110 §8.4.1, RFC 7932), the best one first. */
const encodings = ['br', 'gzip'] as const;

export type Encoding = (typeof encodings)[number];

/** Below it, compressed and plain bodies need the same number of packets. */
const minBytes = 1_400;

// a window of 256 kB: a list repeats itself within some hundred bytes, and each open stream holds one
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } };
const gzip = { level: 5 };

const [compressBrotli, compressGzip] = [
  promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliCompress),
  promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gzip),
];

/**
 * Encoding that the request accepts and that this service prefers; undefined if it accepts none. Notes that the response
 * depends on it.
 */
export function negotiateEncoding(response: Response): Encoding | undefined {
  response.vary('Accept-Encoding');
  return encodings.find((encoding) => response.req.acceptsEncodings(encoding) === encoding);
}

/** Sends the bytes, compressed on another thread if they are long. */
export async function sendBytes(
  response: Response,
  bytes: Buffer,
  encoding: Encoding | undefined,
): Promise<void> {
  if (encoding === undefined || bytes.length < minBytes) {
    response.send(bytes);
    return;
  }
  const packed = await (encoding === 'br' ? compressBrotli(bytes, brotli) : compressGzip(bytes, gzip));
  response.setHeader('Content-Encoding', encoding);
  response.send(packed);
}

/** Stream that compresses on another thread. */
export function createCompressor(encoding: Encoding): Transform {
  return encoding === 'br' ? zlib.createBrotliCompress(brotli) : zlib.createGzip(gzip);
}
