import type { AfterCommit } from '../../../src/extensions/commit-follower.ts'
import type { FollowerTimes } from '../../../src/extensions/extension-host.ts'
import type { ContentService } from '../../../src/extensions/content-service.ts'
import {
  type FailedFollower,
  type Followers,
  openFollowers,
} from '../../../src/changes/extensions/open-followers.ts'
import type { MissedCommits } from '../../../src/changes/follow-log.ts'
import type { Author } from '../../../src/mongo/connection/authorship.ts'
import { ensureHead, type Head, readHead } from '../../../src/mongo/commits/heads.ts'
import { openTestDatabase } from '../../support/test-database.ts'

export const ARTICLE = 'api::article.article'

export interface WrittenCommit {
  /** One document or several. */
  readonly documents: readonly string[]
  readonly by?: Author
  readonly type?: string
  readonly locale?: string
}

/** A log whose commits the test writes, and processes that follow it. */
export async function openFollowedLog(label: string) {
  const opened = await openTestDatabase(label)
  const { database } = opened
  await ensureHead(database)
  const listeners = new Set<(head: Head) => void>()
  let head = await readHead(database)
  const failures: FailedFollower[] = []
  const missed: (MissedCommits & { readonly extension: string })[] = []
  const errors: unknown[] = []
  const open: Followers[] = []
  let ms = 0
  const move = async (changes: Partial<Head>): Promise<void> => {
    await database.collection<Head>('quire_heads').updateOne({ _id: 'main' }, { $set: changes })
    head = await readHead(database)
    for (const listener of listeners) listener(head)
  }
  return {
    database,
    failures,
    missed,
    errors,
    move,
    /** Moves the clock of all processes. */
    pass: (by: number): void => {
      ms += by
      for (const listener of listeners) listener(head)
    },
    /** Returns the id of the last commit. */
    commit: async (...commits: readonly WrittenCommit[]): Promise<string> => {
      const rows = commits.map(({ documents, by, type = ARTICLE, locale = '' }, index) => ({
        _id: `commit ${String(head.seq + index + 1).padStart(6, '0')}`,
        seq: head.seq + index + 1,
        at: new Date(),
        by: by ?? { kind: 'root', id: null, name: null },
        requestId: null,
        items: documents.map((documentId) => ({
          type,
          documentId,
          locale,
          status: 'published',
          op: 'put',
          revision: 'r',
        })),
      }))
      await database.collection<{ _id: string }>('quire_commits').insertMany(rows)
      await move({ seq: head.seq + rows.length })
      return rows.at(-1)?._id ?? ''
    },
    /** Starts a process. */
    follow: async (
      extensions: Readonly<Record<string, AfterCommit>>,
      times: FollowerTimes = {},
      type = ARTICLE,
    ): Promise<Followers> => {
      const registered = Object.entries(extensions).map(([extension, run]) => ({ extension, run }))
      const followers = await openFollowers({
        database,
        extensions: { afterCommit: new Map([[type, registered]]) },
        commitLog: {
          head: () => head,
          onHead: (listener) => {
            listeners.add(listener)
            return () => listeners.delete(listener)
          },
        },
        content: (call) => ({ call }) as unknown as ContentService,
        now: () => new Date(Date.now() + ms),
        onFailure: (failed) => failures.push(failed),
        onMissed: (one) => missed.push(one),
        onBackgroundError: (error) => errors.push(error),
        times,
      })
      open.push(followers)
      return followers
    },
    stopAll: async (): Promise<void> => {
      await Promise.all(open.splice(0).map((followers) => followers.close()))
    },
    close: async (): Promise<void> => {
      await Promise.all(open.splice(0).map((followers) => followers.close()))
      await opened.drop()
    },
  }
}

export type FollowedLog = Awaited<ReturnType<typeof openFollowedLog>>
