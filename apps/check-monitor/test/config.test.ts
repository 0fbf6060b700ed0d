import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../src/config.js';

const needed = { CHECK_MONITOR_SECRET: 'a secret for tests only' };
const load = (environment: Record<string, string> = {}) => loadConfig({ ...needed, ...environment });

describe('configuration of telling', () => {
  test('calls nothing inside, and has no messenger set up, unless told to', () => {
    expect(load().telling).toEqual({
      site: { siteName: 'CertLoop', siteRoot: 'http://127.0.0.1:3001', logoUrl: undefined },
      secret: needed.CHECK_MONITOR_SECRET,
      allowPrivateTargets: false,
      messengers: {
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
    ['whom it is told', { CHECK_MONITOR_MAIL_FROM: 'a@example.org' }, 'a@example.org'],
  ])('mails come from %s', (_situation, environment, from) => {
    const url = 'smtps://user:password@mail.example.org';
    expect(load({ CHECK_MONITOR_SMTP_URL: url, ...environment }).telling.messengers.smtp).toEqual({
      url,
      from,
    });
  });

  test('badges are labelled by the name of the site, unless told otherwise', () => {
    expect(load({ CHECK_MONITOR_SITE_NAME: 'Monitor' }).badgeLabel).toBe('Monitor');
    expect(load({ CHECK_MONITOR_BADGE_LABEL: 'jobs' }).badgeLabel).toBe('jobs');
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['half of a Matrix account', { CHECK_MONITOR_MATRIX_ACCESS_TOKEN: 'secret' }, /needed both, or none$/],
    [
      'a mail server that is none',
      { CHECK_MONITOR_SMTP_URL: 'https://secret' },
      /CHECK_MONITOR_SMTP_URL: must be/,
    ],
    ['a flag that is none', { CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'yes' }, /must be true or false/],
  ])('refuses %s without showing it', (_situation, environment, message) => {
    expect(() => load(environment)).toThrow(message);
    expect(() => load(environment)).not.toThrow(/secret/);
  });
});
