/**
 * The token of a one-time link. It is in the fragment, `#token=…`, which browsers do not send to
 * servers.
 */
export function tokenOfAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('token')
}
