import { contentAction } from '../../people/access/actions.ts'
import type { Grants } from '../../people/access/principal.ts'
import { nameSchemas } from '../openapi/schema-names.ts'
import type { LocaleRules } from '../../query/query.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ShapePlan, ContentTypePlan, Schema } from '../../schema/plan.ts'
import { type CodeScope, type Member, quoted } from './code.ts'
import { storedShape, storedType } from './content-plan.ts'
import { inputMembers } from './input-members.ts'
import { queryMembers } from './query-members.ts'
import { fieldMembers, filterMembers, linkMembers } from './shape-members.ts'
import { writeMember, writeMembers } from './write-members.ts'

export interface CodeFacts {
  readonly schema: Schema
  readonly locales: LocaleRules
  readonly grants: Grants
}

export function writeTypeScript({ schema, locales, grants }: CodeFacts): string {
  const names = nameSchemas(schema)
  const scope: CodeScope = {
    mayRead: (uid) => grants.has(contentAction({ uid }, 'find')),
    nameOf: (uid) => names.get(uid) ?? 'never',
  }
  const types = [...schema.contentTypes.values()].filter(({ uid }) => isWritten(uid, scope))
  const own = types.filter(({ uid }) => uid.startsWith('api::'))
  const codes = locales.all.map(({ code }) => quoted(code)).join(' | ')
  const paths = own.map((plan): Member => [pathOf(plan), scope.nameOf(plan.uid)])
  const kinds = own.map((plan): Member => [
    pathOf(plan),
    plan.kind === 'singleType' ? `'single'` : `'collection'`,
  ])
  const named = queryMembers(schema, grants)
  const queries = named.length === 0 ? '' : writeMember(['queries', writeMembers(named, '  ')])
  return [
    HEAD,
    ...types.map((plan) => writeType(plan, scope)),
    ...[...schema.components.values()].map((plan) => writeShape(plan, scope)),
    `export interface Content {\n  locales: ${codes}\n${writeMember(['types', writeMembers(paths, '  ')])}  files: ${scope.nameOf(FILE)}\n${queries}}\n`,
    `const kinds = ${writeMembers(kinds, '', ',')} as const\n`,
    writePlan(types, [...schema.components.values()], scope),
    CREATE,
  ].join('\n')
}

const FILE = 'plugin::upload.file'

const HEAD = `// Written by \`quire client ts\`: run it again when the content-types change.
import * as quire from '@quire/client'
`

const CREATE = `export function createClient(options: quire.ClientOptions): quire.Client<Content> {
  return quire.createClient<Content>(kinds, options)
}
`

function isWritten(uid: Uid, scope: CodeScope): boolean {
  return uid === FILE || scope.mayRead(uid)
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
    if (plan.uid === FILE) return '$files'
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

function writeType(plan: ContentTypePlan, scope: CodeScope): string {
  const { create, update } = inputMembers(plan, scope)
  return writeInterface(scope.nameOf(plan.uid), [
    ['kind', plan.kind === 'singleType' ? `'single'` : `'collection'`],
    ...shapeOf(plan, scope),
    ['create', writeMembers(create, '  ')],
    ['update', writeMembers(update, '  ')],
  ])
}

function writeShape(plan: ShapePlan, scope: CodeScope): string {
  const name = scope.nameOf(plan.uid)
  const { update } = inputMembers(plan, scope)
  const input = writeInterface(`${name}_Input`, [['id?', 'number'], ...update])
  return `${writeInterface(name, shapeOf(plan, scope))}\n${input}`
}

function shapeOf(plan: ShapePlan, scope: CodeScope): readonly Member[] {
  const more = fieldMembers(plan, 'on request')
  return [
    ['fields', writeMembers(fieldMembers(plan, 'always'), '  ')],
    ...(more.length > 0 ? [['onRequest', writeMembers(more, '  ')] as const] : []),
    ['filters', writeMembers(filterMembers(plan), '  ')],
    ['populate', writeMembers(linkMembers(plan, scope), '  ')],
  ]
}

function writeInterface(name: string, members: readonly Member[]): string {
  return `export interface ${name} ${writeMembers(members)}\n`
}
