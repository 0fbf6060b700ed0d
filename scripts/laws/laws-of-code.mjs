// Laws of docs/architecture.md that imports alone cannot show: files without a role are pure in what they do, a use
// case that writes asks for the right to and records it, no transaction waits for the network, a loop over transactions
// gives the event loop its turns, clocks are passed in, and
// names in snake_case, which are those of wire formats and columns, stay at the edge.
import { reach, readCode } from './code-graph.mjs';

const impureMember =
  /^(Date\.now|new Date\(\)|Math\.random|performance\..*|process\..*|crypto\.(random|getRandom).*)$/;
const impureName =
  /^(global#(setTimeout|setInterval|setImmediate|queueMicrotask|fetch|process|performance)|(node:)?crypto#random.*)$/;

const clock = /^(Date\.now|new Date\(\))$/;
/** Files that set up an app: they hand the clock to everything else. */
const isRoot = (file) => /^(main|app|config|database|cli|command-line)\.ts$/.test(file);

/** A file that only calculates: `noun.ts` in a slice. */
const isPure = (file) => /^.+\/[^/.]+\.ts$/.test(file);
const isService = (file) => file.endsWith('.service.ts');

const snakeCase = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;
/** Files that read or write a wire format, that of another service too, read a dump of one, or name columns. */
const isEdge = (file) =>
  /(-view|-sql|\.routes|\.middleware|\.responder|\.client|\.repository)\.ts$/.test(file) ||
  /^(integrations\/kinds|imports)\//.test(file);

const network = /\.(client|provider|channel)\.ts#|^global#fetch$/;
const networkMember = /(^|\.)provider\.(test|sign|refresh|changeAccountKey|adviseRenewal|revoke)$/;

/** Every exception of the laws by `app/file#name`, with its reason. */
export const exceptions = {
  'pure-code': {
    'cert-manager/users/sessions/credentials.ts#newApiToken': 'makes a token, which is random',
  },
  'asks-for-the-right': {
    'cert-manager/audit/export/export-audit-logs.service.ts#exportAuditLogs':
      'everyone may export what they may read, and the filter leaves out the rest',
    'cert-manager/issuance/jobs/begin-job.service.ts#beginJob': 'requestCertificate has asked for it',
    'cert-manager/issuance/jobs/begin-job.service.ts#recordRefusal': 'requestCertificate has asked for it',
    'cert-manager/revocations/revoke-certificate.service.ts#revokePermitted':
      'the front has judged whether the signer may revoke it',
    'cert-manager/users/api-tokens/revoke-api-tokens.service.ts#revokeOwnApiToken':
      'a token may always revoke itself',
    'cert-manager/users/sessions/own-sessions.service.ts#endOwnSession':
      'it ends only sessions of the account of the caller',
    'cert-manager/users/api-tokens/succeed-api-token.service.ts#succeedApiToken':
      'the right is the token, which was made for it',
  },
  'records-what-it-writes': {
    'cert-manager/audit/audit-log.service.ts#clearAuditLogs':
      'records in a table of its own that the log was emptied, as the log is empty then',
  },
  'wire-names-at-the-edge': {
    'cert-manager/http/problem.ts#titles': 'has a title for each error code',
    'cert-manager/readiness/break-actions.ts#actions': 'has a sentence for each code',
    'cert-manager/readiness/break-actions.ts#handworkActions': 'has a sentence for each code',
    'cert-manager/readiness/readiness.ts#handworkOfOutlook': 'has a code for each outlook',
    'cert-manager/renewals/explanation/explanation.ts#hindrances': 'has a sentence for each code',
    'cert-manager/renewals/explanation/explanation.ts#hindrancesOfImported': 'has a sentence for each code',
    'cert-manager/renewals/explanation/explanation.ts#ruleOf': 'has a sentence for each code',
    'cert-manager/statuses/fqdn-status.ts#outlookHints': 'has a hint for each code',
    'cert-manager/watch/monitor/monitor-events.service.ts#faults': 'has a sentence for each code',
    'cert-manager/system/service-metrics.service.ts#spaceLabels': 'names the labels of metrics',
    'check-monitor/checks/check-spec.ts#readSpec': 'turns the body of a request into a specification',
    'check-monitor/checks/check-spec.ts#changedSettings': 'turns the body of a request into settings',
    'check-monitor/checks/check-spec.ts#changedFilters': 'turns the body of a request into filters',
    'check-monitor/checks/write-check.service.ts#createCheck':
      'reads the only member that is not part of a specification',
    'check-monitor/integrations/messages/alert-event.ts#testEvent':
      'has the check of a test message as the API shows it',
    'dummy-ca/signing/idempotency.store.ts#fingerprintOf': 'compares the body of a request with another',
    'dummy-ca/signing/signing.service.ts#askedBy': 'turns the body of a request into a validity',
  },
  'no-network-in-a-transaction': {
    'check-monitor/imports/import-dump.service.ts#importOrTakeBack':
      'reads a file of its own machine, at the command line only',
  },
  'loops-that-yield': {
    'cert-manager/acme/account-key.service.ts#storeNextKey':
      'tries again only if another process was faster, and makes a key each time, which takes a turn',
    'cert-manager/issuance/jobs/issuance-runner.service.ts#createIssuanceRunner':
      'waits for the job or for a timer after each read',
    'cert-manager/policies/review-spaces.service.ts#claimDue':
      'tries again only if another process was faster',
    'cert-manager/issuance/signing/store-issued.service.ts#createIssuedStore':
      'stores at most 16, if their batch failed',
    'cert-manager/renewals/advice/ask-advice.service.ts#askAdvice': 'at most 8, each of which waits for a CA',
    'cert-manager/renewals/queue/run-due-renewals.service.ts#runQueues':
      'one for each provider, which yields',
    'cert-manager/revocations/finish-revocations.service.ts#finishRevocations':
      'at most 8, each of which waits for a CA',
    'cert-manager/watch/run-watch.service.ts#runBatch': 'reads at most 16, and then waits for the monitor',
    'check-monitor/channels/create-channel.service.ts#requireTargets':
      'waits for DNS, for the few addresses of an integration',
  },
};

/** What breaks the laws in an app's folder of sources, as `law: app/file#name`, exceptions included. */
export function breaches(app, folder) {
  const declarations = readCode(folder);
  const found = [];
  for (const [id, declaration] of declarations) {
    for (const law of lawsBrokenBy(declarations, declaration, app)) found.push(`${law}: ${app}/${id}`);
  }
  return found;
}

function* lawsBrokenBy(declarations, declaration, app) {
  const { file, uses, withinTransaction, opens } = declaration;
  if (isPure(file) && (some(uses.members, impureMember) || some(uses.names, impureName))) yield 'pure-code';
  if (!isPure(file) && !isRoot(file) && some(uses.members, clock)) yield 'clock-handed-in';
  if (!isEdge(file) && some(uses.properties, snakeCase)) yield 'wire-names-at-the-edge';
  if (opens) {
    const { names, members } = reach(declarations, withinTransaction);
    if (some(names, network) || some(members, networkMember)) yield 'no-network-in-a-transaction';
  }
  const mayHoldUp = (loop) => (isService(file) && loop.awaitsStore) || reachesDatabase(declarations, loop);
  if (declaration.loops.some(mayHoldUp)) yield 'loops-that-yield';
  if (app !== 'cert-manager' || !isUseCase(declaration)) return;
  const { names } = reach(declarations, uses);
  if (!opens && ![...names].some((name) => declarations.get(name)?.opens)) return;
  if (!some(names, /#require[A-Z]/)) yield 'asks-for-the-right';
  if (!some(names, /#recordAudit/)) yield 'records-what-it-writes';
}

/** Whether a loop calls the database, itself or by what it calls. */
function reachesDatabase(declarations, { names, callsDatabase }) {
  if (callsDatabase) return true;
  const reached = reach(declarations, { names, members: new Set() }).names;
  return [...reached].some((name) => declarations.get(name)?.callsDatabase);
}

/** Whether it is what a caller asks for. */
function isUseCase({ file, isExported, parameters }) {
  return (
    isService(file) &&
    isExported &&
    parameters.some(({ name, type }) => name === 'caller' || type === 'Caller')
  );
}

function some(texts, pattern) {
  return [...texts].some((text) => pattern.test(text));
}
