import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.js';

const needed = { CHECK_MONITOR_SECRET: 'a secret for tests only' };
const load = (environment: Record<string, string> = {}) => loadConfig({ ...needed, ...environment });

describe('configuration of delivery', () => {
  test('calls no private address, and has no sender account, unless configured', () => {
    expect(load().delivery).toEqual({
      site: {
        siteName: 'CertLoop',
        siteRoot: 'http://127.0.0.1:3001',
        logoUrl: undefined,
        secret: needed.CHECK_MONITOR_SECRET,
      },
      secret: needed.CHECK_MONITOR_SECRET,
      allowPrivateTargets: false,
      egressProxy: undefined,
      disabledKinds: [],
      senderAccounts: {
        smtp: undefined,
        matrix: undefined,
        bounceDomain: undefined,
        telegramToken: undefined,
        pushoverToken: undefined,
        signalSocket: undefined,
      },
    });
  });

  test.each<[string, Record<string, string>, string]>([
    ['its own host', {}, '"CertLoop" <alerts@127.0.0.1>'],
    [
      'the host and the name it has',
      { CHECK_MONITOR_SITE_ROOT: 'https://m.example.org/x', CHECK_MONITOR_SITE_NAME: 'The "best"' },
      '"The best" <alerts@m.example.org>',
    ],
    ['the configured address', { CHECK_MONITOR_MAIL_FROM: 'a@example.org' }, 'a@example.org'],
  ])('mails come from %s', (_situation, environment, from) => {
    const url = 'smtps://user:password@mail.example.org';
    expect(load({ CHECK_MONITOR_SMTP_URL: url, ...environment }).delivery.senderAccounts.smtp).toEqual({
      url,
      from,
    });
  });

  test('badges are labelled with the name of the site, unless another label is configured', () => {
    expect(load({ CHECK_MONITOR_SITE_NAME: 'Monitor' }).badgeLabel).toBe('Monitor');
    expect(load({ CHECK_MONITOR_BADGE_LABEL: 'jobs' }).badgeLabel).toBe('jobs');
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['half of a Matrix account', { CHECK_MONITOR_MATRIX_ACCESS_TOKEN: 'secret' }, /set both or neither$/],
    [
      'an invalid mail server',
      { CHECK_MONITOR_SMTP_URL: 'https://secret' },
      /CHECK_MONITOR_SMTP_URL: must be/,
    ],
    [
      'a kind that does not exist',
      { CHECK_MONITOR_DISABLED_INTEGRATIONS: 'slack,teams' },
      /CHECK_MONITOR_DISABLED_INTEGRATIONS: teams is not a kind of integration; the kinds are webhook, /,
    ],
    ['an invalid flag', { CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'yes' }, /must be true or false/],
  ])('refuses %s without showing it', (_situation, environment, message) => {
    expect(() => load(environment)).toThrow(message);
    expect(() => load(environment)).not.toThrow(/secret/);
  });
});

describe('configuration of limits', () => {
  test('has the documented defaults', () => {
    expect(load()).toMatchObject({ checkLimit: 20, pingLimit: 100, pingBodyLimit: 10_000 });
    const configured = { CHECK_MONITOR_CHECK_LIMIT: '500', CHECK_MONITOR_PING_LIMIT: '1000' };
    expect(load(configured)).toMatchObject({ checkLimit: 500, pingLimit: 1000 });
  });

  test.each([
    ['CHECK_MONITOR_CHECK_LIMIT', '-1'],
    ['CHECK_MONITOR_PING_LIMIT', '0'],
    ['CHECK_MONITOR_PING_BODY_LIMIT', 'none'],
  ])('%s is not %s', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(name);
  });
});

describe('configuration of pings by mail', () => {
  test('is off without a port', () => {
    expect(load({ CHECK_MONITOR_PING_MAIL_DOMAIN: 'ping.example.org' }).mail).toBeUndefined();
  });

  test('listens at the address of HTTP, for the host of the site, unless configured', () => {
    const port = { CHECK_MONITOR_SMTP_PORT: '2525' };
    const usual = { port: 2525, host: '127.0.0.1', domain: '127.0.0.1', sizeLimit: 10_000_000 };
    expect(load(port).mail).toEqual(usual);
    const configured = {
      ...port,
      CHECK_MONITOR_SMTP_HOST: '::',
      CHECK_MONITOR_PING_MAIL_DOMAIN: 'ping.example.org',
    };
    expect(load(configured).mail).toEqual({ ...usual, host: '::', domain: 'ping.example.org' });
  });
});
