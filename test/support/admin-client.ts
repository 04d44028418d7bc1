import type { Answer, Json, TestServer } from './server.ts'

/** A client with an administrator cookie, like a page of the Studio in a browser. */
export interface AdminClient {
  readonly cookie: string
  /** Sends the headers of a same-origin page. */
  send(method: string, target: string, body?: unknown): Promise<Answer>
}

export const PASSWORD = 'correct horse battery'

const OWN = { 'sec-fetch-site': 'same-origin' }

/** The `Cookie` header for the cookie that a response sets. */
export function cookieOf({ headers }: Answer): string {
  const [cookie = ''] = headers['set-cookie'] ?? []
  return cookie.split(';')[0] ?? ''
}

export function asAdministrator(server: TestServer, cookie: string): AdminClient {
  return {
    cookie,
    send: (method, target, body) =>
      server.send(method, target, {
        token: null,
        headers: { cookie, ...OWN },
        ...(body !== undefined && { body }),
      }),
  }
}

export async function signIn(
  server: TestServer,
  email: string,
  password = PASSWORD,
): Promise<AdminClient> {
  const body = { email, password }
  const answer = await server.send('POST', '/admin/session', { token: null, body, headers: OWN })
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return asAdministrator(server, cookieOf(answer))
}

/**
 * Creates an administrator as root. An invitation needs a role, so without roles a temporary one is
 * removed afterwards.
 */
export async function addAdministrator(
  server: TestServer,
  name: string,
  roles: readonly string[],
): Promise<Json> {
  const first = roles.length === 0 ? ['author'] : roles
  const email = `${name.toLowerCase()}@example.org`
  const body = { name, email, roles: first, password: PASSWORD }
  const answer = await server.send('POST', '/admin/administrators', { body })
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
  if (roles.length > 0) return answer.body.data
  const path = `/admin/administrators/${answer.body.data.id}`
  return (await server.send('PUT', path, { body: { roles } })).body.data
}

/** Creates a role of administrators with these permissions, as root. */
export async function addRole(
  server: TestServer,
  type: string,
  permissions: readonly (string | object)[],
): Promise<void> {
  const listed = permissions.map((one) => (typeof one === 'string' ? { action: one } : one))
  const body = { type, name: type, permissions: listed }
  const answer = await server.send('POST', '/admin/administrator-roles', { body })
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
}
