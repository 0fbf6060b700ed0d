import { AppError, Forbidden } from '@certloop/contracts';
import { isFromForeignPage, type Logger } from '@certloop/server';
import type { NextFunction, Request, Response } from 'express';
import ipaddr from 'ipaddr.js';
import { fetchMetadataOf, ownOrigins } from './caller.middleware.js';

/** Hosts and origins that a service without sign-in answers to. */
export interface OpenModeRules {
  /** Host names, without port, in addition to those of this machine itself. */
  readonly hosts: readonly string[];
  readonly publicOrigin: string | undefined;
}

/**
 * Middleware of open mode: marks every answer, and refuses what a page elsewhere could make a browser send:
 * a foreign Host (a name that was pointed at this machine), a foreign origin, a body that is not JSON or form
 * with files.
 */
export function guardOpenMode({ hosts, publicOrigin }: OpenModeRules) {
  const known = new Set(['localhost', ...hosts]);
  return (request: Request, response: Response, next: NextFunction): void => {
    response.setHeader('X-Auth-Mode', 'open');
    const host = hostNameOf(request.get('host') ?? '');
    if (!known.has(host) && !isLoopback(host)) throw refusal('this host name');
    if (isFromForeignPage(fetchMetadataOf(request), ownOrigins(request, publicOrigin))) {
      throw refusal('requests from pages of another origin');
    }
    if (hasOtherBody(request)) {
      throw new AppError(
        'unsupported_media_type',
        'Content-Type must be application/json or multipart/form-data',
      );
    }
    next();
  };
}

/** Logs that requests need no sign-in. */
export function warnOfOpenMode(logger: Logger): void {
  logger.warn({ authMode: 'open' }, 'auth.open_mode');
}

function hostNameOf(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '');
}

/** Whether the text is an address of this machine itself, in the spelling that clients send. */
function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const isUsual = address.includes(':')
    ? ipaddr.IPv6.isValid(address)
    : ipaddr.IPv4.isValidFourPartDecimal(address);
  return isUsual && ipaddr.process(address).range() === 'loopback';
}

function hasOtherBody(request: Request): boolean {
  const hasBody =
    request.get('transfer-encoding') !== undefined || Number(request.get('content-length') ?? 0) > 0;
  return hasBody && request.is(['json', '+json', 'multipart/form-data']) === false;
}

function refusal(what: string): Forbidden {
  return new Forbidden(`AUTH_MODE=open does not serve ${what}`, {
    code: 'open_mode_refused',
    title: 'Refused in open mode',
  });
}
