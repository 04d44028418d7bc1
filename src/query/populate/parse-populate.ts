import { didYouMean } from '../../base/near-miss.ts'
import type { ShapePlan, ContentTypePlan, RelationPlan } from '../../schema/plan.ts'
import {
  getPopulatable,
  isHidden,
  type Populatable,
  populatablesOf,
} from './parse-populate-attributes.ts'
import { misplacedText, namingLevel } from './parse-populate-errors.ts'
import {
  type PopulateRequest,
  ASKED_PLAINLY,
  type PopulateTree,
  readPopulate,
} from './parse-populate-form.ts'
import {
  assertOptions,
  assertWithinComponent,
  FRAGMENT_OPTIONS,
  type Options,
  parseCount,
  parseEntryOptions,
  parseRange,
} from './parse-populate-options.ts'
import { parseZone } from './parse-populate-zone.ts'
import { bothFilters, relationTo, ruledTarget } from '../ruled-type.ts'
import { dottedPath, invalidValue, unusableKey } from '../query-error.ts'
import type {
  ComponentNode,
  PopulateNode,
  QueryRules,
  RelationNode,
  FileUsageNode,
} from '../query.ts'

export type PopulateRules = Pick<
  QueryRules,
  'mayRead' | 'target' | 'defaultLimit' | 'maxLimit' | 'fileHolder' | 'components'
>

export const POPULATE_LIMITS = { nodes: 100, depth: 20 } as const

type Selection = Pick<ComponentNode, 'mode' | 'fields' | 'filter' | 'sort' | 'populate'>

const PLAIN: Selection = { mode: 'entries', fields: 'all', filter: null, sort: [], populate: [] }

interface Scope {
  readonly holder: ShapePlan
  /** Null at the root. A nested `populate` starts a new path, as in the reference. */
  readonly parent: string | null
  readonly depth: number
  readonly isBelowRelation: boolean
  readonly count: { nodes: number }
  /** Outermost first: `category.populate`. */
  readonly trail: string[]
  readonly rules: PopulateRules
}

interface Target {
  readonly holder: ShapePlan | null
  readonly options: ReadonlySet<string>
  readonly hasIds: boolean
}

const PARAM = 'populate'
const ENTRY_OPTIONS: ReadonlySet<string> = new Set([...FRAGMENT_OPTIONS, 'count'])
const LIST_OPTIONS: ReadonlySet<string> = new Set([...ENTRY_OPTIONS, 'pagination'])
const COUNT_ONLY: ReadonlySet<string> = new Set(['count'])

/** In schema order, `localizations` last. Omits unreadable types and everything below. @throws ValidationError */
export function parsePopulate(
  input: unknown,
  holder: ShapePlan,
  rules: PopulateRules,
): readonly PopulateNode[] {
  const trail: string[] = []
  return namingLevel(trail, () =>
    parseForm(input, {
      holder,
      parent: null,
      depth: 0,
      isBelowRelation: false,
      count: { nodes: 0 },
      trail,
      rules,
    }),
  )
}

function parseForm(input: unknown, scope: Scope): readonly PopulateNode[] {
  const asked = readPopulate(input)
  if (asked !== '*') return parseTree(asked, scope)
  return populatablesOf(scope.holder).flatMap(
    (attribute) => parseAttribute(attribute, ASKED_PLAINLY, scope) ?? [],
  )
}

function parseTree(tree: PopulateTree, scope: Scope): readonly PopulateNode[] {
  const nodes = new Map<string, PopulateNode>()
  for (const [name, asked] of tree) {
    const attribute = getPopulatable(name, scope.holder)
    if (attribute === null && isHidden(name, scope.holder)) continue
    if (attribute === null)
      throw unusableKey(name, scope.parent, PARAM, didYouMean(name, shownNames(scope)))
    const node = asked === null ? null : parseAttribute(attribute, asked, scope)
    if (node !== null) nodes.set(name, node)
  }
  return populatablesOf(scope.holder).flatMap(({ name }) => nodes.get(name) ?? [])
}

function shownNames({ holder, rules }: Scope): readonly string[] {
  return populatablesOf(holder)
    .filter((attribute) => attribute.kind !== 'relation' || isSelected(attribute, rules))
    .map(({ name }) => name)
}

function parseAttribute(
  attribute: Populatable,
  asked: PopulateRequest,
  scope: Scope,
): PopulateNode | null {
  if (attribute.kind === 'relation' && !isSelected(attribute, scope.rules)) return null
  countNode(scope)
  const path = dottedPath(scope.parent, attribute.name)
  const at = (target: Target): Selection => parseSelection(asked, target, path, scope)
  switch (attribute.kind) {
    case 'relation':
      return parseRelation(attribute, asked, path, scope)
    case 'component': {
      const target = { holder: attribute.component(), options: ENTRY_OPTIONS, hasIds: false }
      return { kind: 'component', component: attribute, ...at(target) }
    }
    case 'media':
      return { kind: 'media', media: attribute, ...at(fileTarget(scope.rules)) }
    case 'localizations': {
      const { plan, condition } = ruledTarget(attribute.plan, scope.rules)
      const selection = at({ holder: plan, options: ENTRY_OPTIONS, hasIds: false })
      const filter = bothFilters(selection.filter, condition)
      return { kind: 'localizations', plan, ...selection, filter }
    }
    case 'users': {
      const selection = at({ holder: null, options: COUNT_ONLY, hasIds: false })
      return toUsers(attribute.types, selection, scope.rules)
    }
    case 'dynamiczone':
      return parseZone(attribute, asked, path, {
        holder: scope.holder,
        components: scope.rules.components,
        select: (within, holder, at) =>
          parseSelection(within, { holder, options: FRAGMENT_OPTIONS, hasIds: false }, at, scope),
      })
  }
}

