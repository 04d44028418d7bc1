import type {
  Code,
  Enumeration,
  Field,
  Model,
  QueryCode,
  Union,
  ValueType,
} from '@quire/native-clients/code'
import { capitalized } from '@quire/native-clients/identifiers'
import { contentAction, queryAction } from '../../people/access/actions.ts'
import type { Grants } from '../../people/access/principal.ts'
import { describedReader } from '../described-reader.ts'
import { nameQueries, nameSchemas } from '../openapi/schema-names.ts'
import { type Populatable, populatablesOf } from '../../query/populate/parse-populate-attributes.ts'
import { compileQueries } from '../../query/named/compile-queries.ts'
import type { NamedQuery } from '../../query/named/named-query.ts'
import { showEntry, type ShownEntry, type ShownLink } from '../../query/named/shown-entry.ts'
import { showGroup, type ShownGroup } from '../../query/named/shown-group.ts'
import type { ParameterDefinition, ScalarType } from '../../schema/definition.ts'
import type { ShapePlan, ScalarPlan } from '../../schema/plan.ts'
import type { CodeFacts } from './write-typescript.ts'

const KINDS: Readonly<
  Record<Exclude<ScalarType, 'location'>, 'text' | 'integer' | 'number' | 'flag' | 'date' | 'json'>
> = {
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
  datetime: 'date',
  timestamp: 'text',
  json: 'json',
  blocks: 'json',
}

