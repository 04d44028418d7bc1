import type { Grants } from '../../people/access/principal.ts'
import { contentAction, queryAction } from '../../people/access/actions.ts'
import { compileQueries, USUAL_BOUNDS } from '../../query/named/compile-queries.ts'
import type { NamedQuery } from '../../query/named/named-query.ts'
import { showEntry, type ShownEntry, type ShownLink } from '../../query/named/shown-entry.ts'
import { showGroup, type ShownGroup } from '../../query/named/shown-group.ts'
import { parseDefaultPopulate } from '../../query/populate/default-populate.ts'
import { PUBLICATION_FILTERS } from '../../query/query.ts'
import type { ParameterDefinition, ParameterType } from '../../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { type CodeScope, type Member, quoted } from './code.ts'
import { fieldType, valueType, type VersionState } from './shape-members.ts'
import { writeMembers } from './write-members.ts'

export function queryMembers(schema: Schema, grants: Grants): readonly Member[] {
  return [...compileQueries(schema)]
    .filter(([name]) => grants.has(queryAction(name)))
    .map(([name, query]) => [
      name,
      writeMembers(
        [
          ['kind', quoted(kindOf(query))],
          ['parameters', writeMembers(parametersOf(query, grants), '      ')],
          shownMember(query, grants),
        ],
        '    ',
      ),
    ])
}

function kindOf({ aggregate, isOne }: NamedQuery): string {
  if (aggregate !== null) return 'groups'
  return isOne ? 'one' : 'list'
}

function shownMember(query: NamedQuery, grants: Grants): Member {
  const { plan, shown, aggregate } = query
  if (aggregate !== null) return ['group', groupType(showGroup(aggregate), '      ')]
  return ['entry', entryType(showEntry(plan, shown), '      ', statusOf(query, grants))]
}

function groupType({ counts, parts }: ShownGroup, indent: string): string {
  const members = parts.map(([name, values]): Member => {
    const types = values.map(({ name: key, plan, isNullable }): Member => [
      key,
      `${valueType(plan)}${isNullable ? ' | null' : ''}`,
    ])
    return [name, writeMembers(types, `${indent}  `)]
  })
  return writeMembers([...members, ...(counts ? [['count', 'number'] as const] : [])], indent)
}

export function populatedMembers(
  plan: ContentTypePlan,
  schema: Schema,
  { mayRead }: Pick<CodeScope, 'mayRead'>,
  state: VersionState,
): readonly Member[] {
  const populate = parseDefaultPopulate(plan, { schema, mayRead, ...USUAL_BOUNDS })
  const { links } = showEntry(plan, { fields: 'all', populate })
  return links.map((link): Member => [link.name, linkType(link, '    ', state)])
}

function parametersOf(query: NamedQuery, grants: Grants): readonly Member[] {
  const { plan, parameters, takesLocale, takesFallback, takesStatus } = query
  const mayReadDrafts = !plan.draftAndPublish || grants.has(contentAction(plan, 'readDrafts'))
  return [
    ...[...parameters].map(([name, definition]): Member => [
      definition.required === true ? name : `${name}?`,
      parameterType(definition),
    ]),
    ...(takesLocale ? [['locale?', `Content['locales']`] as const] : []),
    ...(takesFallback ? [['fallbackLocale?', `readonly Content['locales'][]`] as const] : []),
    ...(takesStatus && mayReadDrafts ? [['status?', `'draft' | 'published'`] as const] : []),
    ...(takesStatus
      ? [['publicationFilter?', PUBLICATION_FILTERS.map(quoted).join(' | ')] as const]
      : []),
  ]
}

const GIVEN: Readonly<Record<ParameterType, string>> = {
  string: 'string',
  enumeration: 'string',
  integer: 'number',
  biginteger: 'string | number | bigint',
  float: 'number',
  decimal: 'number | string',
  boolean: 'boolean',
  date: 'string',
  time: 'string',
  datetime: 'string | globalThis.Date',
}

function parameterType({ type, list, enum: values }: ParameterDefinition): string {
  const one = values === undefined ? GIVEN[type] : values.map(quoted).join(' | ')
  return list === true ? `readonly (${one})[]` : one
}

/** `draft` if the response to the query may contain drafts. */
function statusOf({ takesStatus, plan }: NamedQuery, grants: Grants): VersionState {
  const mayReadDrafts = !plan.draftAndPublish || grants.has(contentAction(plan, 'readDrafts'))
  return takesStatus && mayReadDrafts ? 'draft' : 'published'
}

function entryType(
  { holder, scalars, links }: ShownEntry,
  indent: string,
  state: VersionState,
  more: Member[] = [],
): string {
  const members = [
    ...more,
    ...scalars.map((plan): Member => [plan.name, fieldType(plan, holder, state)]),
    ...links.map((link): Member => [link.name, linkType(link, `${indent}  `, state)]),
  ]
  return writeMembers(members, indent)
}

function linkType(link: ShownLink, indent: string, state: VersionState): string {
  switch (link.kind) {
    case 'count':
      return '{ count: number }'
    case 'ids':
      return link.isMany ? 'string[]' : 'string | null'
    case 'entries': {
      const entry = entryType(link.entry, indent, state)
      return `${entry}${link.isMany ? '[]' : ''}${link.isNullable ? ' | null' : ''}`
    }
    case 'zone': {
      const elements = [...link.elements].map(([uid, entry]) =>
        entryType(entry, indent, state, [['__component', quoted(uid)]]),
      )
      return `(${elements.join(' | ') || 'never'})[]`
    }
  }
}
