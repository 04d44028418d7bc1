export interface Session {
  readonly jwt: string
  /** Set if the server refreshes sessions. */
  readonly refreshToken?: string
  /** The user can become an account, which keeps the content. */
  readonly isAnonymous?: true
}

export interface SessionStorage {
  get(): Session | null | Promise<Session | null>
  set(session: Session | null): void | Promise<void>
}

export function memorySessionStorage(): SessionStorage {
  let kept: Session | null = null
  return {
    get: () => kept,
    set: (session) => {
      kept = session
    },
  }
}

/** Exchanges a refresh token. Only one exchange runs at a time, because a token works once. */
export function openRefresh(
  storage: SessionStorage,
  exchange: (refreshToken: string) => Promise<Session | null>,
): (refused: Session) => Promise<Session | null> {
  let running: Promise<Session | null> | null = null
  const refresh = async (refused: Session): Promise<Session | null> => {
    const current = await storage.get()
    // Another request has refreshed the session in the meantime.
    if (current !== null && current.jwt !== refused.jwt) return current
    if (refused.refreshToken === undefined) return null
    const renewed = await exchange(refused.refreshToken)
    const stored = await storage.get()
    // The user has signed in again or out during the exchange.
    if (stored?.jwt !== refused.jwt) return stored
    const { isAnonymous } = refused
    const session = renewed !== null && isAnonymous ? { ...renewed, isAnonymous } : renewed
    await storage.set(session)
    return session
  }
  return (refused) => {
    running ??= refresh(refused).finally(() => {
      running = null
    })
    return running
  }
}
