import { expect, test } from 'vitest';
import { type AcmeTool, acmeSetupText } from './acme-setup.js';
import { sampleFacts } from './sample-facts.fixture.js';

const texts: readonly (readonly [AcmeTool, string])[] = [
  [
    'certbot',
    `# Order the certificate
REQUESTS_CA_BUNDLE=/etc/ssl/root.pem certbot certonly --non-interactive --standalone \\
  --agree-tos --register-unsafely-without-email \\
  --server https://certs.example.com/acme/directory \\
  --eab-kid=kid-1 --eab-hmac-key=c2Vj_cmV0 \\
  -d www.example.com -d example.com \\
  --deploy-hook 'systemctl reload nginx'

# Let the timer of certbot trust the server too
mkdir -p /etc/systemd/system/certbot.service.d
printf '%s\\n' '[Service]' 'Environment="REQUESTS_CA_BUNDLE=/etc/ssl/root.pem"' > /etc/systemd/system/certbot.service.d/certloop.conf
systemctl daemon-reload

# The certificate is in /etc/letsencrypt/live/www.example.com. The timer of the package renews it.
`,
  ],
  [
    'lego',
    `# Order the certificate
LEGO_CA_CERTIFICATES=/etc/ssl/root.pem lego \\
  --accept-tos -m admin@www.example.com --server https://certs.example.com/acme/directory \\
  --eab --kid=kid-1 --hmac=c2Vj_cmV0 \\
  --path /var/lib/lego -d www.example.com -d example.com --http \\
  run --run-hook 'systemctl reload nginx'

# Renew it by cron
(umask 077 && cat > /etc/cron.d/certloop-lego) <<'EOF'
17 4,16 * * * root LEGO_CA_CERTIFICATES=/etc/ssl/root.pem lego --accept-tos -m admin@www.example.com --server https://certs.example.com/acme/directory --eab --kid=kid-1 --hmac=c2Vj_cmV0 --path /var/lib/lego -d www.example.com -d example.com --http renew --renew-hook 'systemctl reload nginx'
EOF

# The certificate is in /var/lib/lego/certificates.
# Versions of lego since 2025 require an https address.
`,
  ],
  [
    'lego5',
    `# Order the certificate
LEGO_CA_CERTIFICATES=/etc/ssl/root.pem lego run \\
  --accept-tos -m admin@www.example.com --server https://certs.example.com/acme/directory \\
  --eab --eab.kid=kid-1 --eab.hmac=c2Vj_cmV0 \\
  --path /var/lib/lego -d www.example.com -d example.com --http \\
  --deploy-hook 'systemctl reload nginx'

# Renew it by cron
(umask 077 && cat > /etc/cron.d/certloop-lego) <<'EOF'
17 4,16 * * * root LEGO_CA_CERTIFICATES=/etc/ssl/root.pem lego run --accept-tos -m admin@www.example.com --server https://certs.example.com/acme/directory --eab --eab.kid=kid-1 --eab.hmac=c2Vj_cmV0 --path /var/lib/lego -d www.example.com -d example.com --http --deploy-hook 'systemctl reload nginx'
EOF

# The certificate is in /var/lib/lego/certificates.
# Versions of lego since 2025 require an https address.
`,
  ],
  [
    'acme.sh',
    `# Register an account
acme.sh --register-account \\
  --server https://certs.example.com/acme/directory --ca-bundle /etc/ssl/root.pem \\
  --eab-kid kid-1 --eab-hmac-key c2Vj_cmV0

# Order the certificate
acme.sh --issue --server https://certs.example.com/acme/directory --ca-bundle /etc/ssl/root.pem \\
  -d www.example.com -d example.com -w /var/www/html \\
  --key-file /etc/ssl/private/www.example.com.key --fullchain-file /etc/ssl/private/www.example.com.pem \\
  --reloadcmd 'systemctl reload nginx'

# The cron job that acme.sh installs renews the certificate.
`,
  ],
  [
    'dehydrated',
    `# Write its files
mkdir -p /var/lib/dehydrated-certloop/challenges
(umask 077 && cat > /var/lib/dehydrated-certloop/config) <<'EOF'
CA=https://certs.example.com/acme/directory
EAB_KID=kid-1
EAB_HMAC_KEY=c2Vj_cmV0
CURL_OPTS='--cacert /etc/ssl/root.pem'
BASEDIR=/var/lib/dehydrated-certloop
WELLKNOWN=/var/lib/dehydrated-certloop/challenges
HOOK=/var/lib/dehydrated-certloop/hook
EOF
(umask 077 && cat > /var/lib/dehydrated-certloop/domains.txt) <<'EOF'
www.example.com example.com
EOF
(umask 077 && cat > /var/lib/dehydrated-certloop/hook) <<'EOF'
#!/bin/sh
[ "$1" != deploy_cert ] || systemctl reload nginx
EOF
chmod 700 /var/lib/dehydrated-certloop/hook

# Register an account and order the certificate
dehydrated -f /var/lib/dehydrated-certloop/config --register --accept-terms
dehydrated -f /var/lib/dehydrated-certloop/config -c

# Renew it by cron
(umask 077 && cat > /etc/cron.d/certloop-dehydrated) <<'EOF'
23 4,16 * * * root dehydrated -f /var/lib/dehydrated-certloop/config -c
EOF

# The certificate is in /var/lib/dehydrated-certloop/certs.
`,
  ],
  [
    'uacme',
    `# Trust the server
cp /etc/ssl/root.pem /usr/local/share/ca-certificates/certloop-root.crt
update-ca-certificates

# Register an account
uacme -y -a https://certs.example.com/acme/directory -c /etc/ssl/uacme \\
  -e kid-1:c2Vj_cmV0 -t EC new

# Order the certificate
uacme -y -a https://certs.example.com/acme/directory -c /etc/ssl/uacme -t EC issue www.example.com example.com && systemctl reload nginx

# Renew it by cron
(umask 077 && cat > /etc/cron.d/certloop-uacme) <<'EOF'
29 4,16 * * * root uacme -y -a https://certs.example.com/acme/directory -c /etc/ssl/uacme -t EC issue www.example.com example.com && systemctl reload nginx
EOF

# The certificate is in /etc/ssl/uacme, its key below /etc/ssl/uacme/private.
`,
  ],
];

test.each(texts)('writes the commands and files of %s', (tool, text) => {
  expect(acmeSetupText(tool, sampleFacts)).toBe(text);
});
