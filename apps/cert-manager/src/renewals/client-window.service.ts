import { AppError } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import { type Clock, createGrowingCache, type Logger, SecretUnreadable } from '@certloop/server';
import type { CertificateRow } from '../certificates/certificates.repository.js';
import { leafEndOf } from '../certificates/in-use.js';
import { findFqdn } from '../fqdns/fqdns.repository.js';
import type { ProviderOpener } from '../providers/open-provider.service.js';
import { kindOf } from '../providers/provider-kinds.js';
import { findProvider } from '../providers/providers.repository.js';
import { nextAdvice, nextAdviceAfterFault } from './advice/advice-times.js';
import { planRenewal, type RenewalWindow } from './renewal-policy.js';

export interface ClientWindowDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly opener: ProviderOpener;
}

/** Answer of a CA about a certificate, and when to ask it again. */
interface Advice {
  readonly window: RenewalWindow | undefined;
  readonly askAt: Date;
}

const maxRemembered = 10_000;

/**
 * Returns a function that says when the scheduler would renew a certificate that it leaves to its ACME client. CAs that give
 * advice are asked, each certificate as seldom as the CA wants; one that does not answer blocks nothing.
 */
export function createClientWindows(deps: ClientWindowDeps) {
  const remembered = createGrowingCache<Advice>(maxRemembered);
  return async (certificate: CertificateRow): Promise<RenewalWindow> => {
    const { id, fqdnId, notBefore } = certificate;
    const fqdn = await deps.db.read((tx) => findFqdn(tx, fqdnId));
    const known = remembered.get(id);
    const advice =
      known !== undefined && known.askAt > deps.clock.now() ? known : await ask(deps, certificate, known);
    if (advice !== known && advice !== undefined) remembered.set(id, advice);
    const permille = fqdn?.renewAfterPermille ?? null;
    const { earliest: start, latest: end } = planRenewal({
      notBefore,
      notAfter: leafEndOf(certificate),
      window: advice?.window,
      fraction: permille === null ? undefined : permille / 1000,
      seed: id,
    });
    return { start, end };
  };
}

async function ask(
  { db, clock, logger, opener }: ClientWindowDeps,
  { id, pem, providerId }: CertificateRow,
  known: Advice | undefined,
): Promise<Advice | undefined> {
  const provider = providerId === null ? undefined : await db.read((tx) => findProvider(tx, providerId));
  if (provider === undefined || !kindOf(provider).givesAdvice) return undefined;
  try {
    const window = await opener.open(provider).adviseRenewal?.(pem);
    return { window, askAt: nextAdvice(clock.now(), window?.retryAt) };
  } catch (error) {
    if (!(error instanceof AppError || error instanceof SecretUnreadable)) throw error;
    logger.warn({ certificateId: id, reason: error.message }, 'renewal.advice_unavailable');
    return { window: known?.window, askAt: nextAdviceAfterFault(clock.now()) };
  }
}
