import { readFile } from 'node:fs/promises';
import { type Clock, type Logger, StartFailed, type TlsPair } from '@certloop/server';
import { type PairFault, type PairSource, type ReadPair, readPair } from './read-pair.service.js';

/** Paths of the two files. */
type PairFiles = TlsPair;

const settingOf = { cert: 'TLS_CERT_FILE', key: 'TLS_KEY_FILE' } as const;

/**
 * Reads key and certificate from files. While what they contain does not belong together, is damaged or has expired,
 * the pair in use stays, and one line of the log names the reason.
 */
export function createPairFiles(
  files: PairFiles,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): PairSource {
  let seen = '';
  const sentenceOf = ({ part, reason }: PairFault) => `${settingOf[part]} (${files[part]}): ${reason}`;
  return {
    first: async () => {
      const texts = await readBoth(files);
      seen = JSON.stringify(texts);
      const pair = pairIn(texts);
      if ('reason' in pair) throw new StartFailed(sentenceOf(pair));
      if (pair.notAfter < clock.now())
        logger.warn({ reason: sentenceOf(expired(pair)) }, 'https.certificate_expired');
      return pair;
    },
    next: async (inUse) => {
      const texts = await readBoth(files);
      const content = JSON.stringify(texts);
      if (content === seen) return undefined;
      seen = content;
      const pair = unlessExpired(pairIn(texts), clock.now());
      if (!('reason' in pair)) return pair;
      const validUntil = inUse?.notAfter.toISOString();
      logger.warn({ reason: sentenceOf(pair), validUntil }, 'https.certificate_refused');
      return undefined;
    },
  };
}

const pairIn = (texts: TlsPair | PairFault): ReadPair | PairFault =>
  'reason' in texts ? texts : readPair(texts);

function unlessExpired(pair: ReadPair | PairFault, now: Date): ReadPair | PairFault {
  return 'reason' in pair || pair.notAfter >= now ? pair : expired(pair);
}

function expired({ notAfter }: ReadPair): PairFault {
  return { part: 'cert', reason: `the certificate expired on ${notAfter.toISOString()}` };
}

async function readBoth(files: PairFiles): Promise<TlsPair | PairFault> {
  const cert = await readText(files.cert);
  if (typeof cert !== 'string') return { part: 'cert', ...cert };
  const key = await readText(files.key);
  return typeof key === 'string' ? { cert, key } : { part: 'key', ...key };
}

async function readText(file: string): Promise<string | { readonly reason: string }> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    return { reason: `it cannot be read: ${(error as NodeJS.ErrnoException).code}` };
  }
}
