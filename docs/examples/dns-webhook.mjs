// A webhook for the protocol of lego's httpreq provider, and a name server, to try dns-01 on one machine:
// node docs/examples/dns-webhook.mjs [HTTP port] [DNS port]. Records are lost when it ends.
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';

const [httpPort = 8053, dnsPort = 5300] = process.argv.slice(2).map(Number);
/** Values of TXT records by name. */
const records = new Map();

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { fqdn = '', value = '' } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
  const name = fqdn.replace(/\.$/, '').toLowerCase();
  const values = records.get(name) ?? new Set();
  // a name may have several values: those of a wildcard, its base name, and other orders
  if (request.url === '/present') records.set(name, values.add(value));
  else if (request.url === '/cleanup') values.delete(value);
  else return response.writeHead(404).end();
  process.stdout.write(`${request.url} ${name} ${value}\n`);
  return response.end();
}).listen(httpPort, '127.0.0.1');

const dns = createSocket('udp4');
dns.on('message', (query, from) => dns.send(answerTo(query), from.port, from.address));
dns.bind(dnsPort, '127.0.0.1');

/** Answer to a query (RFC 1035 §4): the TXT records of the name, and nothing of any other type. */
function answerTo(query) {
  const labels = [];
  let end = 12;
  for (let length = query[end]; length > 0; length = query[end]) {
    labels.push(query.toString('latin1', end + 1, end + 1 + length));
    end += length + 1;
  }
  const isTxt = query.readUInt16BE(end + 1) === 16;
  const values = isTxt ? [...(records.get(labels.join('.').toLowerCase()) ?? [])] : [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8400, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(values.length, 6);
  const answers = values.map((value) => {
    // the name of the question, type TXT, class IN, one second to live
    const head = Buffer.from('c00c00100001000000010000', 'hex');
    head.writeUInt16BE(value.length + 1, 10);
    return Buffer.concat([head, Buffer.from([value.length]), Buffer.from(value, 'latin1')]);
  });
  return Buffer.concat([header, query.subarray(12, end + 5), ...answers]);
}
