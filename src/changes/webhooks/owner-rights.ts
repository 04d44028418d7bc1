import type { Access } from '../../people/access/access.ts'
import { contentAction, pluginAction } from '../../people/access/actions.ts'
import { may, mayIn } from '../../people/access/permissions.ts'
import { type Principal, rulesFor } from '../../people/access/principal.ts'
import type { LocaleList } from '../../content/locales/locales.ts'
import type { Author } from '../../mongo/connection/authorship.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { FILE, type Subscription } from './events.ts'
import type { WebhookRow } from './webhook.ts'

/** Resolves authors to principals with their current rights and rules; null for removed or blocked authors. */
export interface Principals {
  readonly access: Pick<Access, 'ruledPrincipalOfAuthor'>
  readonly ruledAdministrator: (id: string) => Promise<Principal | null>
}

/** Why a message has no content: the creator has only rules for the type, lacks a permission, or was removed or blocked. */
export type Withheld = 'rules' | 'permission' | 'creator'

export interface OwnerRights {
  mayFind(uid: string): boolean
  mayReadDrafts(uid: string): boolean
  /** Null if the content may be sent. */
  withheld(plan: ContentTypePlan, locale: string, isDraft: boolean): Withheld | null
}

type OwnedRow = Pick<WebhookRow, 'by' | 'types' | 'events'>

const FIND_FILES = pluginAction('plugin::upload.content-api', 'find')

export function actionsOfWebhook(
  { contentTypes }: Pick<Schema, 'contentTypes'>,
  { types, events }: Pick<Subscription, 'types' | 'events'>,
): readonly string[] {
  const plans = [...contentTypes.values()].filter(
    ({ uid }) => uid.startsWith('api::') && (types === null || types.includes(uid)),
  )
  const ofEntries = events.some((event) => event.startsWith('entry.'))
  const ofMedia = events.some((event) => event.startsWith('media.'))
  const drafts = plans.filter(({ draftAndPublish }) => draftAndPublish)
  return [
    ...(ofEntries ? plans.map((plan) => contentAction(plan, 'find')) : []),
    ...(ofEntries ? drafts.map((plan) => contentAction(plan, 'readDrafts')) : []),
    ...(ofMedia ? [FIND_FILES] : []),
  ]
}

/** The current rights of the creator. Rows from older releases have exactly the required rights. */
export async function ownerRights(
  { principals, schema }: { readonly principals: Principals; readonly schema: Schema },
  row: OwnedRow,
  locales: LocaleList,
): Promise<OwnerRights> {
  if (row.by === undefined) return rightsOf(legacyOwner(schema, row), locales)
  const principal = await principalNow(principals, row.by)
  return principal === null ? NO_RIGHTS : rightsOf(principal, locales)
}

function principalNow(
  { access, ruledAdministrator }: Principals,
  by: Author,
): Promise<Principal | null> {
  if (by.kind === 'administrator') return ruledAdministrator(String(by.id))
  return access.ruledPrincipalOfAuthor(by)
}

const NO_RIGHTS: OwnerRights = {
  mayFind: () => false,
  mayReadDrafts: () => false,
  withheld: () => 'creator',
}

function legacyOwner(schema: Schema, row: OwnedRow): Principal {
  return { kind: 'anonymous', grants: new Set(actionsOfWebhook(schema, row)) }
}

function rightsOf(principal: Principal, { all }: LocaleList): OwnerRights {
  const every = all.map(({ code }) => code)
  // As in the reference, payloads show content and files but no end users.
  const isContent = (uid: string): boolean => uid.startsWith('api::')
  const inEvery = (uid: string, verb: 'find' | 'readDrafts'): boolean =>
    isContent(uid) && mayIn(principal, contentAction({ uid }, verb), every)
  return {
    mayFind: (uid) => (uid === FILE ? may(principal, FIND_FILES) : inEvery(uid, 'find')),
    mayReadDrafts: (uid) => inEvery(uid, 'readDrafts'),
    withheld: (plan, locale, isDraft) => {
      if (plan.uid === FILE) return may(principal, FIND_FILES) ? null : 'permission'
      if (!isContent(plan.uid)) return 'permission'
      const verbs =
        isDraft && plan.draftAndPublish ? (['find', 'readDrafts'] as const) : (['find'] as const)
      const codes = plan.localized ? [locale] : []
      const missing = verbs
        .map((verb) => contentAction(plan, verb))
        .filter((action) => !mayIn(principal, action, codes))
      if (missing.length === 0) return null
      const isRuled = missing.every((action) => rulesFor(principal, action).length > 0)
      return isRuled ? 'rules' : 'permission'
    },
  }
}
