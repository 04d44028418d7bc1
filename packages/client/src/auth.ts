import type { Session } from './session.ts'
import type { CallOptions, Reply } from './call.ts'
import type { Transport } from './transport.ts'

/** An end user, as far as their role may read it. */
export interface SignedInUser {
  readonly id: number
  readonly documentId: string
  readonly username: string
  readonly email: string
}

export interface Auth {
  /** Later requests are authorized as this user. */
  signIn(credentials: Credentials, options?: CallOptions): Promise<SignedInUser>
  /** Null if the user must confirm the e-mail address before signing in. */
  register(account: Account, options?: CallOptions): Promise<SignedInUser | null>
  signOut(): Promise<void>
  isSignedIn(): Promise<boolean>
}

export interface Credentials {
  /** A user name or an e-mail address. */
  readonly identifier: string
  readonly password: string
}

export interface Account {
  readonly username: string
  readonly email: string
  readonly password: string
}

export function openAuth(transport: Transport): Auth {
  const { storage } = transport
  const keep = async ({ body }: Reply): Promise<SignedInUser | null> => {
    const { user, jwt, refreshToken } = body as Partial<Session> & { readonly user: SignedInUser }
    if (jwt === undefined) return null
    await storage.set({ jwt, ...(refreshToken !== undefined && { refreshToken }) })
    return user
  }
  const post = (path: string, body: object, options: CallOptions): Promise<Reply> =>
    transport.send({ method: 'POST', path: `auth/${path}`, body, ...options })
  return {
    signIn: async ({ identifier, password }, options = {}) => {
      await storage.set(null)
      const user = await keep(await post('local', { identifier, password }, options))
      if (user === null) throw new Error('The server gave no token')
      return user
    },
    register: async ({ username, email, password }, options = {}) => {
      await storage.set(null)
      return keep(await post('local/register', { username, email, password }, options))
    },
    signOut: async () => {
      try {
        if ((await storage.get()) !== null) await post('logout', {}, {})
      } catch {
        // Offline, or the session has already ended: deleting it locally is enough.
      } finally {
        await storage.set(null)
      }
    },
    isSignedIn: async () => (await storage.get()) !== null,
  }
}
