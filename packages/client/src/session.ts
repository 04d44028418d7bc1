/** What a sign-in has given, to be kept wherever the app keeps secrets. */
export interface Session {
  readonly jwt: string
  /** Where the server refreshes sign-ins. */
  readonly refreshToken?: string
}

/** Where a session is kept: a keychain, a cookie, memory. */
export interface SessionStorage {
  get(): Session | null | Promise<Session | null>
  set(session: Session | null): void | Promise<void>
}

/** Kept while the program runs. */
export function memoryStorage(): SessionStorage {
  let kept: Session | null = null
  return {
    get: () => kept,
    set: (session) => {
      kept = session
    },
  }
}

/** Exchanges a refresh token, once at a time: it is used up by it. */
export function openRefresh(
  storage: SessionStorage,
  exchange: (refreshToken: string) => Promise<Session | null>,
): (refused: Session) => Promise<Session | null> {
  let running: Promise<Session | null> | null = null
  const refresh = async (refused: Session): Promise<Session | null> => {
    const current = await storage.get()
    // Another request has refreshed it in between.
    if (current !== null && current.jwt !== refused.jwt) return current
    if (refused.refreshToken === undefined) return null
    const renewed = await exchange(refused.refreshToken)
    await storage.set(renewed)
    return renewed
  }
  return (refused) => {
    running ??= refresh(refused).finally(() => {
      running = null
    })
    return running
  }
}