const TAKEN: ReadonlySet<string> = new Set(
  (
    'Any Array Bool Boolean CodingKey CodingKeys Data Date DateTime Decodable Decoder Double Element Encodable Encoder Error Function ' +
    'Future ISO8601DateFormatter Instant Int Iterable JSONDecoder JSONEncoder JSONValue Json List Long Map Null Number Object Optional ' +
    'Pair Queries QuireAnswer QuireGroups QuireMeta QuirePage QuirePagination QuireQuery Record Self Set String Suppress T Type URLQueryItem Unit ' +
    'Unknown Value Void ' +
    // Names of the platforms, which a model would shadow in the files of an app.
    'Action Actor Align App Binding Bundle Button Calendar Card Category Center Character Color Column Comparable Container Context Divider ' +
    'Duration Enum Environment Event File Flow Form Group Icon Identifiable Image Iterator Key Label Link Locale Menu Model Notification ' +
    'Observable Operation Page Path Pattern Picker Process Progress Query Range Regex Result Route Row Scene Section Sequence Service Shape ' +
    'Size Slider Spacer State Stream Symbol Tab Table Task Text Thread Throwable Timer Toggle URL UUID Uri View Widget Window'
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

/** Never null, like required attributes of published entries. */
const ALWAYS: ReadonlySet<string> = new Set(['id', 'documentId'])

export function modelsOf(facts: CodeFacts): Code {
  const { schema, grants } = describedReader(facts.schema, facts.grants)
  const names = typeNames(nameSchemas(schema))
  const making: Making = {
    models: [],
    enumerations: [],
    unions: [],
    taken: new Set([...names.values(), ...TAKEN]),
    known: new Set(),
    location: { name: null },
    names,
    mayRead: (uid) => grants.has(contentAction({ uid }, 'find')),
  }
  for (const plan of schema.contentTypes.values()) {
    if (plan.uid.startsWith('api::') && making.mayRead(plan.uid)) addHolder(making, plan)
  }
  const queryNames = nameQueries(facts.schema)
  const queries = [...compileQueries(facts.schema)]
    .filter(([name]) => grants.has(queryAction(name)))
    .map(([name, query]): QueryCode => {
      const { plan, shown, aggregate } = query
      const wanted = queryNames.get(name) ?? name
      const model =
        aggregate === null
          ? addEntry(making, `${wanted}Entry`, showEntry(plan, shown), mayFindDrafts(query, grants))
          : addGroup(making, `${wanted}Group`, showGroup(aggregate))
      return { name, shows: showsOf(query), model, parameters: parametersOf(query) }
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
  readonly location: { name: string | null }
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

/** Whether the response to the query may contain drafts, which may lack required attributes. */
function mayFindDrafts({ plan, takesStatus }: NamedQuery, grants: Grants): boolean {
  return takesStatus && (!plan.draftAndPublish || grants.has(contentAction(plan, 'readDrafts')))
}

function addEntry(
  making: Making,
  wanted: string,
  { holder, scalars, links }: ShownEntry,
  mayBeDraft: boolean,
): string {
  const name = freeName(making, wanted)
  const isUnfinished =
    mayBeDraft && (!('draftAndPublish' in holder) || holder.draftAndPublish === true)
  addModel(making, name, () => [
    ...scalars.map((plan) => scalarField(making, plan, name, isUnfinished)),
    ...links.map((link) => linkField(making, link, name, mayBeDraft)),
  ])
  return name
}

function showsOf({ aggregate, isOne }: NamedQuery): QueryCode['shows'] {
  if (aggregate !== null) return 'groups'
  return isOne ? 'one' : 'page'
}

function addGroup(making: Making, wanted: string, { counts, parts }: ShownGroup): string {
  const name = freeName(making, wanted)
  addModel(making, name, () => [
    ...parts.map(([key, values]): Field => {
      const part = freeName(making, name + capitalized(key))
      addModel(making, part, () =>
        values.map(({ name: one, plan, isNullable }) => ({
          key: one,
          type: scalarType(making, plan, part + capitalized(one)),
          isOptional: isNullable,
        })),
      )
      return { key, type: { kind: 'model', name: part }, isOptional: false }
    }),
    ...(counts ? [{ key: 'count', type: { kind: 'integer' }, isOptional: false } as const] : []),
  ])
  return name
}

function addModel({ models }: Making, name: string, fieldsOf: () => readonly Field[]): void {
  const place = models.push({ name, fields: [] }) - 1
  models[place] = { name, fields: fieldsOf() }
}

function scalarField(
  making: Making,
  { name: key, type, limits, required, onRequest, nullable = false }: ScalarPlan,
  owner: string,
  isUnfinished = false,
): Field {
  const isFilled = required && !onRequest && !isUnfinished
  const isOptional = !isFilled && (nullable || !ALWAYS.has(key))
  return { key, type: scalarType(making, { type, limits }, owner + capitalized(key)), isOptional }
}

function scalarType(
  making: Making,
  { type, limits }: Pick<ScalarPlan, 'type' | 'limits'>,
  wanted: string,
): ValueType {
  const { enum: values } = limits
  if (type === 'location') return { kind: 'model', name: locationModel(making) }
  if (type !== 'enumeration' || values === undefined) return { kind: KINDS[type] }
  const name = freeName(making, wanted)
  making.enumerations.push({ name, values })
  return { kind: 'enumeration', name }
}

/** Latitude and longitude. Added on first use. */
function locationModel(making: Making): string {
  if (making.location.name !== null) return making.location.name
  const name = freeName(making, 'Coordinates')
  making.location.name = name
  const degrees = { type: { kind: 'number' }, isOptional: false } as const
  addModel(making, name, () => [
    { key: 'latitude', ...degrees },
    { key: 'longitude', ...degrees },
  ])
  return name
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

function linkField(making: Making, link: ShownLink, owner: string, mayBeDraft: boolean): Field {
  const { name: key } = link
  switch (link.kind) {
    case 'count':
      return { key, type: { kind: 'json' }, isOptional: false }
    case 'ids':
      return { key, type: listIf(link.isMany, { kind: 'text' }), isOptional: !link.isMany }
    case 'entries': {
      const name = addEntry(making, owner + capitalized(key), link.entry, mayBeDraft)
      const type = listIf(link.isMany, { kind: 'model', name })
      return { key, type, isOptional: link.isNullable }
    }
    case 'zone': {
      const cases = [...link.elements].map(([component, entry]) => ({
        component,
        model: addEntry(making, owner + capitalized(component), entry, mayBeDraft),
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
