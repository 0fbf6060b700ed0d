import { describe, expect, test } from 'vitest';
import { redirectTarget } from './redirects.js';

const from = new URL('http://www.example.test/.well-known/acme-challenge/token');
const ports = { http01Port: 5002, tlsAlpn01Port: 5001 };

describe('redirectTarget', () => {
  test.each([
    ['a path', '/elsewhere', 'http://www.example.test/elsewhere'],
    ['a relative path', 'other', 'http://www.example.test/.well-known/acme-challenge/other'],
    ['another host', 'http://other.test/x?y=1', 'http://other.test/x?y=1'],
    ['https', 'https://www.example.test/x', 'https://www.example.test/x'],
    ['port 80', 'http://other.test:80/x', 'http://other.test/x'],
    ['the port that stands for 80', 'http://other.test:5002/x', 'http://other.test/x'],
    ['the port that stands for 443', 'https://other.test:5001/x', 'https://other.test/x'],
  ])('follows to %s', (_, location, expected) => {
    expect(redirectTarget(from, location, ports).href).toBe(expected);
  });

  test.each([
    ['another port', 'http://other.test:22/'],
    ['the port of https for http', 'http://other.test:443/'],
    ['another scheme', 'ftp://other.test/'],
    ['a file', 'file:///etc/passwd'],
    ['credentials', 'http://ada:secret@other.test/'],
    ['no address', 'http://'],
    ['a name that is too long', `http://${'a'.repeat(254)}/`],
  ])('refuses %s', (_, location) => {
    expect(() => redirectTarget(from, location, ports)).toThrow(
      expect.objectContaining({ type: 'connection' }),
    );
  });
});
