const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such file or folder',
  EEXIST: 'a file of that name is in the way',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  ENOTEMPTY: 'it is a folder with files in it',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EMFILE: 'too many files are open',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
};

/** Code of what the system refused, such as ENOENT; undefined for other errors. */
export function faultCode(error: unknown): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === 'string' && syscall !== undefined ? code : undefined;
}

/** What the system refused, in words and with the file, such as `out.pem: permission denied`. */
export function describeFault(error: unknown, file?: string): string {
  const code = faultCode(error);
  const { message, path } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = code === undefined ? String(message ?? error) : (reasons[code] ?? code);
  const place = file ?? path;
  return place === undefined ? reason : `${place}: ${reason}`;
}
