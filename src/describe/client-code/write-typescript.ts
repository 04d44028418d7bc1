import { contentAction } from '../../people/access/actions.ts'
import { type Grants, rulesFor } from '../../people/access/principal.ts'
import { describedReader } from '../described-reader.ts'
import { nameSchemas } from '../openapi/schema-names.ts'
import { facetNames, searchedNames } from '../openapi/read-parameters.ts'
import type { LocaleRules } from '../../query/query.ts'
import { isWritable } from '../../schema/adopted-verbs.ts'
import { FILE_UID, type Uid } from '../../schema/definition.ts'
import type { ShapePlan, ContentTypePlan, Schema } from '../../schema/plan.ts'
import { type CodeScope, type Member, quoted } from './code.ts'
import { storedShape, storedType } from './content-plan.ts'
import { inputMembers } from './input-members.ts'
import { populatedMembers, queryMembers } from './query-members.ts'
import { fieldMembers, filterMembers, linkMembers, unfinishedNames } from './shape-members.ts'
import { writeMember, writeMembers } from './write-members.ts'

export interface CodeFacts {
  readonly schema: Schema
  readonly locales: LocaleRules
  readonly grants: Grants
}

interface WriterScope extends CodeScope {
  /** Whether a rule of the reader sets the attribute in the documents that the reader creates. */
  isSet(plan: ContentTypePlan, name: string): boolean
}

export function writeTypeScript({ locales, ...facts }: CodeFacts): string {
  const { schema, grants } = describedReader(facts.schema, facts.grants)
  const names = nameSchemas(schema)
  const scope: WriterScope = {
    mayRead: (uid) => grants.has(contentAction({ uid }, 'find')),
    nameOf: (uid) => names.get(uid) ?? 'never',
    isSet: (plan, name) =>
      rulesFor(facts, contentAction(plan, 'create')).some(({ set }) => Object.hasOwn(set, name)),
  }
  const types = [...schema.contentTypes.values()].filter(({ uid }) => isWritten(uid, scope))
  const own = types.filter(({ uid }) => uid.startsWith('api::'))
  const codes = locales.all.map(({ code }) => quoted(code)).join(' | ')
  const paths = own.map((plan): Member => [pathOf(plan), scope.nameOf(plan.uid)])
  const singular = own.map((plan): Member => [plan.singularName, scope.nameOf(plan.uid)])
  const kinds = own.map((plan): Member => [
    pathOf(plan),
    plan.kind === 'singleType' ? `'single'` : `'collection'`,
  ])
  const named = queryMembers(facts.schema, grants)
  const queries = named.length === 0 ? '' : writeMember(['queries', writeMembers(named, '  ')])
  return [
    HEAD,
    ...types.map((plan) => writeType(plan, schema, scope)),
    ...[...schema.components.values()].map((plan) => writeShape(plan, scope)),
    `export interface Content {\n  locales: ${codes}\n${writeMember(['types', writeMembers(paths, '  ')])}${writeMember(['singular', writeMembers(singular, '  ')])}  files: ${scope.nameOf(FILE_UID)}\n${queries}}\n`,
    `const kinds = ${writeMembers(kinds, '', ',')} as const\n`,
    writePlan(types, [...schema.components.values()], scope),
    CREATE,
  ].join('\n')
}

const HEAD = `// Written by \`quire client ts\`: run it again when the content-types change.
import * as quire from '@quire/client'
`

const CREATE = `export function createClient(options: quire.ClientOptions): quire.Client<Content> {
  return quire.createClient<Content>(kinds, options)
}
`

function isWritten(uid: Uid, scope: CodeScope): boolean {
  return uid === FILE_UID || scope.mayRead(uid)
}

function pathOf({ kind, singularName, pluralName }: ContentTypePlan): string {
  return kind === 'singleType' ? singularName : pluralName
}

function writePlan(
  types: readonly ContentTypePlan[],
  components: readonly ShapePlan[],
  scope: CodeScope,
): string {
  const nameOf = (plan: ContentTypePlan): string | null => {
    if (plan.uid === FILE_UID) return '$files'
    return plan.uid.startsWith('api::') ? pathOf(plan) : null
  }
  const rows = types.flatMap((plan): readonly Member[] => {
    const name = nameOf(plan)
    return name === null ? [] : [[name, JSON.stringify(storedType(plan, scope, nameOf))]]
  })
  const parts = components.map((plan): Member => [
    plan.uid,
    JSON.stringify(storedShape(plan, scope, nameOf)),
  ])
  const members: readonly Member[] = [
    ['types', writeMembers(rows, '  ', ',')],
    ['components', writeMembers(parts, '  ', ',')],
  ]
  return `/** For \`createStore\` of \`@quire/client/sync\`. */\nexport const content: quire.ContentPlan<Content> = ${writeMembers(members, '', ',')}\n`
}

function writeType(plan: ContentTypePlan, schema: Schema, scope: WriterScope): string {
  const { update } = inputMembers(plan, scope)
  const create = inputMembers(plan, scope, false).create.map(([name, type]): Member => [
    scope.isSet(plan, name) ? `${name}?` : name,
    type,
  ])
  const populated = populatedMembers(plan, schema, scope, 'published')
  const populatedDraft = populatedMembers(plan, schema, scope, 'draft')
  return writeInterface(scope.nameOf(plan.uid), [
    ['kind', plan.kind === 'singleType' ? `'single'` : `'collection'`],
    ...shapeOf(plan, scope),
    ...(populated.length > 0
      ? [
          ['populated', writeMembers(populated, '  ')] as const,
          ['populatedDraft', writeMembers(populatedDraft, '  ')] as const,
        ]
      : []),
    ...searchMembers(plan, scope),
    ['create', isWritable(plan, 'create') ? writeMembers(create, '  ') : 'never'],
    ['update', isWritable(plan, 'update') ? writeMembers(update, '  ') : 'never'],
  ])
}

function searchMembers(plan: ContentTypePlan, scope: CodeScope): readonly Member[] {
  const searched = plan.kind === 'collectionType' ? searchedNames(plan) : []
  const faceted = searched.length === 0 ? [] : facetNames(scope, plan)
  return [
    ...(searched.length === 0 ? [] : [['searched', unionOf(searched)] as const]),
    ...(faceted.length === 0 ? [] : [['faceted', unionOf(faceted)] as const]),
  ]
}

function unionOf(names: readonly string[]): string {
  return names.map(quoted).join(' | ')
}

function writeShape(plan: ShapePlan, scope: CodeScope): string {
  const name = scope.nameOf(plan.uid)
  const { update } = inputMembers(plan, scope)
  const input = writeInterface(`${name}_Input`, [['id?', 'number'], ...update])
  return `${writeInterface(name, shapeOf(plan, scope))}\n${input}`
}

function shapeOf(plan: ShapePlan, scope: CodeScope): readonly Member[] {
  const more = fieldMembers(plan, 'on request', 'published')
  const unfinished = unfinishedNames(plan)
  return [
    ['fields', writeMembers(fieldMembers(plan, 'always', 'published'), '  ')],
    ...(unfinished === null ? [] : [['unfinished', unfinished] as const]),
    ...(more.length > 0 ? [['onRequest', writeMembers(more, '  ')] as const] : []),
    ['filters', writeMembers(filterMembers(plan), '  ')],
    ['populate', writeMembers(linkMembers(plan, scope), '  ')],
  ]
}

function writeInterface(name: string, members: readonly Member[]): string {
  return `export interface ${name} ${writeMembers(members)}\n`
}
