import type { DocumentContext } from '../../content/context.ts'
import {
  isVersionVisible,
  matcherOf,
  mayUnderRules,
  singleReadVerb,
  visibleDocuments,
} from '../../content/rules/visible-documents.ts'
import { readsUnderRules } from '../../content/rules/permit-write.ts'
import type { WriteRules, WriteVerb } from '../../content/write-rules.ts'
import { linksOf } from '../../mongo/versions/link-index.ts'
import { relationListOf } from '../../mongo/versions/stored-value.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { contentAction, type ContentVerb } from '../../people/access/actions.ts'
import type { Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { AttributePlan, ContentTypePlan, RelationPlan } from '../../schema/plan.ts'
import { compileShape } from '../sync/row-shape.ts'
import type { Attributes } from './merge-patch.ts'

export interface PushReader {
  readonly documents: DocumentContext
  readonly rules: WriteRules
}

/** The actions that a push needs besides those of its write. `push` takes no rule. The write applies those of `publish`. */
export function missingAction(
  rules: WriteRules,
  plan: ContentTypePlan,
  status: Status,
): string | null {
  const isDraft = plan.draftAndPublish && status === 'draft'
  const isPublished = plan.draftAndPublish && status === 'published'
  const push = contentAction(plan, 'push')
  if (!rules.has(push)) return push
  const verbs: readonly ContentVerb[] = [
    singleReadVerb(plan),
    ...(isDraft ? (['readDrafts'] as const) : []),
    ...(isPublished ? (['publish'] as const) : []),
  ]
  const missing = verbs.find((verb) => !mayUnderRules(rules, plan, verb))
  return missing === undefined ? null : contentAction(plan, missing)
}

/** The attributes of sync rows that the caller may read. */
export function pushedAttributes(
  { rules }: PushReader,
  plan: ContentTypePlan,
  status: Status,
): Attributes {
  const verbs: readonly ContentVerb[] =
    plan.draftAndPublish && status === 'draft'
      ? [singleReadVerb(plan), 'readDrafts']
      : [singleReadVerb(plan)]
  const isShown = (name: string): boolean =>
    verbs.every((verb) =>
      rules
        .rulesFor(contentAction(plan, verb))
        .every(({ fields }) => fields === null || fields.has(name)),
    )
  const pushed = [...plan.attributes].filter(
    ([name, attribute]) => isShown(name) && isPushed(rules, attribute),
  )
  return new Map(pushed)
}

function isPushed(rules: WriteRules, attribute: AttributePlan): boolean {
  if (attribute.private || attribute.isHidden === true || attribute.writable === false) return false
  if (attribute.kind === 'scalar') return attribute.computed === undefined
  if (attribute.kind !== 'relation') return true
  if (attribute.side !== 'owner' || attribute.unshown === true) return false
  return mayUnderRules(rules, { uid: attribute.targetUid }, 'find')
}

/** The values of attributes in the shape of sync rows, as the caller may see them. */
export async function rowValues(
  reader: PushReader,
  plan: ContentTypePlan,
  attributes: Attributes,
  version: StoredVersion,
): Promise<Data> {
  const { rules } = reader
  const mayRead = (uid: string): boolean => rules.has(contentAction({ uid }, 'find'))
  const sight = { mayRead, links: readableLinks(reader, attributes, version, mayRead) }
  const shape = compileShape(plan, [...attributes.keys()], sight)
  const shown: Data = JSON.parse(JSON.stringify(shape.show(version))) as Data
  const values: Record<string, unknown> = {}
  for (const [name, attribute] of attributes) {
    values[name] =
      attribute.kind === 'relation' && !mayRead(attribute.targetUid)
        ? await visibleTargets(reader, attribute, version)
        : (shown[name] ?? null)
  }
  return values
}

function readableLinks(
  { documents }: PushReader,
  attributes: Attributes,
  version: StoredVersion,
  mayRead: (uid: string) => boolean,
): ReadonlySet<string> {
  const links = [...attributes.values()].flatMap((one) => linksOf(one, version[one.name]))
  const types = [...new Set(links.map(({ type }) => type))]
  return new Set(
    types.filter((type) => {
      const plan = documents.linkable?.(type) ?? null
      return plan !== null && mayRead(plan.uid)
    }),
  )
}

async function visibleTargets(
  { documents, rules }: PushReader,
  relation: RelationPlan,
  version: StoredVersion,
): Promise<unknown> {
  const ids = relationListOf(version[relation.name])
  const matcher = matcherOf(documents, rules, version.locale)
  const request = { matcher, rules, verb: 'find', session: undefined } as const
  const visible = await visibleDocuments(request, relation.target(), ids)
  const shown = ids.filter((id) => visible.has(id))
  return relation.toMany ? shown : (shown[0] ?? null)
}

/** Whether rules can hide entries from the caller, so that a missing entry must look like a hidden one. */
export function isRuled(rules: WriteRules, plan: ContentTypePlan, verb: WriteVerb): boolean {
  return readsUnderRules(rules, { plan, verb })
}

export function isStoredVisible(
  { documents, rules }: PushReader,
  plan: ContentTypePlan,
  version: StoredVersion,
  locale: string,
): Promise<boolean> {
  return isVersionVisible(documents, rules, { plan, version, locale })
}
