import { kubernetesSetup, winAcmeSetup } from './other-clients.js';
import { caddySetup, haproxySetup, modMdSetup, traefikSetup } from './server-clients.js';
import { faultsOfSetup, type SetupFacts } from './setup-facts.js';
import type { ClientSetup } from './setup-step.js';
import {
  acmeShSetup,
  certbotSetup,
  dehydratedSetup,
  lego5Setup,
  legoSetup,
  uacmeSetup,
} from './shell-clients.js';

const kinds = {
  certbot: { label: 'certbot', setupOf: certbotSetup },
  lego: { label: 'lego 4', setupOf: legoSetup },
  lego5: { label: 'lego 5', setupOf: lego5Setup },
  'acme.sh': { label: 'acme.sh', setupOf: acmeShSetup },
  dehydrated: { label: 'dehydrated', setupOf: dehydratedSetup },
  uacme: { label: 'uacme', setupOf: uacmeSetup },
  caddy: { label: 'Caddy', setupOf: caddySetup },
  traefik: { label: 'Traefik', setupOf: traefikSetup },
  haproxy: { label: 'HAProxy', setupOf: haproxySetup },
  mod_md: { label: 'Apache (mod_md)', setupOf: modMdSetup },
  'win-acme': { label: 'win-acme', setupOf: winAcmeSetup },
  k8s: { label: 'Kubernetes (cert-manager)', setupOf: kubernetesSetup },
} as const;

export type AcmeTool = keyof typeof kinds;

/** Clients that there are commands for, in the order in which they are shown. */
export const acmeTools = Object.keys(kinds) as readonly AcmeTool[];

export const toolLabel = (tool: AcmeTool): string => kinds[tool].label;

/** Commands and files for one kind of client, filled in. Throws RangeError for values that no command may hold. */
export function acmeSetup(tool: AcmeTool, facts: SetupFacts): ClientSetup {
  const [fault] = Object.entries(faultsOfSetup(facts));
  if (fault !== undefined) throw new RangeError(`${fault[0]}: ${fault[1]}`);
  return kinds[tool].setupOf(facts);
}

/** The same as one text, in which titles and notes are comments; all languages of these clients begin them alike. */
export function acmeSetupText(tool: AcmeTool, facts: SetupFacts): string {
  const { steps, notes } = acmeSetup(tool, facts);
  const parts = steps.map(({ title, language, text }, index) => {
    // one stream of YAML, as kubectl reads it
    const separator = language === 'yaml' && index > 0 ? '---\n' : '';
    return `${separator}# ${title}\n${text}\n`;
  });
  return [...parts, notes.map((note) => `# ${note}\n`).join('')].join('\n');
}
