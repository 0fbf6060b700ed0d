import { abortAfter, InvalidInput } from '@certloop/contracts';
import {
  type CallSlots,
  createCallSlots,
  type KeyedLimiter,
  type KeyRing,
  type Logger,
  openSecret,
  parseRetryAfter,
  type SecretPlace,
  sealSecret,
} from '@certloop/server';
import type { KeyBox, KeyChangeMoment } from '../../acme/account-key.service.js';
import { type AccountTerms, findAcmeAccount } from '../../acme/acme-account.service.js';
import type { AcmeConnection } from '../../acme/acme-http.client.js';
import type { AcmeClient } from '../../acme/acme-operations.js';
import { probeHttp01 } from '../../acme/http01-probe.client.js';
import type { NoncePool } from '../../acme/nonce-pool.store.js';
import type { Pause } from '../../acme/orders/order-run.service.js';
import type { OrderMoment } from '../../acme/orders/order-steps.js';
import {
  createDnsProver,
  createHttpProver,
  createManualProver,
  type Prover,
} from '../../acme/orders/prover.service.js';
import type { DbDeps } from '../../db-deps.js';
import type { Outgoing } from '../outgoing.client.js';
import type { AcmeConfig } from './acme-config.js';
import { dnsBackendOf } from './dns-parts.service.js';

/** Memory of a CA from call to call. */
export interface AcmeMemory {
  readonly slots: CallSlots;
  readonly nonces: NoncePool;
  readonly limitByName: KeyedLimiter;
}

/** The memory of one CA; the turns of names in the DNS are those of all, as their records may share a name. */
export function createAcmeMemory(limitByName: KeyedLimiter): AcmeMemory {
  return { slots: createCallSlots(), nonces: new Set(), limitByName };
}

/** Parts that orders need in addition to the configuration. */
export interface AcmeParts extends DbDeps {
  readonly providerId: string;
  readonly logger: Logger;
  readonly outgoing: Outgoing;
  readonly keyRing: KeyRing | undefined;
  readonly memory: AcmeMemory;
  readonly pause: Pause;
  /** Fires when the service stops. */
  readonly stopping: AbortSignal;
  readonly atMoment: (moment: OrderMoment) => Promise<void>;
  readonly atKeyChange?: (moment: KeyChangeMoment) => Promise<void>;
}

/** One CA as it is configured. */
export interface AcmeContext {
  readonly config: AcmeConfig;
  readonly parts: AcmeParts;
  readonly client: AcmeClient;
}

/** The way to the CA, a bounded number of requests at once. */
export function connectionOf(config: AcmeConfig, parts: AcmeParts): AcmeConnection {
  const { outgoing, memory, clock, stopping } = parts;
  const { directoryUrl, allowPrivateNetwork: allowPrivate, caBundlePem: ca, timeouts, limits } = config;
  const call = outgoing.fetchFor({ address: directoryUrl, allowPrivate, ca });
  return {
    directoryUrl,
    nonces: memory.nonces,
    stopping,
    retryAt: (header) => parseRetryAfter(header ?? undefined, clock.now()),
    fetch: (address, init) =>
      memory.slots.run(
        limits.maxConcurrency,
        // others are in the way here, not the CA: its time begins with the call
        () => AbortSignal.any([stopping]),
        () =>
          call(address, {
            ...init,
            signal: AbortSignal.any([abortAfter(timeouts.requestMs), stopping]),
          }),
      ),
  };
}

export function accountTerms(config: AcmeConfig, { providerId }: AcmeParts): AccountTerms {
  const { directoryUrl, contactEmails, eab, accountKeyType: keyType } = config;
  return { providerId, directoryUrl, keyType, contactEmails, eab };
}

/** Encrypts account keys. Throws InvalidInput when the service has no keys to do it with. */
export function keyBoxOf({ keyRing }: AcmeParts): KeyBox {
  if (keyRing === undefined) {
    throw new InvalidInput('ACME accounts need ENCRYPTION_KEYS: their keys are stored encrypted', {
      code: 'encryption_keys_missing',
    });
  }
  return {
    seal: (column, rowId, secret) => sealSecret(keyRing, accountKeyPlace(column, rowId), secret),
    open: (column, rowId, sealed) => openSecret(keyRing, accountKeyPlace(column, rowId), sealed),
  };
}

/** Place that the key of an account is bound to. */
export function accountKeyPlace(column: string, rowId: string): SecretPlace {
  return { table: 'acme_accounts', column, rowId };
}

/** Returns the parts by which the account with the CA is read and changed. */
export function accountDepsOf({ parts, client }: AcmeContext) {
  return { ...parts, box: keyBoxOf(parts), client };
}

/** The account with the CA; undefined if there is none yet. */
export function knownAccount(context: AcmeContext) {
  return findAcmeAccount(accountDepsOf(context), accountTerms(context.config, context.parts));
}

/** How control is proven. */
export function proverOf({ challenge, ...config }: AcmeConfig, parts: AcmeParts): Prover {
  const { timeouts, allowPrivateNetwork: allowPrivate } = config;
  const alias = challenge.dns?.alias;
  if (challenge.type === 'manual') return createManualProver({ alias });
  if (challenge.dns !== undefined && challenge.type === 'dns-01') {
    const { requestMs } = timeouts;
    const { limitByName } = parts.memory;
    const backend = dnsBackendOf(challenge.dns, { ...parts, limitByName, allowPrivate, requestMs });
    return createDnsProver(backend, { logger: parts.logger, alias });
  }
  // users who may order choose the names, so the permission for the CA does not count here
  const reach = { allowPrivate: challenge.http01.allowPrivateNetwork };
  return createHttpProver({
    ...parts,
    probe: ({ identifier, token }, answer) =>
      probeHttp01(
        {
          fetch: parts.outgoing.fetchGuarded(reach),
          fetchAt: (address) => parts.outgoing.fetchAt(address, reach),
          addressesOf: parts.outgoing.addressesOf,
          selfCheck: challenge.http01.selfCheck,
          requestMs: timeouts.requestMs,
          onFault: (reason) =>
            parts.logger.warn({ name: identifier.value, reason }, 'acme.self_check_failed'),
        },
        { host: identifier.value, token, answer },
      ),
  });
}
