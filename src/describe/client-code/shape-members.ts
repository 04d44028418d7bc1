import { populatablesOf } from '../../query/populate/parse-populate-attributes.ts'
import { FILE_UID, type ScalarType } from '../../schema/definition.ts'
import type { ComponentAttributePlan, ShapePlan, ScalarPlan } from '../../schema/plan.ts'
import { SCALAR_KINDS } from '../../schema/values/attribute-kinds.ts'
import { type CodeScope, type Member, quoted } from './code.ts'
import { publicScalars, storedScalars } from '../openapi/read-parameters.ts'

const TYPESCRIPT_TYPES: Readonly<Record<ScalarType, string>> = {
  string: 'string',
  text: 'string',
  richtext: 'string',
  email: 'string',
  uid: 'string',
  password: 'string',
  enumeration: 'string',
  integer: 'number',
  float: 'number',
  decimal: 'number',
  biginteger: 'string',
  boolean: 'boolean',
  date: 'string',
  time: 'string',
  datetime: 'string',
  timestamp: 'string',
  json: 'unknown',
  blocks: 'quire.Blocks',
  location: 'quire.Location',
}

const NEVER_NULL: ReadonlySet<string> = new Set(['id', 'documentId', 'createdAt', 'updatedAt'])

export type VersionState = 'published' | 'draft'

export function fieldMembers(
  holder: ShapePlan,
  shown: 'always' | 'on request',
  state: VersionState,
): readonly Member[] {
  return publicScalars(holder)
    .filter(({ onRequest }) => onRequest === (shown === 'on request'))
    .map((plan) => [plan.name, fieldType(plan, holder, state)])
}

/** A published entry has a value for each required attribute. A draft may lack it. */
export function fieldType(plan: ScalarPlan, holder: ShapePlan, state: VersionState): string {
  const { name, required, type } = plan
  const special = holder.uid === FILE_UID ? FILE_VALUES[name] : undefined
  if (special !== undefined) return `${special} | null`
  const isThere = isAlwaysSet(plan) || type === 'json'
  const isFilled = required && (state === 'published' || !mayBeUnfinished(holder))
  return isThere || isFilled ? valueType(plan) : `${valueType(plan)} | null`
}

function isAlwaysSet({ name, system, nullable = false }: ScalarPlan): boolean {
  return system && !nullable && NEVER_NULL.has(name)
}

/** The names of the required attributes that a draft may lack, as a union. Null if there are none. */
export function unfinishedNames(holder: ShapePlan): string | null {
  const names = publicScalars(holder).filter(({ required }) => required && mayBeUnfinished(holder))
  return names.length === 0 ? null : names.map(({ name }) => quoted(name)).join(' | ')
}

/** Components may be part of drafts. */
function mayBeUnfinished(holder: ShapePlan): boolean {
  return !('draftAndPublish' in holder) || holder.draftAndPublish === true
}

const FILE_VALUES: Readonly<Record<string, string>> = {
  formats: 'quire.FileFormats',
  focalPoint: 'quire.FocalPoint',
}

export function filterMembers(holder: ShapePlan): readonly Member[] {
  return storedScalars(holder).map((plan) => [plan.name, filterType(plan)])
}

function filterType(plan: ScalarPlan): string {
  const { textual, ordered } = SCALAR_KINDS[plan.type]
  if (plan.type === 'location') return 'quire.LocationFilter'
  if (textual)
    return plan.limits.enum === undefined
      ? 'quire.TextFilter'
      : `quire.TextFilter<${valueType(plan)}>`
  return ordered
    ? `quire.OrderedFilter<${OPERANDS[plan.type] ?? valueType(plan)}>`
    : 'quire.PlainFilter'
}

/** Types that clients use. The server parses their text form. */
const OPERANDS: Readonly<Partial<Record<ScalarType, string>>> = {
  date: 'string | globalThis.Date',
  datetime: 'string | globalThis.Date',
  timestamp: 'string | globalThis.Date',
  biginteger: 'string | number | bigint',
}

export function linkMembers(holder: ShapePlan, scope: CodeScope): readonly Member[] {
  return populatablesOf(holder).flatMap((one): readonly Member[] => {
    switch (one.kind) {
      case 'relation': {
        if (one.unshown === true || !scope.mayRead(one.targetUid)) return []
        return [[one.name, link(one.toMany, scope.nameOf(one.targetUid))]]
      }
      case 'component':
        return [[one.name, componentLink(one, scope)]]
      case 'media':
        return [[one.name, link(one.multiple, scope.nameOf(one.files.targetUid))]]
      case 'localizations':
        return [[one.name, link(true, scope.nameOf(one.plan.uid))]]
      case 'dynamiczone': {
        const uids = [...one.components().keys()]
        const components = uids.map((uid) => `${quoted(uid)}: ${scope.nameOf(uid)}`)
        return [[one.name, `quire.Zone<{ ${components.join('; ')} }>`]]
      }
      case 'users': // of any type, which cannot be expressed
        return []
    }
  })
}

function componentLink(attribute: ComponentAttributePlan, scope: CodeScope): string {
  const { repeatable, required } = attribute
  const name = scope.nameOf(attribute.component().uid)
  return required && !repeatable ? `quire.RequiredOne<${name}>` : link(repeatable, name)
}

function link(many: boolean, target: string): string {
  return `quire.${many ? 'Many' : 'One'}<${target}>`
}

export function valueType({ type, limits }: Pick<ScalarPlan, 'type' | 'limits'>): string {
  const { enum: values } = limits
  if (type === 'blocks' && limits.extended) return 'quire.ExtendedBlocks'
  return type === 'enumeration' && values !== undefined
    ? values.map(quoted).join(' | ')
    : TYPESCRIPT_TYPES[type]
}
