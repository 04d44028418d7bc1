import type { ContentTypePlan, Schema, ShapePlan } from '../../schema/plan.ts'
import { adoptedVerbs, isWritable } from '../../schema/adopted-verbs.ts'
import { nameSchemas } from '../openapi/schema-names.ts'
import type { CodeScope, Member } from './code.ts'
import { inputMembers } from './input-members.ts'
import { fieldMembers, linkMembers } from './shape-members.ts'
import { writeMember, writeMembers } from './write-members.ts'

const HEAD = `// Written by \`quire types\`: run it again when the content-types change.
import type { DocumentService, SingleService } from '@quire/server'

declare namespace quire {
  type Block = { readonly type: string; readonly children?: readonly Block[]; readonly [name: string]: unknown }
  type Blocks = readonly Block[]
  type ExtendedBlocks = Blocks
  type Location = { readonly latitude: number; readonly longitude: number }
  /** A documentId or an id. */
  type Key = string | number
  type RelationChange = {
    readonly connect?: readonly (Key | object)[]
    readonly disconnect?: readonly (Key | object)[]
    readonly set?: readonly (Key | object)[]
  }
  type ToOne = Key | null | RelationChange
  type ToMany = readonly Key[] | null | RelationChange
  type One<T> = T | null
  type RequiredOne<T> = T | null
  type Many<T> = readonly T[]
  type FileFormat = {
    readonly name: string
    readonly url: string
    readonly mime: string
    readonly ext: string
    readonly hash: string
    readonly width: number
    readonly height: number
    readonly size: number
    readonly sizeInBytes: number
  }
  type FileFormats = { readonly [name: string]: FileFormat | undefined }
  type FocalPoint = { readonly x: number; readonly y: number }
  type Zone<Elements> = readonly {
    [Name in keyof Elements]: { readonly __component: Name } & Elements[Name]
  }[keyof Elements][]
}
`

export function writeProjectTypes(schema: Schema): string {
  const names = nameSchemas(schema)
  const scope: CodeScope = {
    mayRead: () => true,
    nameOf: (uid) => names.get(uid) ?? 'never',
  }
  const types = [...schema.contentTypes.values()]
  const own = types.filter(({ uid }) => uid.startsWith('api::'))
  const content = own.map((plan): Member => [nameInContent(plan), serviceType(plan, scope)])
  const byUid = own.map((plan): Member => {
    const name = scope.nameOf(plan.uid)
    const payload = isWritable(plan, 'update') ? `${name}_Update` : 'never'
    return [plan.uid, `{ entry: ${name}; payload: ${payload} }`]
  })
  return [
    HEAD,
    ...types.filter(({ uid }) => names.has(uid)).map((plan) => writeEntry(plan, scope)),
    ...[...schema.components.values()].map((plan) => writeComponent(plan, scope)),
    "declare module '@quire/server' {",
    `  interface ProjectContent ${writeMembers(content, '  ')}`,
    `  interface ProjectTypes ${writeMembers(byUid, '  ')}`,
    '}\n',
  ].join('\n')
}

function nameInContent({ kind, singularName, pluralName }: ContentTypePlan): string {
  return kind === 'singleType' ? singularName : pluralName
}

function serviceType(plan: ContentTypePlan, scope: CodeScope): string {
  const { kind, uid } = plan
  const name = scope.nameOf(uid)
  const reads = `'find' | 'findOne' | 'count'`
  if (!isWritable(plan, 'update')) return `Pick<DocumentService<${name}>, ${reads}>`
  if (plan.adopted !== undefined) {
    const writes = adoptedVerbs(plan.adopted).map((verb) => `'${verb}'`)
    const service = `DocumentService<${name}, ${name}_Create, ${name}_Update>`
    return `Pick<${service}, ${[reads, ...writes].join(' | ')}>`
  }
  return kind === 'singleType'
    ? `SingleService<${name}, ${name}_Update>`
    : `DocumentService<${name}, ${name}_Create, ${name}_Update>`
}

function writeEntry(plan: ContentTypePlan, scope: CodeScope): string {
  const name = scope.nameOf(plan.uid)
  if (!isWritable(plan, 'update')) return writeInterface(name, shownMembers(plan, scope))
  const { create, update } = inputMembers(plan, scope)
  return [
    writeInterface(name, shownMembers(plan, scope)),
    writeInterface(`${name}_Create`, create),
    writeInterface(`${name}_Update`, update),
  ].join('\n')
}

function writeComponent(plan: ShapePlan, scope: CodeScope): string {
  const name = scope.nameOf(plan.uid)
  const { update } = inputMembers(plan, scope)
  return [
    writeInterface(name, shownMembers(plan, scope)),
    writeInterface(`${name}_Input`, [['id?', 'number'], ...update]),
  ].join('\n')
}

function shownMembers(plan: ShapePlan, scope: CodeScope): readonly Member[] {
  const optional = [...fieldMembers(plan, 'on request', 'draft'), ...linkMembers(plan, scope)]
  return [
    ...fieldMembers(plan, 'always', 'draft'),
    ...optional.map(([name, type]): Member => [`${name}?`, type]),
  ]
}

function writeInterface(name: string, members: readonly Member[]): string {
  return `export interface ${name} {\n${members.map((one) => writeMember(one)).join('')}}\n`
}
