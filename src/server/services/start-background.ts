import type { Logger } from 'pino'
import { readVersion } from '../../base/config/version.ts'
import { ruledAdministrator } from '../../people/administrators/principals.ts'
import type { Locales } from '../../content/locales/locales.ts'
import { type CommitLog, openCommitLog } from '../../mongo/commits/commit-log.ts'
import { openPlanning, type Planning } from '../../content/planning/open-planning.ts'
import { openPurger, type Purger } from '../../changes/purges/purger.ts'
import { type ForeignFollower, openForeignFollower } from '../../changes/foreign/follow-foreign.ts'
import { openSearchFollower, type SearchFollower } from '../../changes/search/follow-search.ts'
import type { SearchWriter } from '../../changes/search/search-writer.ts'
import {
  openWebhooks,
  type Webhooks,
  type WebhooksOptions,
} from '../../changes/webhooks/open-webhooks.ts'
import {
  openUserContent,
  type UserContentWork,
} from '../../content/deleted-users/open-user-content.ts'
import { removeUser } from '../../people/accounts/delete-account.ts'
import { type AnonymousSweep, openAnonymousSweep } from '../../people/accounts/sweep-anonymous.ts'
import type { FileTrash } from '../../media/file-trash.ts'
import type { Media } from './open-media.ts'
import type { AccessControl } from './open-access-control.ts'
import type { Base } from './open-base.ts'
import { logUnfollowed } from './log-unfollowed.ts'
import { settleInBackground, type SettlingStates } from './settle-in-background.ts'

export interface Background {
  readonly commitLog: CommitLog
  readonly webhooks: Webhooks
  readonly planning: Planning
  readonly purger: Purger
  readonly states: SettlingStates
  readonly userContent: UserContentWork
  readonly anonymousSweep: AnonymousSweep
  readonly searchFollower: SearchFollower
  readonly foreignFollower: ForeignFollower
}

interface BackgroundParts {
  readonly locales: Locales
  readonly log: Logger
  readonly media: Pick<Media, 'trash' | 'retired' | 'resumable'>
  /** Of the search index. */
  readonly writer: SearchWriter
}

export async function startBackground(
  base: Base,
  { access, accounts, administrators }: AccessControl,
  { locales, log, writer, media }: BackgroundParts,
): Promise<Background> {
  const { config, database, schema, documents } = base
  const { now } = documents
  const parts = { database, schema, locales, access, administrators, now, writer }
  const { logRetentionDays: retentionDays, historyDays } = config.database
  const keeping = { retentionDays, historyDays, onBackgroundError: warnOf(log, 'The commit log') }
  const commitLog = await openCommitLog({ ...parts, ...keeping })
  const send = { ...config.webhooks, version: readVersion() }
  const onMissed = (missed: object): void =>
    log.warn(missed, 'A webhook missed commits that the log no longer holds')
  const telling = {
    principals: principalsOf(access, administrators),
    send,
    bounds: config.api.answer,
    onBackgroundError: warnOf(log, 'Webhooks'),
  }
  const webhooks = await openWebhooks({ ...parts, ...telling, onMissed, commitLog })
  const schedules = { onBackgroundError: warnOf(log, 'Schedules'), trash: sweeperOf(media) }
  const planning = await openPlanning({ ...parts, documents, ...schedules })
  const purging = { ...config.cache, commitLog, onBackgroundError: warnOf(log, 'Purges') }
  const purger = await openPurger({ ...parts, ...purging })
  const userContent = await openUserContent({
    documents,
    contentTypes: schema.contentTypes,
    removeMoved: (documentId) => removeUser(accounts, { documentId }),
    onBackgroundError: warnOf(log, 'The content of deleted users'),
  })
  const sweeping = { onBackgroundError: warnOf(log, 'The deletion of idle anonymous users') }
  const anonymousSweep = openAnonymousSweep(accounts, sweeping)
  const searching = { ...parts, commitLog, onBackgroundError: warnOf(log, 'The search index') }
  const searchFollower = await openSearchFollower(searching)
  const settling = { ...parts, onBackgroundError: warnOf(log, 'The states of entries') }
  return {
    commitLog,
    webhooks,
    planning,
    purger,
    userContent,
    anonymousSweep,
    searchFollower,
    foreignFollower: await followForeign(base, log),
    states: settleInBackground(settling),
  }
}

function principalsOf(
  access: AccessControl['access'],
  administrators: AccessControl['administrators'],
): WebhooksOptions['principals'] {
  return { access, ruledAdministrator: (id) => ruledAdministrator(administrators, id) }
}

function followForeign(
  { database, schema, documents: { now }, entered }: Base,
  log: Logger,
): Promise<ForeignFollower> {
  logUnfollowed(schema, log)
  return openForeignFollower({
    database,
    schema,
    now,
    findOthers: () => database.findOtherReleases(entered.digest),
    onLost: (types) => log.warn({ types }, 'Changes of adopted collections were lost'),
    onBackgroundError: warnOf(log, 'The change stream of adopted collections'),
  })
}

function sweeperOf({
  trash,
  retired,
  resumable,
}: BackgroundParts['media']): Pick<FileTrash, 'sweep'> {
  return {
    sweep: async (before) => {
      await resumable.sweep()
      await retired.finish()
      return trash.sweep(before)
    },
  }
}

export async function closeBackground(background: Background): Promise<void> {
  await background.states.close()
  await background.foreignFollower.close()
  await background.searchFollower.close()
  await background.anonymousSweep.close()
  await background.userContent.close()
  await background.planning.close()
  await background.purger.close()
  await background.webhooks.close()
  await background.commitLog.close()
}

function warnOf(log: Logger, what: string): (error: unknown) => void {
  return (err) => log.warn({ err }, `${what} failed`)
}
