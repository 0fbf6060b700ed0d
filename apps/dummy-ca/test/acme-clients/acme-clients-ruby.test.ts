import { writeFileSync } from 'node:fs';
import { hasProgram, say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type ClientPlace, openClientPlace, schemes, testIf } from '../support/client-place.js';
import { statusOf, verifiedLeaf } from '../support/verified-leaf.js';

const hasClient = hasProgram('ruby', 'no CSR of version 2 is sent by a client', [
  '-e',
  'require "acme-client"',
]);
const ruby = testIf(hasClient);

let place: ClientPlace;
beforeAll(async () => {
  place = await openClientPlace();
});
afterAll(() => place.close());

/** Registers, orders the name, proves it by http-01 and writes the chain; with `revoke` it revokes the chain of the file. */
const program = `
require 'acme-client'
require 'fileutils'
directory, root, name, challenges, file, act = ARGV
# this client leaves out zeros that a coordinate begins with, which RFC 7518 (6.2.1.2) requires
begin
  account_key = OpenSSL::PKey::EC.generate('prime256v1')
  point = account_key.public_key.to_octet_string(:uncompressed).bytes
end while point[1].zero? || point[33].zero?
client = Acme::Client.new(private_key: account_key, directory: directory,
  connection_options: { ssl: { ca_file: root } })
client.new_account(contact: 'mailto:ada@example.test', terms_of_service_agreed: true)
order = client.new_order(identifiers: [name])
challenge = order.authorizations.first.http01
FileUtils.mkdir_p(challenges)
File.write(File.join(challenges, challenge.token), challenge.file_content)
challenge.request_validation
until challenge.status == 'valid'
  abort challenge.error.to_s if challenge.status == 'invalid'
  sleep 0.2
  challenge.reload
end
csr = Acme::Client::CertificateRequest.new(private_key: OpenSSL::PKey::RSA.new(2048), names: [name])
puts csr.csr.version
order.finalize(csr: csr)
while order.status == 'processing'
  sleep 0.2
  order.reload
end
File.write(file, order.certificate)
client.revoke(certificate: order.certificate, reason: 4) if act == 'revoke'
`;

describe.each(schemes)('ruby-acme-client over %s', (scheme) => {
  ruby.each(['issue', 'revoke'])('can %s with a CSR of version 2', async (act) => {
    const name = `${act}.${scheme}.ruby.test`;
    const [script, file] = [place.at('client.rb'), place.at(`${name}.pem`)];
    writeFileSync(script, program);
    const { challenges } = place.web;
    const args = [script, place.directory(scheme), place.at('root.pem'), name, challenges, file, act];
    expect(await say('ruby', args)).toBe('2\n');
    const leaf = await verifiedLeaf(place, name, file);
    expect(await statusOf(place, leaf)).toBe(act === 'revoke' ? 'superseded' : 'good');
  });
});
