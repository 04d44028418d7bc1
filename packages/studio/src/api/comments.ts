import { queryOptions } from '@tanstack/react-query'
import { contentPath, type Person } from './entries.ts'
import type { ActedOn } from './entry-facts.ts'
import { randomName } from './random-name.ts'
import { type Method, request, type Sent } from './request.ts'

export interface EntryComment {
  readonly id: string
  /** Null for the whole entry. */
  readonly attribute: string | null
  readonly text: string
  readonly by: Person
  readonly mentions: readonly Person[]
  readonly createdAt: string
  readonly editedAt: string | null
  readonly resolved: { readonly by: Person; readonly at: string } | null
}

export interface ReviewStage {
  readonly name: string
  /** Whether the user may move drafts into it. */
  readonly allowed: boolean
}

export interface EntryReview {
  readonly stage: string
  readonly assignee: Person | null
  readonly stages: readonly ReviewStage[]
  readonly publishesLastOnly: boolean
}

export interface CommentList {
  readonly comments: readonly EntryComment[]
  /** Administrators for mentions. */
  readonly people: readonly Person[]
  /** Null for types without a review. */
  readonly review: EntryReview | null
}

export interface CommentInput {
  readonly text: string
  /** Ids of administrators. */
  readonly mentions: readonly string[]
}

/** The server's limit. */
export const MAX_COMMENT_LENGTH = 2_000

const REFRESH_MS = 30_000

const commentsPath = ({ uid, documentId }: ActedOn, ...rest: readonly string[]): string =>
  contentPath(uid, documentId, 'comments', ...rest)

const localeOf = ({ locale }: ActedOn) => (locale === null ? {} : { query: { locale } })

export const commentsQuery = (entry: ActedOn) =>
  queryOptions({
    queryKey: ['comments', entry.uid, entry.documentId, entry.locale],
    queryFn: async ({ signal }): Promise<CommentList> => {
      const sent = { ...localeOf(entry), signal }
      const { data, meta } = await request<readonly EntryComment[], Omit<CommentList, 'comments'>>(
        'GET',
        commentsPath(entry),
        sent,
      )
      return { comments: data, people: meta.people, review: meta.review }
    },
    refetchInterval: REFRESH_MS,
  })

/** The requests of this window whose events have not arrived, and whether each one succeeded. */
const ownRequests = new Map<string, Promise<boolean>>()

/** Whether a request of this window made the change. The window reads the discussion after each of its requests. */
export async function isOwnDiscussion(requestId: string): Promise<boolean> {
  const own = ownRequests.get(requestId)
  ownRequests.delete(requestId)
  return own !== undefined && (await own)
}

async function write(method: Method, path: string, sent: Sent): Promise<void> {
  const requestId = randomName()
  const writing = request(method, path, { ...sent, requestId })
  const isWritten = writing.then(
    () => true,
    () => false,
  )
  ownRequests.set(requestId, isWritten)
  await writing
}

export async function addComment(
  entry: ActedOn,
  attribute: string | null,
  input: CommentInput,
): Promise<void> {
  const body = { ...input, attribute }
  await write('POST', commentsPath(entry), { ...localeOf(entry), body })
}

export async function changeComment(
  entry: ActedOn,
  id: string,
  body: Partial<CommentInput> & { readonly resolved?: boolean },
): Promise<void> {
  await write('PUT', commentsPath(entry, id), { ...localeOf(entry), body })
}

export async function deleteComment(entry: ActedOn, id: string): Promise<void> {
  await write('DELETE', commentsPath(entry, id), localeOf(entry))
}

/** With `etag`, only if the draft has not changed since it was read. */
export async function changeReview(
  entry: ActedOn,
  body: { readonly stage?: string; readonly assignee?: string | null },
  etag: string | null,
): Promise<void> {
  const ifMatch = etag === null ? {} : { ifMatch: etag }
  const path = contentPath(entry.uid, entry.documentId, 'review')
  await write('PUT', path, { ...localeOf(entry), ...ifMatch, body })
}
