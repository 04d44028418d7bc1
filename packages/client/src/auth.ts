import type { Session } from './session.ts'
import type { Call, CallOptions, Reply } from './call.ts'
import type { Transport } from './transport.ts'

/** An end user, as far as their role may read it. */
export interface SignedInUser {
  readonly id: number
  readonly documentId: string
  readonly username: string
  /** Null for an anonymous user. */
  readonly email: string | null
}

/** After each sign-in, later requests are authorized as the user. A failed sign-in keeps the earlier session. */
export interface Auth {
  signIn(credentials: Credentials, options?: CallOptions): Promise<SignedInUser>
  /** Creates a user without an account. `register` and `signInWithIdToken` make it an account with its content. */
  signInAnonymously(options?: CallOptions): Promise<SignedInUser>
  /** Null if the user must confirm the e-mail address before signing in. */
  register(account: Account, options?: CallOptions): Promise<SignedInUser | null>
  /** With the token of a provider, such as `google`. The first sign-in creates the user. */
  signInWithIdToken(
    provider: string,
    identity: NewIdentity,
    options?: CallOptions,
  ): Promise<SignedInUser>
  /** Mails a code to sign in. Resolves for unknown addresses too. */
  requestCode(email: string, options?: CallOptions): Promise<void>
  signInWithCode(code: MailedCode, options?: CallOptions): Promise<SignedInUser>
  /** The identity signs in this user from now on. */
  linkIdentity(provider: string, token: IdToken, options?: CallOptions): Promise<void>
  /** Mails a code for `resetPassword`. Resolves for unknown addresses too. */
  forgotPassword(email: string, options?: CallOptions): Promise<void>
  /** Signs in, and ends all other sessions. */
  resetPassword(reset: PasswordReset, options?: CallOptions): Promise<SignedInUser>
  /** Ends all other sessions. */
  changePassword(change: PasswordChange, options?: CallOptions): Promise<SignedInUser>
  me(options?: CallOptions): Promise<SignedInUser>
  /** Deletes the user. Requires a sign-in in the last ten minutes. */
  deleteAccount(options?: CallOptions): Promise<void>
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

export interface IdToken {
  readonly idToken: string
  /** Required in browsers, and wherever the token contains one. */
  readonly nonce?: string
}

export interface NewIdentity extends IdToken {
  /** The user name of a new user. Apple tells it to the app only. */
  readonly name?: string
  /** Moves the content of the anonymous user to the account, if one has the identity. */
  readonly merge?: boolean
}

export interface MailedCode {
  readonly email: string
  readonly code: string
}

export interface PasswordReset {
  /** Of the link in the mail. */
  readonly code: string
  readonly password: string
}

export interface PasswordChange {
  readonly currentPassword: string
  readonly password: string
}

export function openAuth(transport: Transport): Auth {
  const calls = openAuthCalls(transport)
  return { ...openSignIns(calls), ...openOwnAccount(calls) }
}

interface AuthCalls extends Pick<Transport, 'storage'> {
  readonly send: (call: Call) => Promise<Reply>
  readonly post: (path: string, body: object, options?: Partial<Call>) => Promise<Reply>
  /** Stores the session of the response. Null if it has none. */
  readonly keep: (reply: Reply) => Promise<SignedInUser | null>
  /** Posts, and stores the session of the response. */
  readonly enter: (path: string, body: object, options?: Partial<Call>) => Promise<SignedInUser>
}

function openAuthCalls(transport: Transport): AuthCalls {
  const { storage } = transport
  const send: AuthCalls['send'] = (call) => transport.send(call)
  const keep: AuthCalls['keep'] = async ({ body }) => {
    const { user, jwt, refreshToken } = body as Partial<Session> & { readonly user: SignedInUser }
    if (jwt === undefined) return null
    await storage.set({ jwt, ...(refreshToken !== undefined && { refreshToken }) })
    return user
  }
  const post: AuthCalls['post'] = (path, body, options) =>
    send({ ...options, method: 'POST', path: `auth/${path}`, body })
  const enter: AuthCalls['enter'] = async (path, body, options) => {
    const user = await keep(await post(path, body, options))
    if (user === null) throw new Error('The server gave no token')
    return user
  }
  return { storage, send, post, keep, enter }
}

type SignIns = Pick<
  Auth,
  | 'signIn'
  | 'signInAnonymously'
  | 'register'
  | 'signInWithIdToken'
  | 'requestCode'
  | 'signInWithCode'
  | 'forgotPassword'
  | 'resetPassword'
>

function openSignIns({ storage, post, keep, enter }: AuthCalls): SignIns {
  /** The server turns the anonymous user of the session into the new account. */
  const asAnonymous = async (options: CallOptions | undefined): Promise<Partial<Call>> =>
    (await storage.get())?.isAnonymous === true ? { ...options } : withoutUser(options)
  return {
    signIn: ({ identifier, password }, options) =>
      enter('local', { identifier, password }, withoutUser(options)),
    signInAnonymously: async (options) => {
      const user = await enter('anonymous', {}, withoutUser(options))
      const session = await storage.get()
      if (session !== null) await storage.set({ ...session, isAnonymous: true })
      return user
    },
    register: async ({ username, email, password }, options) => {
      const account = { username, email, password }
      const user = await keep(await post('local/register', account, await asAnonymous(options)))
      if (user === null) await storage.set(null)
      return user
    },
    signInWithIdToken: async (provider, { idToken, nonce, name, merge }, options) => {
      const path = `${encodeURIComponent(provider)}/token`
      return enter(path, { idToken, nonce, name, merge }, await asAnonymous(options))
    },
    requestCode: async (email, options) => {
      await post('code', { email }, withoutUser(options))
    },
    signInWithCode: ({ email, code }, options) =>
      enter('code/verify', { email, code }, withoutUser(options)),
    forgotPassword: async (email, options) => {
      await post('forgot-password', { email }, withoutUser(options))
    },
    resetPassword: ({ code, password }, options) => {
      const reset = { code, password, passwordConfirmation: password }
      return enter('reset-password', reset, withoutUser(options))
    },
  }
}

function openOwnAccount({ storage, send, post, enter }: AuthCalls): Omit<Auth, keyof SignIns> {
  return {
    linkIdentity: async (provider, { idToken, nonce }, options) => {
      await post(`${encodeURIComponent(provider)}/link`, { idToken, nonce }, options)
    },
    changePassword: ({ currentPassword, password }, options) => {
      const change = { currentPassword, password, passwordConfirmation: password }
      return enter('change-password', change, options)
    },
    me: async (options) => {
      const { body } = await send({ ...options, method: 'GET', path: 'users/me' })
      return body as SignedInUser
    },
    deleteAccount: async (options) => {
      await send({ ...options, method: 'DELETE', path: 'users/me' })
      await storage.set(null)
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

/** A role of users may have no permission to sign in. */
function withoutUser(options: CallOptions | undefined): Partial<Call> {
  return { ...options, asUser: false }
}
