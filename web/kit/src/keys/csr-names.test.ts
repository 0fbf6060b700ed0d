import { describe, expect, test } from 'vitest';
import { csrBlocks, csrNames } from './csr-names.js';

const both = `-----BEGIN CERTIFICATE REQUEST-----
MIIBFzCBvgIBADAaMRgwFgYDVQQDDA93d3cuZXhhbXBsZS5jb20wWTATBgcqhkjO
PQIBBggqhkjOPQMBBwNCAASZzO43xZu2lUJoJpXQLrLDto/+RkJGHAQXtJYWcrKv
wHTeKJbZ7fOqum3POyRKf7I7aRXjDTkaPBwItj6IWU/GoEIwQAYJKoZIhvcNAQkO
MTMwMTAvBgNVHREEKDAmgg93d3cuZXhhbXBsZS5jb22CDSouZXhhbXBsZS5jb22H
BMAAAgEwCgYIKoZIzj0EAwIDSAAwRQIgZZoZ9zDVHBJDyruEDY0JutRJBDiuLicr
WQXNAcGvdWICIQDioF8nTnhjVSVZ2K781ICM+DSD5lVujfqxAOtfPb/0BQ==
-----END CERTIFICATE REQUEST-----
`;
const commonNameAlone = `-----BEGIN CERTIFICATE REQUEST-----
MIHoMIGPAgEAMC0xEDAOBgNVBAoMB0V4YW1wbGUxGTAXBgNVBAMMEG9ubHkuZXhh
bXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT3ieCIEeDEiWhgN5FI
X+Ae5SILbciqAVQ/HSRY3wPlaupI8kqap4a1LkZcIt8pSEkHgy7wyD8oRuhtDTKM
W3a7oAAwCgYIKoZIzj0EAwIDSAAwRQIhAIZKhu0Dquyf2XxJ+LolmywIgmYuwP+v
Dr3ZJsmsCeD1AiBJnASbHmlriEyg775Lz3JE2LfbawhsfB32Cq8HZVM90g==
-----END CERTIFICATE REQUEST-----`;
const criticalNames = `-----BEGIN CERTIFICATE REQUEST-----
MIHrMIGSAgEAMAAwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR8nDrA6GjAUtvl
3GEaqSC5BocL0Vtw/MqmGEJnzyN2OeQuRGUoqse2v68jhh+u1TuosGULeRkB3dD8
2Xouv8axoDAwLgYJKoZIhvcNAQkOMSEwHzAdBgNVHREBAf8EEzARgg9TYW4uRXhh
bXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIgF5OWcICh0//GzKPm+huFsmV7WZno
o6aQRUCydyUMgioCIQDHdqUMO/w0COpm6Ua8jHfKU1n1+iXQqFs2M5rGc88nRg==
-----END CERTIFICATE REQUEST-----`;
const notAHostName = `-----BEGIN CERTIFICATE REQUEST-----
MIIBAjCBqQIBADATMREwDwYDVQQDDAhBIHBlcnNvbjBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABHwAMyknDHaqVf6uR5+y2Jlm8ujhZywsOG78bZpxzBO+/UWVteUu
WwfkAdTV3SefpnU6iwsljzI6cXaYzpMw5gagNDAyBgkqhkiG9w0BCQ4xJTAjMCEG
A1UdEQQaMBiCCWEuZXhhbXBsZYELYUBhLmV4YW1wbGUwCgYIKoZIzj0EAwIDSAAw
RQIhAM8m5ne6IP9ThJHrmT9NztHIbNfDhoCpYj9ZP5sFfGo5AiBtD7FbGBKv4HOq
kfqU7xVhDqkoSwMje8Q/HovNkSM1yg==
-----END CERTIFICATE REQUEST-----`;

describe('the names of a CSR', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['common name and DNS names, each once', both, ['www.example.com', '*.example.com']],
    ['a common name alone', commonNameAlone, ['only.example.com']],
    ['critical DNS names in capitals', criticalNames, ['san.example.com']],
    ['a common name that is not a host name', notAHostName, ['a.example']],
    ['a CSR that is cut off', both.replace('MIIB', 'MIID'), []],
    ['no base64', '-----BEGIN CERTIFICATE REQUEST-----\n!\n-----END CERTIFICATE REQUEST-----', []],
    ['nothing', '', []],
  ])('%s', (_, pem, names) => {
    expect(csrNames(pem)).toEqual(names);
  });
});

test('finds each CSR of a text', () => {
  expect(
    csrBlocks(`first\n${both}${criticalNames.replaceAll('CERTIFICATE', 'NEW CERTIFICATE')}`),
  ).toHaveLength(2);
  expect(csrBlocks('no CSR')).toEqual([]);
});
