import { createLimiter } from '@certloop/server';
import type { default as SharpLibrary } from 'sharp';
import { avatarFault, maxPixels, requireAvatarFormat } from './avatar-image.js';

/** Side of the square that a stored picture fits into, in pixels. */
const storedPixels = 512;
/** A picture of the largest size takes 64 MiB while it is read. */
const limited = createLimiter({ atOnce: 2, maxWaiting: 32 });
let library: Promise<typeof SharpLibrary> | undefined;

/**
 * The picture as a PNG of at most 512 by 512 pixels: upright, the first frame only, without metadata such as the place
 * where it was taken. Throws InvalidInput for other formats, broken pictures and more than 4096 pixels a side, and
 * too_many_requests if too many pictures wait.
 */
export async function encodeAvatar(bytes: Uint8Array): Promise<Buffer> {
  requireAvatarFormat(bytes);
  return limited(async () => {
    library ??= loadLibrary();
    const sharp = await library;
    await requireSize(sharp, bytes);
    return readable(
      open(sharp, bytes)
        .autoOrient()
        .resize({ width: storedPixels, height: storedPixels, fit: 'inside', withoutEnlargement: true })
        .toColourspace('srgb')
        .png()
        .timeout({ seconds: 10 })
        .toBuffer(),
    );
  });
}

/** Loads the library with the first picture: at startup it would take an eighth of the startup time. */
async function loadLibrary(): Promise<typeof SharpLibrary> {
  const { default: sharp } = await import('sharp');
  // the library reads many formats, some of which can refer to files and addresses: only three stay enabled
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
  });
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

function open(sharp: typeof SharpLibrary, bytes: Uint8Array) {
  return sharp(bytes, { limitInputPixels: maxPixels * maxPixels, failOn: 'error', sequentialRead: true });
}

async function requireSize(sharp: typeof SharpLibrary, bytes: Uint8Array): Promise<void> {
  const { width, height } = await readable(open(sharp, bytes).metadata());
  if (width > maxPixels || height > maxPixels) throw tooManyPixels();
}

/** Reports what the library cannot read as invalid input; the messages of the library describe its internals. */
async function readable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && error.message.includes('exceeds pixel limit')) throw tooManyPixels();
    throw avatarFault('is broken', 'malformed');
  }
}

function tooManyPixels() {
  return avatarFault(`must have at most ${maxPixels} by ${maxPixels} pixels`, 'too_many_pixels');
}
