import type { Action, Actions } from '../access/actions.ts'
import type { SecondFactorPolicy } from '../../base/config/sections.ts'
import type { Grants } from '../access/principal.ts'
import type { VersionedCache } from '../../mongo/system/versioned-cache.ts'
import { openSigner } from '../sign-in/signer.ts'
import { NO_RULES } from '../rules/bound-rules.ts'
import type { RuleBinder } from '../rules/rule-binder.ts'
import { mayHaveSecondFactor } from './second-factor.ts'
import type { KnownStaff } from './staff.ts'

export interface PreviewToken {
  readonly token: string
  readonly expiresAt: Date
}

export interface PreviewTokens {
  /** Valid for one hour. A new password ends it earlier. Returns null for an unknown administrator. */
  sign(administrator: string): Promise<PreviewToken | null>
  /** Returns null if the token is invalid or expired, or the administrator was deleted. */
  identify(token: string): Promise<Grants | null>
}

export interface PreviewTokensOptions {
  readonly secret: string
  readonly actions: Actions
  readonly versionedCache: Pick<VersionedCache<KnownStaff>, 'current'>
  readonly binder: RuleBinder
  readonly secondFactor: SecondFactorPolicy
  readonly now: () => Date
}

const LIVES_MS = 60 * 60 * 1_000
const TOKEN = /^preview-([a-z0-9]{24})-(\d{1,9})-(\d{1,11})-([0-9a-f]{64})$/

/** Format: `preview-<administrator>-<epoch>-<expiry in seconds>-<signature>`. Tokens are not stored. */
export function openPreviewTokens(options: PreviewTokensOptions): PreviewTokens {
  const { secret, actions, versionedCache, binder, secondFactor, now } = options
  const signer = openSigner(secret, 'quire preview tokens')
  return {
    sign: async (administrator) => {
      const row = (await versionedCache.current()).administrators.find(
        ({ _id }) => _id === administrator,
      )
      if (row === undefined) return null
      const end = Math.floor((now().getTime() + LIVES_MS) / 1_000)
      const signed = `preview-${administrator}-${row.epoch}-${end}`
      const token = `${signed}-${signer.sign(signed).toString('hex')}`
      return { token, expiresAt: new Date(end * 1_000) }
    },
    identify: async (token) => {
      const [, administrator = '', epoch, end, signature = ''] = TOKEN.exec(token) ?? []
      const signed = `preview-${administrator}-${epoch}-${end}`
      if (!signer.isSigned(Buffer.from(signature, 'hex'), signed)) return null
      if (Number(end) * 1_000 <= now().getTime()) return null
      const known = await versionedCache.current()
      const row = known.administrators.find(({ _id }) => _id === administrator)
      if (row === undefined || !mayHaveSecondFactor(secondFactor, known, row)) return null
      const reads = readsOf(known, administrator, Number(epoch), actions)
      const ruled = known.ruled.get(administrator)
      if (reads === null || ruled === undefined) return reads
      return ruledReadsOf(reads, await binder.bind(ruled, administrator))
    },
  }
}

/** Excludes permissions that are restricted to locales, because routes under `/api` do not check them. */
function readsOf(
  { administrators, rights }: KnownStaff,
  administrator: string,
  epoch: number,
  { all }: Actions,
): ReadonlySet<string> | null {
  const row = administrators.find(({ _id }) => _id === administrator)
  const held = rights.get(administrator)
  if (row === undefined || held === undefined || row.epoch !== epoch) return null
  const names = all.filter(isPreviewed).map(({ name }) => name)
  return new Set(names.filter((name) => held.get(name) === null))
}

function ruledReadsOf(reads: ReadonlySet<string>, { rules }: Grants): Grants {
  if (rules === undefined) return reads
  const isRead = (action: string): boolean =>
    PREVIEWED_VERBS.has(action.slice(action.lastIndexOf('.') + 1))
  return {
    has: (action) => reads.has(action),
    rules: { ...rules, rulesFor: (action) => (isRead(action) ? rules.rulesFor(action) : NO_RULES) },
  }
}

const PREVIEWED_VERBS: ReadonlySet<string> = new Set(['find', 'findOne', 'readDrafts'])

function isPreviewed({ subject, verb }: Action): boolean {
  const isContent = subject.startsWith('api::') || subject === 'plugin::upload.content-api'
  return isContent && PREVIEWED_VERBS.has(verb)
}
