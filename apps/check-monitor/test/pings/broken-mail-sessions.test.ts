import { describeEachDialect } from '@certloop/db/testing';
import { type Step, sendRaw } from '@certloop/server/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listenForMail, type MailListener } from '../../src/pings/mail/mail-requests.responder.js';
import { openTestApp, type TestApp } from '../support/app.js';

const domain = 'ping.example';
const long = 'x'.repeat(65_536);
const to = 'RCPT TO:<UUID@ping.example>\r\n';
const envelope = `EHLO x\r\nMAIL FROM:<ada@example.org>\r\n${to}`;
const mail = `${envelope}DATA\r\nSubject: done\r\n\r\nall well\r\n.\r\n`;
const quit = 'QUIT\r\n';

/** What a client sends after the greeting, the codes of the replies after the greeting, and how many pings are stored. */
const sessions: readonly (readonly [string, readonly Step[], string | RegExp, number])[] = [
  ['a valid mail in one packet', [mail + quit], '250 250 250 354 250 221', 1],
  ['a valid mail in small packets', [...mail.split(/(?<=[:\n ])/), quit], '250 250 250 354 250 221', 1],
  ['two mails in one packet', [mail + mail + quit], '250 250 250 354 250 250 250 250 354 250 221', 2],
  ['a mail before the greeting', [`MAIL FROM:<a@b.example>\r\n${quit}`], '503 221', 0],
  ['recipients before a sender', [`EHLO x\r\n${to}${quit}`], '250 503 221', 0],
  ['DATA without recipients', [`EHLO x\r\nMAIL FROM:<a@b.example>\r\nDATA\r\n${quit}`], '250 250 503 221', 0],
  ['DATA before all', [`DATA\r\n${quit}`], '503 221', 0],
  [
    'an unknown recipient',
    [`EHLO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<x@y.example>\r\nDATA\r\n${quit}`],
    '250 250 550 503 221',
    0,
  ],
  ['a sender that is no address', [`EHLO x\r\nMAIL FROM:<<>>\r\n${quit}`], '250 501 221', 0],
  ['STARTTLS, which is not offered', [`EHLO x\r\nSTARTTLS\r\n${quit}`], '250 500 221', 0],
  ['AUTH, which is not offered', [`EHLO x\r\nAUTH PLAIN AAAA\r\n${quit}`], '250 500 221', 0],
  ['BDAT, which is not offered', [`${envelope}BDAT 3 LAST\r\nabc\r\n${quit}`], '250 250 250 500 500 221', 0],
  ['a command of 64 KiB', [`EHLO ${long}\r\n${quit}`], '421', 0],
  ['64 KiB without a line end, then the end', [long, 'end'], '421', 0],
  [
    '64 KiB of garbage in lines',
    [`${long.replaceAll('xxxxxxxx', '\x00\xffx\x7f\x01\r\n')}`, 'end'],
    /^220( 500)*( 421)?$/,
    0,
  ],
  ['commands with bare LF', [mail.replaceAll('\r\n', '\n'), 'end'], '250 250 250 354', 0],
  ['commands with bare CR', [mail.replaceAll('\r\n', '\r') + quit, 'end'], '501', 0],
  ['NULs in commands', [`EHLO \0\r\nMAIL FROM:<\0@b.example>\r\n${quit}`], '501 503 221', 0],
  ['NULs in a mail', [`${mail.replace('all well', 'all\0well')}${quit}`], '250 250 250 354 250 221', 1],
  ['a line of 64 KiB in a mail', [`${mail.replace('all well', long)}${quit}`], '250 250 250 354 250 221', 1],
  [
    'a mail that is too large',
    [`${mail.replace('all well', long.repeat(3))}${quit}`],
    '250 250 250 354 552 221',
    0,
  ],
  [
    'an end of a mail by LF alone, and a second mail in it',
    [`${mail.replace('all well', `all\n.\n${envelope}`)}${quit}`],
    '250 250 250 354 250 221',
    1,
  ],
  ['half a mail, then the end', [mail.slice(0, -6), 'end'], '250 250 250 354', 0],
  ['half a mail, then a reset', [mail.slice(0, -6), 'reset'], '', 0],
  ['half a command, then a reset', ['EHLO', 'reset'], '', 0],
  ['a reset at once', ['reset'], '', 0],
  ['commands after QUIT', [quit + mail], '221', 0],
  ['a request of HTTP', ['POST / HTTP/1.1\r\nHost: x\r\n\r\n', 'end'], '421', 0],
  ['the first bytes of TLS', ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'end'], '', 0],
];

describeEachDialect('a broken session of mail', (open) => {
  const errors: unknown[] = [];
  let app: TestApp;
  let mails: MailListener;
  beforeAll(async () => {
    const write = (line: string) => {
      const entry = JSON.parse(line) as { level: string };
      if (entry.level === 'error') errors.push(entry);
    };
    app = await openTestApp(open, { checkLimit: 100 }, { logTo: { write } });
    const { intake, logger } = app;
    const options = { host: '127.0.0.1', port: 0, domain, sizeLimit: 100_000 };
    mails = await listenForMail({ intake, logger }, options);
  });
  afterAll(async () => {
    await mails.close();
    await app.close();
  });

  test.each(sessions)('%s', async (_, steps, codes, pings) => {
    const ada = await app.newProject();
    const check = await ada.check();
    const listener = { port: mails.port, isTls: false };
    const send = (some: readonly Step[]) =>
      sendRaw(
        listener,
        ['await', ...some].map((step) => step.replaceAll('UUID', check.uuid)),
      );
    const replies = await send(steps);
    if (!steps.includes('reset'))
      expect(codesOf(replies)).toMatch(codes instanceof RegExp ? codes : new RegExp(`^220 ?${codes}$`));
    // and it is alive
    expect(codesOf(await send([mail + quit]))).toBe('220 250 250 250 354 250 221');
    const { body } = await ada.get(`/checks/${check.uuid}/pings/`).expect(200);
    expect(body.pings).toHaveLength(pings + 1);
    expect(errors).toEqual([]);
  });
});

/** Codes of the replies; of one with several lines, the last. */
function codesOf(replies: string): string {
  return [...replies.matchAll(/^(\d{3})(?: .*)?\r$/gm)].map(([, code]) => code).join(' ');
}
