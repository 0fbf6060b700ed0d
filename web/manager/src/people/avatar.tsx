import { serviceUrl } from '@certloop/web-kit';

/** The picture of a user, else the first letter of the name. It is decoration: the name stands beside it. */
export function Avatar({
  user: { id, username },
  hasPicture,
  size = 24,
  version = 0,
}: {
  readonly user: { readonly id: string; readonly username: string };
  readonly hasPicture: boolean;
  readonly size?: number;
  /** Changes when the picture does. */
  readonly version?: number;
}) {
  const style = { inlineSize: size, blockSize: size, fontSize: size / 2 };
  if (hasPicture) {
    const src = `${serviceUrl()}/users/${id}/avatar${version === 0 ? '' : `?${version}`}`;
    return <img className="cl-avatar" src={src} alt="" style={style} loading="lazy" />;
  }
  return (
    <span className="cl-avatar" style={style} aria-hidden="true">
      {username.charAt(0).toUpperCase()}
    </span>
  );
}
