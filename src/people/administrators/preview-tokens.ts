import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Action, Actions } from '../access/actions.ts'
import type { Grants } from '../access/principal.ts'
import type { VersionedCache } from '../../mongo/system/versioned-cache.ts'
import type { KnownStaff } from './staff.ts'

/** A token by which a page of a preview reads what an administrator may read, drafts included, and nothing else. */
export interface PreviewToken {
  readonly token: string
  readonly expiresAt: Date
}

export interface PreviewTokens {
  /** Good for an hour, and no longer than the administrator's password and rights. Null for who is not there. */
  sign(administrator: string): Promise<PreviewToken | null>
  /** Null for whatever was not signed here, has expired, or is of who is not there any more. */
  identify(token: string): Promise<Grants | null>
}

export interface PreviewTokensOptions {
  readonly secret: string
  /** What can be permitted to everybody. */
  readonly actions: Actions
  readonly versionedCache: Pick<VersionedCache<KnownStaff>, 'current'>
  readonly now: () => Date
}

const LIVES_MS = 60 * 60 * 1_000
const TOKEN = /^preview-([a-z0-9]{24})-(\d{1,9})-(\d{1,11})-([0-9a-f]{64})$/

/** `preview-<administrator>-<epoch>-<second of its end>-<signature>`: nothing is stored of it. */
export function openPreviewTokens(options: PreviewTokensOptions): PreviewTokens {
  const { secret, actions, versionedCache, now } = options
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'quire preview tokens', 32))
  const signatureOf = (signed: string): Buffer => createHmac('sha256', key).update(signed).digest()
  return {
    sign: async (administrator) => {
      const row = (await versionedCache.current()).administrators.find(
        ({ _id }) => _id === administrator,
      )
      if (row === undefined) return null
      const end = Math.floor((now().getTime() + LIVES_MS) / 1_000)
      const signed = `preview-${administrator}-${row.epoch}-${end}`
      const token = `${signed}-${signatureOf(signed).toString('hex')}`
      return { token, expiresAt: new Date(end * 1_000) }
    },
    identify: async (token) => {
      const [, administrator = '', epoch, end, signature = ''] = TOKEN.exec(token) ?? []
      const signed = `preview-${administrator}-${epoch}-${end}`
      const given = Buffer.from(signature, 'hex')
      if (given.length !== 32 || !timingSafeEqual(signatureOf(signed), given)) return null
      if (Number(end) * 1_000 <= now().getTime()) return null
      return readsOf(await versionedCache.current(), administrator, Number(epoch), actions)
    },
  }
}

/** What is permitted in some locales alone is left out: under `/api` nothing asks for them. */
function readsOf(
  { administrators, rights }: KnownStaff,
  administrator: string,
  epoch: number,
  { all }: Actions,
): Grants | null {
  const row = administrators.find(({ _id }) => _id === administrator)
  const held = rights.get(administrator)
  if (row === undefined || held === undefined || row.epoch !== epoch) return null
  const names = all.filter(isPreviewed).map(({ name }) => name)
  return new Set(names.filter((name) => held.get(name) === null))
}

const PREVIEWED_VERBS: ReadonlySet<string> = new Set(['find', 'findOne', 'readDrafts'])

/** Entries and files only: no end users, roles, copies for devices or named queries. */
function isPreviewed({ subject, verb }: Action): boolean {
  const isContent = subject.startsWith('api::') || subject === 'plugin::upload.content-api'
  return isContent && PREVIEWED_VERBS.has(verb)
}
