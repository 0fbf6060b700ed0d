import { expect, test } from 'vitest';
import { type AcmeTool, acmeSetupText } from './acme-setup.js';
import { sampleFacts } from './sample-facts.fixture.js';

const texts: readonly (readonly [AcmeTool, string])[] = [
  [
    'caddy',
    `# Put this into the Caddyfile, and reload Caddy
{
	acme_ca https://certs.example.com/acme/directory
	acme_eab {
		key_id kid-1
		mac_key c2Vj_cmV0
	}
	acme_ca_root /etc/ssl/root.pem
}

www.example.com, example.com {
	respond "It works"
}

# Replace the line with respond by what your site serves.
`,
  ],
  [
    'traefik',
    `# Put this into the static configuration, and restart Traefik
certificatesResolvers:
  certloop:
    acme:
      caServer: "https://certs.example.com/acme/directory"
      caCertificates:
        - "/etc/ssl/root.pem"
      email: "admin@www.example.com"
      storage: "acme.json"
      eab:
        kid: "kid-1"
        hmacEncoded: "c2Vj_cmV0"
      tlsChallenge: {}

# Name the resolver certloop in tls.certResolver of each router.
# For Traefik 2, omit caCertificates and set the environment variable LEGO_CA_CERTIFICATES to that file.
`,
  ],
  [
    'haproxy',
    `# Store the key
mkdir -p /etc/haproxy/certloop
(umask 077 && cat > /etc/haproxy/certloop/eab-kid) <<'EOF'
kid-1
EOF
(umask 077 && cat > /etc/haproxy/certloop/eab-key) <<'EOF'
c2Vj_cmV0
EOF

# Add this to haproxy.cfg, and restart HAProxy 3.4 or later
global
    expose-experimental-directives
    httpclient.ssl.ca-file /etc/ssl/root.pem

acme certloop
    directory https://certs.example.com/acme/directory
    account-key /etc/haproxy/certloop/account.key
    eab-key-id /etc/haproxy/certloop/eab-kid
    eab-mac-key /etc/haproxy/certloop/eab-key
    contact admin@www.example.com
    keytype ECDSA
    curves P-256

crt-store certloop
    load crt /etc/haproxy/certloop/www.example.com.pem alias www.example.com acme certloop domains www.example.com,example.com

frontend https
    bind :443 ssl crt @certloop/www.example.com

# For HAProxy 3.2 and 3.3, register the account first, and omit the two lines that begin with eab-
certloop acme-clients register \\
  --directory https://certs.example.com/acme/directory --kid kid-1 \\
  --hmac-key-file /etc/haproxy/certloop/eab-key --key-file /etc/haproxy/certloop/account.key \\
  --ca /etc/ssl/root.pem

# For HAProxy 3.2, store a certificate first: it does not start without one, and replaces one that has expired
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out /etc/haproxy/certloop/www.example.com.pem
openssl req -new -key /etc/haproxy/certloop/www.example.com.pem -subj /CN=www.example.com |
  openssl x509 -req -days 0 -signkey /etc/haproxy/certloop/www.example.com.pem >> /etc/haproxy/certloop/www.example.com.pem

# HAProxy keeps the new certificate in memory. Its script haproxy-dump-certs stores it on disk.
# HAProxy asks DNS for the address of the directory; it does not read /etc/hosts.
`,
  ],
  [
    'mod_md',
    `# Store the key
(umask 077 && cat > /etc/apache2/certloop-eab.json) <<'EOF'
{"kid":"kid-1","hmac":"c2Vj_cmV0"}
EOF

# Add this to the configuration of Apache
MDCertificateAuthority https://certs.example.com/acme/directory
MDCACertificateFile /etc/ssl/root.pem
MDCertificateAgreement accepted
MDContactEmail admin@www.example.com
MDExternalAccountBinding /etc/apache2/certloop-eab.json
MDPrivateKeys secp256r1
MDomain www.example.com example.com

<VirtualHost *:443>
    ServerName www.example.com
    ServerAlias example.com
    SSLEngine on
</VirtualHost>

# Switch the modules on
a2enmod md ssl
apachectl graceful

# Let Apache use new certificates by cron
(umask 077 && cat > /etc/cron.d/certloop-apache) <<'EOF'
37 4,16 * * * root apachectl graceful
EOF

# Apache uses a new certificate after its next graceful restart.
`,
  ],
  [
    'win-acme',
    `# Trust the server: copy the root to this folder first
Import-Certificate -FilePath '.\\root.pem' -CertStoreLocation Cert:\\LocalMachine\\Root

# Order the certificate, in a PowerShell of an administrator
.\\wacs.exe --baseuri 'https://certs.example.com/acme/directory' --accepttos \`
  --emailaddress 'admin@www.example.com' \`
  --eab-key-identifier 'kid-1' --eab-key 'c2Vj_cmV0' \`
  --source manual --host 'www.example.com,example.com' \`
  --validation selfhosting --store certificatestore

# win-acme adds a scheduled task that renews. To bind the certificate to a site of IIS, add --installation iis.
`,
  ],
  [
    'k8s',
    `# Apply the ClusterIssuer and its Secret
apiVersion: v1
kind: Secret
metadata:
  name: certloop-web-7-eab
  namespace: cert-manager
stringData:
  hmac: "c2Vj_cmV0"
---
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata:
  name: certloop-web-7
spec:
  acme:
    server: "https://certs.example.com/acme/directory"
    caBundle: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=
    externalAccountBinding:
      keyID: "kid-1"
      keySecretRef:
        name: certloop-web-7-eab
        key: hmac
    privateKeySecretRef:
      name: certloop-web-7-account
    solvers:
      - http01:
          ingress: {}

---
# Apply a Certificate in the namespace that uses it
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: certloop-web-7
spec:
  secretName: certloop-web-7-tls
  dnsNames:
    - "www.example.com"
    - "example.com"
  privateKey:
    algorithm: ECDSA
    size: 256
    rotationPolicy: Always
  issuerRef:
    kind: ClusterIssuer
    name: certloop-web-7

# The Secret is in the namespace cert-manager, where a ClusterIssuer finds it by default.
`,
  ],
];

test.each(texts)('writes the commands and files of %s', (tool, text) => {
  expect(acmeSetupText(tool, sampleFacts)).toBe(text);
});
