/** Returns the common name and the organization of an issuer for people; the whole name if it has neither. */
export function issuerText(issuer: string): string {
  const [commonName, organization] = [attributeOf(issuer, 'CN'), attributeOf(issuer, 'O')];
  if (commonName === undefined) return organization ?? issuer;
  if (organization === undefined || commonName.includes(organization)) return commonName;
  return `${commonName} (${organization})`;
}

/** The value of an attribute of a distinguished name (RFC 4514). */
function attributeOf(name: string, attribute: string): string | undefined {
  const found = new RegExp(`(?:^|[,+])\\s*${attribute}=((?:\\\\.|[^,+\\\\])*)`).exec(name)?.[1];
  // pairs of hexadecimal digits are octets of UTF-8, which hardly any issuer has
  return found?.replaceAll(/\\([^\da-fA-F])/g, '$1');
}
