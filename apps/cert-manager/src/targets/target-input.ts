import type { InvalidInput, TargetInput } from '@certloop/contracts';
import { parseHost } from '@certloop/tls-probe/rules';
import ipaddr from 'ipaddr.js';
import { invalidField } from '../http/problem.js';
import { coversHostname } from '../judging/hostname.js';
import type { TargetSettings } from './target.js';

/** Context in which a target is checked. */
export interface TargetContext {
  /** The FQDN, perhaps a wildcard. */
  readonly fqdn: string;
  /** Names of its newest certificate and CSR. */
  readonly names: readonly string[];
  /** Why a probe may not connect, or undefined where it may. */
  readonly refusal: (address: string, port: number) => string | undefined;
  /** Why no probe may use the port, or undefined where one may. */
  readonly portRefusal: (port: number) => string | undefined;
}

const defaults = {
  port: 443,
  protocol: 'tls',
  mode: 'probe',
  everySeconds: 21_600,
  graceSeconds: 86_400,
  enabled: true,
} as const;

/**
 * Settings of a new target, or of one with the changes, in normal form. Throws InvalidInput that names the field: a host
 * or address in an odd spelling, a name that the FQDN does not cover, a wildcard without `sni`, a place that may not
 * be probed.
 */
export function validateTarget(
  input: TargetInput,
  context: TargetContext,
  before?: TargetSettings,
): TargetSettings {
  const base = before ?? defaults;
  const sni =
    input.sni === undefined ? (before?.sni ?? ownName(context.fqdn)) : readTargetHost(input.sni, 'sni');
  const settings: TargetSettings = {
    host: input.host === undefined ? (before?.host ?? sni) : readTargetHost(input.host, 'host'),
    port: input.port ?? base.port,
    protocol: input.protocol ?? base.protocol,
    sni,
    addresses: input.addresses === undefined ? (before?.addresses ?? null) : readAddresses(input.addresses),
    mode: input.mode ?? base.mode,
    everySeconds: input.everySeconds ?? base.everySeconds,
    graceSeconds: input.graceSeconds ?? base.graceSeconds,
    enabled: input.enabled ?? base.enabled,
  };
  requireCovered(settings.sni, context);
  if (settings.mode === 'probe') requireReachable(settings, context);
  return settings;
}

function ownName(fqdn: string): string {
  if (!fqdn.startsWith('*.')) return fqdn;
  throw refusalOfField(
    'sni_required',
    'sni',
    `${fqdn} is a wildcard, which covers names below it and not ${fqdn.slice(2)}. Name one that is served, such as www${fqdn.slice(1)}.`,
  );
}

function requireCovered(sni: string, { fqdn, names }: TargetContext): void {
  if ([fqdn, ...names].some((name) => name === sni || coversHostname(name.toLowerCase(), sni))) return;
  throw refusalOfField(
    'sni_not_covered',
    'sni',
    `${sni} is neither covered by ${fqdn} nor a name of its newest certificate or CSR. Add the target to the FQDN whose certificate is served there.`,
  );
}

function requireReachable(
  { host, port, addresses }: TargetSettings,
  { refusal, portRefusal }: TargetContext,
): void {
  const wayOut =
    'or create the target with mode "report" and report what it serves by certloop probe --report';
  if (portRefusal(port) !== undefined)
    throw refusalOfField(
      'port_not_allowed',
      'port',
      `${port} is not among PROBE_PORTS. Ask the operator to add it, ${wayOut}.`,
    );
  for (const [field, address] of [
    ...(ipaddr.isValid(host) ? [['host', host] as const] : []),
    ...(addresses ?? []).map((one) => ['addresses', one] as const),
  ]) {
    if (refusal(address, port) === undefined) continue;
    throw refusalOfField(
      'address_not_allowed',
      field,
      `${address} may not be probed. Ask the operator to allow its network by PROBE_ALLOW_CIDRS, ${wayOut}.`,
    );
  }
}

/** A host name or IP address in normal form. Throws InvalidInput that names the field. */
export function readTargetHost(text: string, field: 'host' | 'sni'): string {
  try {
    return parseHost(text);
  } catch {
    throw refusalOfField(
      'invalid_host',
      field,
      `${JSON.stringify(text)} is neither a host name nor an IP address. Write example.com, 192.0.2.1 or 2001:db8::1.`,
    );
  }
}

function readAddresses(addresses: readonly string[] | null): readonly string[] | null {
  if (addresses === null || addresses.length === 0) return null;
  return [...new Set(addresses.map((address) => readAddress(address, 'addresses')))];
}

/** An IP address in its usual spelling, in normal form. Throws InvalidInput that names the field. */
export function readAddress(text: string, field: string): string {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return text;
  // ipaddr.js reads IPv6 strictly, but takes zones
  if (text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text))
    return ipaddr.IPv6.parse(text).toString();
  throw refusalOfField(
    'invalid_address',
    field,
    `${JSON.stringify(text)} is not an IP address. Write 192.0.2.1 or 2001:db8::1.`,
  );
}

/** A refusal that names its field. */
export function refusalOfField(code: string, path: string, message: string): InvalidInput {
  return invalidField(path, message, code, { code });
}
