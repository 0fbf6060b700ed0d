export { type AcmeReply, created, ok } from './protocol/acme-reply.js';
