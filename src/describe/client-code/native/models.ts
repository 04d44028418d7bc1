import { contentAction, queryAction } from '../../../people/access/actions.ts'
import { nameQueries, nameSchemas } from '../../openapi/schema-names.ts'
import {
  type Populatable,
  populatablesOf,
} from '../../../query/populate/parse-populate-attributes.ts'
import { compileQueries } from '../../../query/named/compile-queries.ts'
import type { NamedQuery } from '../../../query/named/named-query.ts'
import { showEntry, type ShownEntry, type ShownLink } from '../../../query/named/shown-entry.ts'
import type { ParameterDefinition, ScalarType } from '../../../schema/definition.ts'
import type { ShapePlan, ScalarPlan } from '../../../schema/plan.ts'
import type { CodeFacts } from '../write-typescript.ts'

export type ValueType =
  | { readonly kind: 'text' | 'integer' | 'number' | 'flag' | 'json' }
  | { readonly kind: 'enumeration' | 'model' | 'union'; readonly name: string }
  | { readonly kind: 'list'; readonly of: ValueType }

export interface Field {
  readonly key: string
  readonly type: ValueType
  readonly isOptional: boolean
}

export interface Model {
  readonly name: string
  readonly fields: readonly Field[]
}

export interface Enumeration {
  readonly name: string
  readonly values: readonly string[]
}

export interface Union {
  readonly name: string
  readonly cases: readonly { readonly component: string; readonly model: string }[]
}

export interface QueryCode {
  readonly name: string
  readonly isOne: boolean
  readonly model: string
  readonly parameters: readonly {
    readonly name: string
    readonly type: ValueType
    readonly isRequired: boolean
  }[]
}

export interface Code {
  readonly models: readonly Model[]
  readonly enumerations: readonly Enumeration[]
  readonly unions: readonly Union[]
  readonly queries: readonly QueryCode[]
}

const KINDS: Readonly<Record<ScalarType, 'text' | 'integer' | 'number' | 'flag' | 'json'>> = {
  string: 'text',
  text: 'text',
  richtext: 'text',
  email: 'text',
  uid: 'text',
  password: 'text',
  enumeration: 'text',
  integer: 'integer',
  float: 'number',
  decimal: 'number',
  biginteger: 'text', // may exceed the range of JSON numbers
  boolean: 'flag',
  date: 'text',
  time: 'text',
  datetime: 'text',
  timestamp: 'text',
  json: 'json',
  blocks: 'json',
}

const TAKEN: ReadonlySet<string> = new Set(
  (
    'Any Answer Array Bool Boolean CodingKey CodingKeys Data Date Decodable Decoder Double Element Error Function Future Int Iterable ' +
    'JSONDecoder JSONValue Json List Long Map Meta Null Number Object Optional Pagination Pair Queries Query QueryPage Record Self Set ' +
    'String Suppress T Type URLQueryItem Unit Unknown Value Void'
  ).split(' '),
)

function typeNames(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const all = new Set(names.values())
  return new Map(
    [...names].map(([uid, name]) => {
      if (!TAKEN.has(name)) return [uid, name]
      let free = `${name}Model`
      while (all.has(free)) free += 'Model'
      return [uid, free]
    }),
  )
}

const ALWAYS: ReadonlySet<string> = new Set(['id', 'documentId'])

export function modelsOf({ schema, grants }: CodeFacts): Code {
  const names = typeNames(nameSchemas(schema))
  const making: Making = {
    models: [],
    enumerations: [],
    unions: [],
    taken: new Set([...names.values(), ...TAKEN]),
    known: new Set(),
    names,
    mayRead: (uid) => grants.has(contentAction({ uid }, 'find')),
  }
  for (const plan of schema.contentTypes.values()) {
    if (plan.uid.startsWith('api::') && making.mayRead(plan.uid)) addHolder(making, plan)
  }
  const queryNames = nameQueries(schema)
  const queries = [...compileQueries(schema)]
    .filter(([name]) => grants.has(queryAction(name)))
    .map(([name, query]): QueryCode => {
      const wanted = `${queryNames.get(name) ?? name}Entry`
      const model = addEntry(making, wanted, showEntry(query.plan, query.shown))
      return { name, isOne: query.isOne, model, parameters: parametersOf(query) }
    })
  const { models, enumerations, unions } = making
  return { models, enumerations, unions, queries }
}

interface Making {
  readonly models: Model[]
  readonly enumerations: Enumeration[]
  readonly unions: Union[]
  readonly taken: Set<string>
  readonly known: Set<string>
  readonly names: ReadonlyMap<string, string>
  mayRead(uid: string): boolean
}

