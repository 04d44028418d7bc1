const PROBLEMS = ['refused', 'failed'] as const

export interface SignInSearch {
  readonly to?: string | undefined
  /** The error of a sign-in with an identity provider. */
  readonly problem?: (typeof PROBLEMS)[number] | undefined
}

/**
 * Parses a URL. Invalid values are `undefined`, because the router merges the result over the raw
 * search.
 */
export function readSignInSearch({ to, problem }: Record<string, unknown>): SignInSearch {
  return { to: ownPath(to), problem: PROBLEMS.find((one) => one === problem) }
}

/** A placeholder; only paths are compared. */
const ORIGIN = 'http://studio.invalid'

/**
 * The path if it resolves to this origin; undefined for any other address, which prevents open
 * redirects.
 */
export function ownPath(given: unknown): string | undefined {
  if (typeof given !== 'string' || !/^\/(?![/\\])/.test(given)) return undefined
  const url = URL.canParse(given, ORIGIN) ? new URL(given, ORIGIN) : null
  return url?.origin === ORIGIN && !url.pathname.startsWith('//') ? given : undefined
}
