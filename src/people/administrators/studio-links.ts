import type { LinkKind } from './one-time-links.ts'

const PAGES: Readonly<Record<LinkKind, string>> = {
  first: 'first-start',
  password: 'choose-password',
  'sign-in': 'sign-in',
}

/** The page of the Studio that uses a token up; after `#`, so that no server and no referrer sees it. */
export function studioLink(publicUrl: string, kind: LinkKind, token: string): string {
  return `${publicUrl}/studio/${PAGES[kind]}#token=${token}`
}