function freeName({ taken }: Making, wanted: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted}${count}`
    if (taken.has(name)) continue
    taken.add(name)
    return name
  }
}

function addHolder(making: Making, holder: ShapePlan): string {
  const name = making.names.get(holder.uid) ?? holder.uid
  if (making.known.has(holder.uid)) return name
  making.known.add(holder.uid)
  const scalars = [...holder.members.values()].filter(
    (member): member is ScalarPlan => member.kind === 'scalar' && !member.private,
  )
  addModel(making, name, () => [
    ...scalars.map((plan) => scalarField(making, plan, name)),
    ...populatablesOf(holder).flatMap((one) => populatedField(making, one, name) ?? []),
  ])
  return name
}

function addEntry(making: Making, wanted: string, { scalars, links }: ShownEntry): string {
  const name = freeName(making, wanted)
  addModel(making, name, () => [
    ...scalars.map((plan) => scalarField(making, plan, name)),
    ...links.map((link) => linkField(making, link, name)),
  ])
  return name
}

function addModel({ models }: Making, name: string, fieldsOf: () => readonly Field[]): void {
  const place = models.push({ name, fields: [] }) - 1
  models[place] = { name, fields: fieldsOf() }
}

function scalarField(
  making: Making,
  { name: key, type, limits }: ScalarPlan,
  owner: string,
): Field {
  const isOptional = !ALWAYS.has(key)
  const { enum: values } = limits
  if (type !== 'enumeration' || values === undefined) {
    return { key, type: { kind: KINDS[type] }, isOptional }
  }
  const name = freeName(making, owner + capitalized(key))
  making.enumerations.push({ name, values })
  return { key, type: { kind: 'enumeration', name }, isOptional }
}

function populatedField(making: Making, one: Populatable, owner: string): Field | null {
  const { name: key } = one
  const link = (target: ShapePlan, isMany: boolean): Field => {
    const type = listIf(isMany, { kind: 'model', name: addHolder(making, target) })
    return { key, type, isOptional: true }
  }
  switch (one.kind) {
    case 'relation': {
      const isShown = one.unshown !== true && making.mayRead(one.targetUid)
      return isShown ? link(one.target(), one.toMany) : null
    }
    case 'component':
      return link(one.component(), one.repeatable)
    case 'media':
      return link(one.files.target(), one.multiple)
    case 'localizations':
      return link(one.plan, true)
    case 'dynamiczone': {
      const cases = [...one.components()].map(([component, plan]) => {
        return { component, model: addHolder(making, plan) }
      })
      return { key, type: zoneType(making, owner + capitalized(key), cases), isOptional: true }
    }
    case 'users': // of any type
      return null
  }
}

function linkField(making: Making, link: ShownLink, owner: string): Field {
  const { name: key } = link
  switch (link.kind) {
    case 'count':
      return { key, type: { kind: 'json' }, isOptional: false }
    case 'ids':
      return { key, type: listIf(link.isMany, { kind: 'text' }), isOptional: !link.isMany }
    case 'entries': {
      const name = addEntry(making, owner + capitalized(key), link.entry)
      const type = listIf(link.isMany, { kind: 'model', name })
      return { key, type, isOptional: link.isNullable }
    }
    case 'zone': {
      const cases = [...link.elements].map(([component, entry]) => ({
        component,
        model: addEntry(making, owner + capitalized(component), entry),
      }))
      return { key, type: zoneType(making, owner + capitalized(key), cases), isOptional: false }
    }
  }
}

function zoneType(making: Making, wanted: string, cases: Union['cases']): ValueType {
  const name = freeName(making, wanted)
  making.unions.push({ name, cases })
  return { kind: 'list', of: { kind: 'union', name } }
}

function listIf(isMany: boolean, of: ValueType): ValueType {
  return isMany ? { kind: 'list', of } : of
}

function parametersOf(query: NamedQuery): QueryCode['parameters'] {
  const { parameters, takesLocale, takesFallback, takesStatus } = query
  const text = { type: { kind: 'text' }, isRequired: false } as const
  return [
    ...[...parameters].map(([name, definition]) => ({
      name,
      type: parameterType(definition),
      isRequired: definition.required === true,
    })),
    ...(takesLocale ? [{ name: 'locale', ...text }] : []),
    ...(takesFallback ? [{ name: 'fallbackLocale', ...text }] : []),
    ...(takesStatus ? ['status', 'publicationFilter'] : []).map((name) => ({ name, ...text })),
  ]
}

function parameterType({ type, list }: ParameterDefinition): ValueType {
  const one: ValueType = { kind: KINDS[type] }
  return list === true ? { kind: 'list', of: one } : one
}

export function capitalized(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
