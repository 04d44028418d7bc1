/** The token of a one-time link, which stands where no server sees it: `#token=…`. */
export function tokenOfAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('token')
}
