import { expect, test } from 'vitest';
import { avatarFormatOf, requireAvatarFormat } from './avatar-image.js';

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1');

test.each([
  ['a PNG', '\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR', 'png'],
  ['a PNG whose line ends were changed', '\x89PNG\n\x1a\n\x00\x00\x00\rIHDR', undefined],
  ['a JPEG', '\xff\xd8\xff\xe0\x00\x10JFIF\x00', 'jpeg'],
  ['two bytes of a JPEG', '\xff\xd8', undefined],
  ['a WebP', 'RIFF\x24\x00\x00\x00WEBPVP8 ', 'webp'],
  ['another RIFF', 'RIFF\x24\x00\x00\x00WAVEfmt ', undefined],
  ['a WebP cut short', 'RIFF\x24\x00\x00\x00WEB', undefined],
  ['a GIF', 'GIF89a\x01\x00\x01\x00\x80\x00', undefined],
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', undefined],
  ['an SVG after a comment that looks like a PNG', '<!--\x89PNG\r\n\x1a\n--><svg/>', undefined],
  ['nothing', '', undefined],
])('%s', (_, latin1, format) => {
  expect(avatarFormatOf(bytes(latin1))).toBe(format);
});

test('a refusal names the file', () => {
  expect(() => requireAvatarFormat(bytes('GIF89a'))).toThrow('avatar: must be a PNG, JPEG or WebP picture');
});
