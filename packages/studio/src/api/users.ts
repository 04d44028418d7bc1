import { queryOptions } from '@tanstack/react-query'
import { at, manage } from './management.ts'
import { request } from './request.ts'

/** A user of apps, who has no access to the Studio. */
export interface User {
  readonly documentId: string
  readonly username: string
  /** Null for anonymous users. */
  readonly email: string | null
  readonly confirmed: boolean | null
  readonly blocked: boolean | null
  readonly role: { readonly type: string; readonly name: string } | null
}

export interface UserFilter {
  readonly search?: string
  readonly blocked?: boolean
  readonly confirmed?: boolean
  /** The type of a role. */
  readonly role?: string
}

/** An omitted password of a new user is chosen by a mail. */
export interface UserInput {
  readonly username?: string
  readonly email?: string
  readonly password?: string
  readonly role?: string
  readonly confirmed?: boolean
  readonly blocked?: boolean
}

export interface UserPages {
  readonly pagination: {
    readonly page: number
    readonly pageSize: number
    /** Unknown if counting took too long. */
    readonly pageCount?: number
    readonly total?: number
  }
}

/** A relation of content to users. */
export interface UserContent {
  readonly uid: string
  readonly attribute: string
  readonly onUserDelete: 'delete' | 'anonymize' | 'keep'
}

const PAGE_SIZE = 25

export const usersQuery = (filter: UserFilter, page: number) =>
  queryOptions({
    queryKey: ['users', filter, page],
    queryFn: ({ signal }) =>
      request<readonly User[], UserPages>('GET', '/admin/users', {
        query: { ...filter, pagination: { page, pageSize: PAGE_SIZE } },
        signal,
      }),
  })

export const userContentQuery = (documentId: string) =>
  queryOptions({
    queryKey: ['user-content', documentId],
    queryFn: async ({ signal }) => {
      const path = at('users', documentId)
      const sent = { signal }
      const { meta } = await request<User, { readonly content: readonly UserContent[] }>(
        'GET',
        path,
        sent,
      )
      return meta.content
    },
  })

export async function createUser(body: UserInput): Promise<{ readonly mailed: boolean }> {
  return (await request<User, { readonly mailed: boolean }>('POST', '/admin/users', { body })).meta
}

export function updateUser(documentId: string, body: UserInput): Promise<User> {
  return manage('PUT', at('users', documentId), body)
}

export function deleteUser(documentId: string): Promise<User> {
  return manage('DELETE', at('users', documentId))
}

/** Mails a code to choose a password. `mailed` is false if the mail server fails. */
export function mailPasswordReset(documentId: string): Promise<{ readonly mailed: boolean }> {
  return manage('POST', at('users', documentId, 'reset'))
}
