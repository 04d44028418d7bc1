const PROBLEMS = ['refused', 'failed'] as const

export interface SignInSearch {
  readonly to?: string | undefined
  /** How a sign-in through an identity provider ended. */
  readonly problem?: (typeof PROBLEMS)[number] | undefined
}

/** Reads an address. Refused values are `undefined`: the router merges the result over the raw search. */
export function readSignInSearch({ to, problem }: Record<string, unknown>): SignInSearch {
  return { to: ownPath(to), problem: PROBLEMS.find((one) => one === problem) }
}

/** Only the path of the own origin is compared. */
const ORIGIN = 'http://studio.invalid'

/** A path of this origin, as a browser resolves it; undefined for any other address. */
export function ownPath(given: unknown): string | undefined {
  if (typeof given !== 'string' || !/^\/(?![/\\])/.test(given)) return undefined
  const url = URL.canParse(given, ORIGIN) ? new URL(given, ORIGIN) : null
  return url?.origin === ORIGIN && !url.pathname.startsWith('//') ? given : undefined
}
