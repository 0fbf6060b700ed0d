// The least that a Node server can do: the measure of what a machine gives at the moment of a run.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume();
  response.setHeader('Content-Type', 'application/json');
  response.end('{"status":"ok"}');
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}/` }));
process.on('disconnect', () => process.exit(0));