function parseRelation(
  relation: RelationPlan,
  asked: PopulateRequest,
  path: string,
  scope: Scope,
): RelationNode {
  const options = relation.toMany ? LIST_OPTIONS : ENTRY_OPTIONS
  const seen = ruledTarget(relation.target(), scope.rules)
  const target = { holder: seen.plan, options, hasIds: true }
  const selection = parseSelection(asked, target, path, { ...scope, isBelowRelation: true })
  const range = rangeOf(asked, path, scope) ?? defaultRange(relation, selection, scope)
  const filter = bothFilters(selection.filter, seen.condition)
  return { kind: 'relation', relation: relationTo(relation, seen), ...selection, filter, range }
}

function isSelected({ unshown, targetUid }: RelationPlan, { mayRead }: PopulateRules): boolean {
  return unshown !== true && mayRead(targetUid)
}

function fileTarget({ fileHolder: holder }: PopulateRules): Target {
  return { holder, options: holder === null ? COUNT_ONLY : ENTRY_OPTIONS, hasIds: true }
}

function toUsers(
  types: readonly ContentTypePlan[],
  { mode }: Selection,
  rules: PopulateRules,
): FileUsageNode {
  const shown = types.filter((plan) => rules.mayRead(plan.uid) && seesAll(plan, rules))
  return { kind: 'users', mode: mode === 'count' ? mode : 'entries', types: shown }
}

/** A file does not show its users of types with a rule. */
function seesAll(type: ContentTypePlan, rules: PopulateRules): boolean {
  const { plan, condition } = ruledTarget(type, rules)
  return plan === type && condition === null
}

function countNode({ count, depth }: Scope): void {
  if (depth >= POPULATE_LIMITS.depth) {
    throw invalidValue(PARAM, `at most ${POPULATE_LIMITS.depth} levels`)
  }
  count.nodes += 1
  if (count.nodes > POPULATE_LIMITS.nodes) {
    throw invalidValue(PARAM, `at most ${POPULATE_LIMITS.nodes} attributes in one request`)
  }
}

function rangeOf(asked: PopulateRequest, path: string, { rules }: Scope): RelationNode['range'] {
  return asked.kind === 'options' ? parseRange(asked.options, path, rules) : null
}

/** Inverse sides are unlimited and would multiply with each level. */
function defaultRange(
  { side, toMany }: RelationPlan,
  { mode }: Selection,
  { isBelowRelation, rules }: Scope,
): RelationNode['range'] {
  const isBounded = isBelowRelation && toMany && side === 'inverse' && mode !== 'count'
  return isBounded ? { start: 0, limit: rules.defaultLimit } : null
}

function parseSelection(
  asked: PopulateRequest,
  target: Target,
  path: string,
  scope: Scope,
): Selection {
  switch (asked.kind) {
    case 'below':
      return { ...PLAIN, populate: parseBelow(asked.below, target.holder, path, scope) }
    case 'options':
      return parseOptions(asked.options, target, path, scope)
    case 'text':
      if (asked.text === 'ids' && target.hasIds) return { ...PLAIN, mode: 'ids' }
      throw misplacedText(asked.text, target.holder, path)
  }
}

function parseBelow(
  tree: PopulateTree,
  holder: ShapePlan | null,
  path: string,
  scope: Scope,
): readonly PopulateNode[] {
  if (holder !== null) {
    return parseTree(tree, { ...scope, holder, parent: path, depth: scope.depth + 1 })
  }
  for (const name of tree.keys()) throw unusableKey(name, path, PARAM)
  return []
}

function parseOptions(options: Options, target: Target, path: string, scope: Scope): Selection {
  assertOptions(options, target.options, path)
  const mode = parseCount(options, path) ? 'count' : 'entries'
  const { holder } = target
  if (holder === null) return { ...PLAIN, mode }
  const inner: Scope = { ...scope, holder, parent: null, depth: scope.depth + 1 }
  const within = <T>(option: string, parse: () => T): T => {
    scope.trail.push(`${path}.${option}`)
    const parsed = parse()
    scope.trail.pop()
    return parsed
  }
  const asked = parseEntryOptions(options, holder, scope.rules, within)
  if (!isDocument(holder)) assertWithinComponent(asked, path)
  const populate = within('populate', () => parseForm(options.get('populate'), inner))
  return { mode, ...asked, populate }
}

function isDocument(holder: ShapePlan): boolean {
  return holder.members.has('documentId')
}
