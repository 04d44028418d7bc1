import type { LinkKind } from './one-time-links.ts'

const PAGES: Readonly<Record<LinkKind, string>> = {
  first: 'first-start',
  password: 'choose-password',
  'sign-in': 'sign-in',
}

/**
 * URL of a page in the Studio. The token is in the fragment, which browsers do not send to servers
 * or as referrer.
 */
export function studioLink(publicUrl: string, kind: LinkKind, token: string): string {
  return `${publicUrl}/studio/${PAGES[kind]}#token=${token}`
}
