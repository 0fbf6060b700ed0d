const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; check who may read and write it',
  EPERM: 'permission denied; check who may read and write it',
  EROFS: 'the file system is read-only; name another place',
  ENOENT: 'there is no such file or folder; check the path',
  EEXIST: 'a file of that name is in the way; remove it, or name another place',
  EISDIR: 'it is a folder, not a file; name a file',
  ENOTDIR: 'a part of its path is a file, not a folder; check the path',
  ENOTEMPTY: 'it is a folder with files in it; name another place',
  ENOSPC: 'the disk is full; make room',
  EDQUOT: 'the quota of the disk is used up; make room',
  EFBIG: 'the file would be larger than is allowed; raise the limit (ulimit -f)',
  EPIPE: 'what reads it has ended; run it again',
  EIO: 'the device failed; check the disk',
  EAGAIN: 'it is not ready; try again',
  EBUSY: 'another program uses it; try again',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ELOOP: 'its links lead in a circle; check the path',
  ENAMETOOLONG: 'the name is too long; choose a shorter one',
  ECONNREFUSED: 'nothing listens there; check the address, and that the service runs',
  ECONNRESET: 'the connection was cut; try again',
  UND_ERR_SOCKET: 'the connection was cut; try again',
  ENOTFOUND: 'there is no host of that name; check the address',
  EAI_AGAIN: 'the name server does not answer; try again',
  ETIMEDOUT: 'the network does not answer; check the address',
  UND_ERR_CONNECT_TIMEOUT: 'the network does not answer; check the address',
  EHOSTUNREACH: 'the host cannot be reached; check the address',
  ENETUNREACH: 'the network cannot be reached; check the connection',
  CERT_HAS_EXPIRED: 'its certificate has expired; renew it',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for other names; check the address',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not answer in TLS; if it has none, write the address with http://',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted(),
  SELF_SIGNED_CERT_IN_CHAIN: untrusted(),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted(),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted(),
};

function untrusted(): string {
  return 'its certificate is not trusted here; set NODE_EXTRA_CA_CERTS to a file with the root';
}

/** Returns what a code such as ECONNREFUSED means, and what to do; the code itself where it is unknown. */
export function explainCode(code: string): string {
  return reasons[code] ?? code;
}

/** Code of what the system refused, such as ENOENT; undefined for other errors. */
export function faultCode(error: unknown): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === 'string' && syscall !== undefined ? code : undefined;
}

/** Returns what the system refused, in words and with the file, such as `out.pem: the disk is full; make room`. */
export function describeFault(error: unknown, file?: string): string {
  const code = faultCode(error);
  const { message, path } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = code === undefined ? String(message ?? error) : explainCode(code);
  const place = file ?? path;
  return place === undefined ? reason : `${place}: ${reason}`;
}

/** Throws what the system refused with the file, which it omits for a folder that is read and for a full disk. */
export function throwWithFile(file: string): (error: unknown) => never {
  return (error) => {
    if (faultCode(error) !== undefined) Object.assign(error as object, { path: file });
    throw error;
  };
}
