import { didYouMean } from '../../base/near-miss.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ShapePlan, DynamicZonePlan } from '../../schema/plan.ts'
import { getPopulatable } from './parse-populate-attributes.ts'
import { withoutFragment } from './parse-populate-errors.ts'
import {
  type PopulateRequest,
  type PopulateTree,
  readPopulateRequest,
} from './parse-populate-form.ts'
import {
  assertOptions,
  FRAGMENT_OPTIONS,
  type Options,
  parseCount,
} from './parse-populate-options.ts'
import { invalidValue, unknownKey, unusableKey } from '../query-error.ts'
import type { FragmentSelection, QueryRules, ZoneNode } from '../query.ts'

type Fragments = ZoneNode['on']

interface ZoneScope {
  readonly holder: ShapePlan
  readonly components: QueryRules['components']
  readonly select: (asked: PopulateRequest, component: ShapePlan, path: string) => FragmentSelection
}

const PARAM = 'populate'
const ZONE_OPTIONS: ReadonlySet<string> = new Set(['on', 'populate', 'count'])

/** Each component has its own selection, because their members differ. @throws ValidationError */
export function parseZone(
  zone: DynamicZonePlan,
  asked: PopulateRequest,
  path: string,
  scope: ZoneScope,
): ZoneNode {
  switch (asked.kind) {
    case 'below': {
      const on = parseBelow(zone, asked.below, path, scope)
      return { kind: 'zone', zone, mode: 'entries', on }
    }
    case 'options':
      return parseOptions(zone, asked.options, path, scope)
    case 'text':
      if (asked.text === '*') throw withoutFragment(zone, asked.text, scope.holder)
      throw unknownKey(asked.text, path, PARAM)
  }
}

/** At least one component must have the attribute. */
function parseBelow(
  zone: DynamicZonePlan,
  tree: PopulateTree,
  path: string,
  { select }: ZoneScope,
): Fragments {
  const components = [...zone.components()]
  for (const name of tree.keys()) {
    const isKnown = components.some(([, component]) => getPopulatable(name, component) !== null)
    if (!isKnown) throw unusableKey(name, path, PARAM)
  }
  return new Map(
    components.map(([uid, component]): [Uid, FragmentSelection] => {
      const own = [...tree].filter(([name]) => getPopulatable(name, component) !== null)
      return [uid, select({ kind: 'below', below: new Map(own) }, component, path)]
    }),
  )
}

function parseOptions(
  zone: DynamicZonePlan,
  options: Options,
  path: string,
  scope: ZoneScope,
): ZoneNode {
  for (const option of options.keys()) {
    const isOfEntries = FRAGMENT_OPTIONS.has(option) && !ZONE_OPTIONS.has(option)
    if (isOfEntries) throw withoutFragment(zone, option, scope.holder)
  }
  assertOptions(options, ZONE_OPTIONS, path)
  const mode = parseCount(options, path) ? 'count' : 'entries'
  const below = readBelowAll(options.get('populate'), path)
  const on = options.has('on')
    ? parseFragments(zone, options.get('on'), path, scope)
    : parseAll(zone, below, path, scope)
  return { kind: 'zone', zone, mode, on }
}

/** Only `*` can apply to all components at once. */
function readBelowAll(input: unknown, path: string): '*' | undefined {
  if (input === '*') return input
  if (input === undefined || input === '') return undefined
  throw unknownKey(PARAM, path, PARAM)
}

function parseAll(
  zone: DynamicZonePlan,
  below: '*' | undefined,
  path: string,
  { select }: ZoneScope,
): Fragments {
  const asked: PopulateRequest = { kind: 'options', options: new Map([['populate', below]]) }
  return new Map(
    [...zone.components()].map(([uid, component]) => [uid, select(asked, component, path)]),
  )
}

function parseFragments(
  zone: DynamicZonePlan,
  input: unknown,
  path: string,
  { components, select }: ZoneScope,
): Fragments {
  const at = `${path}.on`
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    throw invalidValue(`populate[${path}][on]`, 'expected components by their names')
  }
  const fragments = Object.entries(input).flatMap(([uid, value]): [Uid, FragmentSelection][] => {
    const component = components.get(uid)
    if (component === undefined) {
      throw unusableKey(uid, at, PARAM, didYouMean(uid, zone.components().keys()))
    }
    const asked = readPopulateRequest(value)
    return asked === null ? [] : [[uid, select(asked, component, `${at}.${uid}`)]]
  })
  return new Map(fragments.filter(([uid]) => zone.components().has(uid)))
}
