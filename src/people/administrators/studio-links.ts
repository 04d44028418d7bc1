import type { LinkKind } from './one-time-links.ts'

const PAGES: Readonly<Record<LinkKind, string>> = {
  first: 'first-start',
  password: 'choose-password',
  'sign-in': 'sign-in',
}

/** The token is in the fragment, which browsers send neither to servers nor as referrer. */
export function studioLink(publicUrl: string, kind: LinkKind, token: string): string {
  return `${publicUrl}/studio/${PAGES[kind]}#token=${token}`
}
