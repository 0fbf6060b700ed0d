import { isIP, isIPv4, isIPv6 } from 'node:net';
import { faultSchema } from '@certloop/contracts';
import { wordList } from '@certloop/server';
import { z } from 'zod';
import { type ProfileOption, profileOptions } from './authority/certificate-profile.js';

const isProfileOption = (text: string): text is ProfileOption =>
  (profileOptions as readonly string[]).includes(text);

/** `name:seconds:offset:options` without what is not needed at the end; at most thirty years each. */
export const profiles = wordList.pipe(
  z
    .array(
      z
        .string()
        .regex(
          /^[\w-]{1,64}:[1-9]\d{0,8}(?::(?:-?\d{1,9})?(?::[a-z+-]*)?)?$/,
          'must be words name:seconds, name:seconds:offset or name:seconds:offset:options',
        )
        .transform((word, context) => {
          const [name = '', length, offset = '', options = ''] = word.split(':');
          const asked = options === '' ? [] : options.split('+');
          const unknown = asked.find((option) => !isProfileOption(option));
          if (unknown !== undefined) {
            const message = `has the unknown option "${unknown}"; there are ${profileOptions.join(', ')}`;
            context.addIssue({ code: 'custom', message });
            return z.NEVER;
          }
          return {
            name,
            validitySeconds: Number(length),
            notBeforeOffsetSeconds: offset === '' ? undefined : Number(offset),
            options: asked.filter(isProfileOption),
          };
        }),
    )
    .min(1, 'must name a profile')
    .refine((all) => areDistinct(all.map(({ name }) => name)), 'must name each profile once'),
);

/** `kid:key`, the key in base64url. */
export const externalAccounts = wordList.pipe(
  z
    .array(
      z
        .string()
        // RFC 7518 §3.2: a key for HS256 has at least 32 octets.
        .regex(
          /^[^:]{1,128}:[A-Za-z0-9_-]{43,}$/,
          'must be words kid:key, each key at least 32 octets in base64url',
        )
        .transform((word): [string, Buffer] => {
          const [kid = '', key = ''] = word.split(':');
          return [kid, Buffer.from(key, 'base64url')];
        }),
    )
    .refine((all) => areDistinct(all.map(([kid]) => kid)), 'must name each kid once'),
);

function areDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

export const ipAddress = z.string().refine((text) => isIP(text) !== 0, 'must be an IP address');

/** `address:port`, an IPv6 address in brackets, with port 53 when it is omitted. */
export const resolverAddress = z.string().refine((text) => {
  const {
    v4 = '',
    v6 = '',
    port = '53',
  } = /^(?:(?<v4>[\d.]+)|\[(?<v6>[\da-f:.]+)\])(?::(?<port>\d{1,5}))?$/i.exec(text)?.groups ?? {};
  return (isIPv4(v4) || isIPv6(v6)) && Number(port) > 0 && Number(port) <= 65_535;
}, 'must be address:port');

/** JSON of a list of faults, in the form of the administrative API. */
export const faults = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' });
      return z.NEVER;
    }
  })
  .pipe(z.array(faultSchema));
