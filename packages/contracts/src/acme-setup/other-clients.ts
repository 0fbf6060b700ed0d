// Clients for Windows and Kubernetes.
import { powershellWord, shellWord, yamlText } from './quoting.js';
import { emailOf, type SetupFacts, slugOf } from './setup-facts.js';
import { type ClientSetup, type SetupStep, shellStep } from './setup-step.js';

/** win-acme 2.2. */
export function winAcmeSetup(facts: SetupFacts): ClientSetup {
  const { directoryUrl, kid, hmacKey, rootFile, names } = facts;
  const order = [
    [`.\\wacs.exe --baseuri ${powershellWord(directoryUrl)} --accepttos`],
    [`--emailaddress ${powershellWord(emailOf(facts))}`],
    [`--eab-key-identifier ${powershellWord(kid)} --eab-key ${powershellWord(hmacKey)}`],
    [`--source manual --host ${powershellWord(names.join(','))}`],
    ['--validation selfhosting --store certificatestore'],
  ].join(' `\n  ');
  const trust =
    rootFile === undefined
      ? []
      : [
          {
            title: 'Trust the server: copy the root to this folder first',
            language: 'powershell' as const,
            text: `Import-Certificate -FilePath ${powershellWord(`.\\${rootFile.split('/').at(-1) ?? ''}`)} -CertStoreLocation Cert:\\LocalMachine\\Root`,
          },
        ];
  return {
    steps: [
      ...trust,
      {
        title: 'Order the certificate, in a PowerShell of an administrator',
        language: 'powershell',
        text: order,
      },
    ],
    notes: [
      'win-acme adds a scheduled task that renews. To bind the certificate to a site of IIS, add --installation iis.',
    ],
  };
}

/** cert-manager for Kubernetes 1.x: a ClusterIssuer with its Secret. */
export function kubernetesSetup(facts: SetupFacts): ClientSetup {
  const { directoryUrl, kid, hmacKey, clientName, email, rootFile, rootPem } = facts;
  const name = slugOf(clientName);
  const bundle = rootPem === undefined ? [] : [`    caBundle: ${btoa(rootPem)}`];
  const text = [
    'apiVersion: v1',
    'kind: Secret',
    'metadata:',
    `  name: ${name}-eab`,
    '  namespace: cert-manager',
    'stringData:',
    `  hmac: ${yamlText(hmacKey)}`,
    '---',
    'apiVersion: cert-manager.io/v1',
    'kind: ClusterIssuer',
    'metadata:',
    `  name: ${name}`,
    'spec:',
    '  acme:',
    `    server: ${yamlText(directoryUrl)}`,
    ...bundle,
    ...(email === undefined ? [] : [`    email: ${yamlText(email)}`]),
    '    externalAccountBinding:',
    `      keyID: ${yamlText(kid)}`,
    '      keySecretRef:',
    `        name: ${name}-eab`,
    '        key: hmac',
    '    privateKeySecretRef:',
    `      name: ${name}-account`,
    // the order is valid from the start, so the solver is never used
    '    solvers:',
    '      - http01:',
    '          ingress: {}',
  ].join('\n');
  return {
    steps: [
      { title: 'Apply the ClusterIssuer and its Secret', language: 'yaml', text },
      ...(rootFile === undefined || rootPem !== undefined ? [] : [trustStep(name, rootFile)]),
      certificateStep(name, facts),
    ],
    notes: ['The Secret is in the namespace cert-manager, where a ClusterIssuer finds it by default.'],
  };
}

function trustStep(name: string, rootFile: string): SetupStep {
  const patch = `'{"spec":{"acme":{"caBundle":"'"$(base64 -w0 ${shellWord(rootFile)})"'"}}}'`;
  return shellStep(
    'Let the cluster trust the server',
    `kubectl patch clusterissuer ${name} --type merge -p ${patch}`,
  );
}

function certificateStep(name: string, { names }: SetupFacts): SetupStep {
  const lines = [
    'apiVersion: cert-manager.io/v1',
    'kind: Certificate',
    'metadata:',
    `  name: ${name}`,
    'spec:',
    `  secretName: ${name}-tls`,
    '  dnsNames:',
    ...names.map((each) => `    - ${yamlText(each)}`),
    '  privateKey:',
    '    algorithm: ECDSA',
    '    size: 256',
    '    rotationPolicy: Always',
    '  issuerRef:',
    '    kind: ClusterIssuer',
    `    name: ${name}`,
  ];
  return {
    title: 'Apply a Certificate in the namespace that uses it',
    language: 'yaml',
    text: lines.join('\n'),
  };
}
