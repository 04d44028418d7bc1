import { type LocatedFault, SchemaError } from '../schema-error.ts'
import { isRecord } from '../../base/is-record.ts'
import { nameProblem } from '@quire/schema/names'
import { findAdoptedTypeFaults, findAdoptionFaults } from './adopted-types.ts'
import { findContradictions } from './check-attribute.ts'
import { findNameFaults } from './check-names.ts'
import { checkQuery } from './check-query.ts'
import {
  type DeclaredTypes,
  findEndlessComponents,
  findReferenceFaults,
} from './check-references.ts'
import { plainAttribute } from './custom-field.ts'
import { declarationFault } from './declaration-fault.ts'
import { withBlocksOption } from './extended-blocks.ts'
import { locate, locateInQuery, sentenceAt } from './located-fault.ts'
import { findAttributeFaults, findDeclarationFaults, findUnknownKeys } from './declaration-shape.ts'
import { findIndexFaults, findOwnIndexFaults } from './declared-indexes.ts'
import { findFilterableFaults } from './filterable.ts'
import { findSearchFaults } from './search-weights.ts'
import { findUrlFaults } from './url-places.ts'
import { findWarnings } from './find-warnings.ts'
import type {
  ContentTypeDefinition,
  DeclarationFault,
  DeclarationFile,
  DeclarationProblem,
  Definitions,
} from '../definition.ts'
import { leaveOut } from './leave-out.ts'
import { findReviewFaults } from './review-options.ts'
import { findStudioFaults } from './studio-options.ts'
import { isMorphRelation } from './morph-relation.ts'
import {
  type Declaration,
  type ParsedFile,
  toComponents,
  toContentTypes,
} from './to-definitions.ts'

interface HolderFile extends DeclarationFile {
  readonly kind: 'contentType' | 'component'
}

interface CheckedFile extends ParsedFile {
  readonly file: HolderFile
  readonly faults: readonly DeclarationFault[]
  readonly brokenNames: readonly string[]
  readonly warnings: readonly DeclarationProblem[]
}

/** A file for a built-in type adds attributes to it. @throws SchemaError with all faults, by file and path */
export function checkDefinitions(
  files: readonly DeclarationFile[],
  builtIn: readonly ContentTypeDefinition[] = [],
): Definitions {
  const checked = files.filter(isHolder).map(checkFile)
  const named = files.filter(({ kind }) => kind === 'query').map(checkQuery)
  const { declared, leftOut } = leaveOut(declare(checked, builtIn))
  const faults = [
    ...checked.flatMap(({ file, faults }) => faults.map((fault) => locate(file.file, fault))),
    ...named.flatMap((query) => query.faults.map((fault) => locateInQuery(query, fault))),
    ...duplicateUids(files),
    ...findCrossFaults(declared),
  ]
  if (faults.length > 0) throw SchemaError.at(faults)
  const { contentTypes, components } = declared
  const warnings = [
    ...checked.flatMap(({ file, warnings }) => warnings.map((one) => sentenceAt(file.file, one))),
    ...leftOut.map(({ holder, attribute, why }) =>
      sentenceAt(holder.file, { path: `attributes.${attribute}`, problem: why }),
    ),
    ...findWarnings(contentTypes),
  ]
  const queries = named.flatMap(({ query }) => query ?? [])
  return { contentTypes, components, ...(queries.length > 0 && { queries }), warnings }
}

function isHolder(file: DeclarationFile): file is HolderFile {
  return file.kind !== 'query'
}

function checkFile(file: HolderFile): CheckedFile {
  const nothing = { file, declaration: null, attributes: {}, brokenNames: [], warnings: [] }
  if (file.fault !== undefined) {
    const { fault: problem } = file
    return { ...nothing, faults: [{ path: '', problem, reason: { code: 'declare.unreadable' } }] }
  }
  const faults = findDeclarationFaults(file.content)
  if (!isReadable(faults)) return { ...nothing, faults }
  const declaration = withoutFaults(file.content as object, faults)
  const entries = Object.entries(declaration.attributes ?? {}).map(
    ([name, content]) => [name, plainAttribute(content)] as const,
  )
  const { options } = declaration
  const holder = { kind: file.kind, options, entries }
  const leftOut = entries.flatMap(([name, content]) => {
    const why = leftOutReason(name, content, file.kind)
    return why === null ? [] : [{ name, why }]
  })
  const attributes = entries
    .filter(([name]) => leftOut.every((one) => one.name !== name))
    .map(([name, content]) => {
      const faults = [
        ...checkAttribute(name, content, holder),
        ...findAliasFaults(name, entries, file.kind),
      ]
      return { name, content, faults }
    })
  const isFine = (one: { readonly faults: readonly unknown[] }): boolean => one.faults.length === 0
  const fine = attributes.filter(isFine)
  const broken = attributes.filter((attribute) => !isFine(attribute))
  return {
    file,
    declaration,
    faults: [
      ...faults,
      ...findAdoptionFaults(declaration),
      ...findReviewFaults(options),
      ...attributes.flatMap((attribute) => attribute.faults),
    ],
    attributes: Object.fromEntries(
      fine.map(({ name, content }) => [name, withBlocksOption(content, options)]),
    ),
    brokenNames: [...broken.map(({ name }) => name), ...leftOut.map(({ name }) => name)],
    warnings: [
      ...leftOut.map(({ name, why }) => ({ path: `attributes.${name}`, problem: why })),
      ...fine.flatMap(({ name, content }) => findUnknownKeys(content, `attributes.${name}`)),
    ],
  }
}

/** An alias is a name of its own: no attribute and no other alias may have it. */
function findAliasFaults(
  name: string,
  entries: readonly (readonly [string, unknown])[],
  kind: HolderFile['kind'],
): readonly DeclarationFault[] {
  const taken = entries.flatMap(([other, content]) =>
    other === name ? [other] : [other, ...aliasesIn(content)],
  )
  const own = entries.find(([other]) => other === name)?.[1]
  return aliasesIn(own).flatMap((alias) => {
    const path = `attributes.${name}.alias`
    const problem = nameProblem(alias, kind)
    if (problem !== null) return [declarationFault(path, NAME_FAULTS[problem])]
    return taken.includes(alias)
      ? [declarationFault(path, 'declare.aliasTaken', { name: alias })]
      : []
  })
}

function aliasesIn(content: unknown): readonly string[] {
  const alias = isRecord(content) ? content['alias'] : null
  return Array.isArray(alias) ? alias.filter((one) => typeof one === 'string') : []
}

/** Dates that the server sets. Projects of the reference may declare them. */
const SERVER_DATES: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'publishedAt'])

function leftOutReason(name: string, content: unknown, kind: HolderFile['kind']): string | null {
  if (isMorphRelation(content)) {
    return 'polymorphic relations are not supported; the attribute is left out'
  }
  const isDate = (content as { readonly type?: unknown } | null)?.type === 'datetime'
  if (kind !== 'contentType' || !SERVER_DATES.has(name) || !isDate) return null
  return 'the server sets this date; the declared attribute is left out'
}

function isReadable(faults: readonly DeclarationFault[]): boolean {
  return faults.every(({ path }) => path !== '' && path !== 'attributes')
}

function withoutFaults(content: object, faults: readonly DeclarationFault[]): Declaration {
  const faulty = new Set(faults.map(({ path }) => path.split('.')[0]))
  return Object.fromEntries(Object.entries(content).filter(([key]) => !faulty.has(key)))
}

const NAME_FAULTS = {
  reserved: 'declare.nameReserved',
  form: 'declare.nameForm',
} as const

interface AttributeHolder extends Pick<HolderFile, 'kind'> {
  readonly options: Declaration['options']
  readonly entries: readonly (readonly [string, unknown])[]
}

function checkAttribute(
  name: string,
  content: unknown,
  { kind, options, entries }: AttributeHolder,
): readonly DeclarationFault[] {
  const path = `attributes.${name}`
  const problem = nameProblem(name, kind)
  const faults = [
    ...(problem === null ? [] : [declarationFault(path, NAME_FAULTS[problem])]),
    ...findAttributeFaults(content, path),
  ]
  if (faults.length > 0) return faults
  const definition = withBlocksOption(content, options)
  const contradictions = [
    ...findContradictions(
      definition,
      entries.map(([other]) => other),
    ),
    ...findStudioFaults(definition, new Map(entries)),
    ...findOwnIndexFaults(definition, kind),
  ]
  return contradictions.map((fault) => ({ ...fault, path: `${path}.${fault.path}` }))
}

function declare(
  checked: readonly CheckedFile[],
  builtIn: readonly ContentTypeDefinition[],
): DeclaredTypes {
  const types = checked.filter(({ file }) => file.kind === 'contentType').flatMap(toContentTypes)
  const builtInUids = new Set(builtIn.map(({ uid }) => uid))
  return {
    contentTypes: [
      ...types.filter(({ uid }) => !builtInUids.has(uid)),
      ...builtIn.map((type) => extend(type, types)),
    ],
    components: checked.filter(({ file }) => file.kind === 'component').flatMap(toComponents),
    brokenUids: new Set(
      checked.flatMap(({ file, declaration }) => (declaration === null ? [file.uid] : [])),
    ),
    brokenAttributes: new Set(
      checked.flatMap(({ file, brokenNames }) => brokenNames.map((name) => `${file.uid} ${name}`)),
    ),
  }
}

function extend(
  type: ContentTypeDefinition,
  declared: readonly ContentTypeDefinition[],
): ContentTypeDefinition {
  const extension = declared.find(({ uid }) => uid === type.uid)
  if (extension === undefined) return type
  const attributes = { ...type.attributes, ...extension.attributes, ...type.attributes }
  return { ...type, file: extension.file, attributes }
}

function findCrossFaults(declared: DeclaredTypes): readonly LocatedFault[] {
  const { contentTypes, components } = declared
  return [
    ...contentTypes.flatMap((type) => [
      ...findNameFaults(type, contentTypes).map((fault) => locate(type.file, fault)),
      ...findReferenceFaults(type, declared).map((fault) => locate(type.file, fault)),
      ...findAdoptedTypeFaults(type, declared).map((fault) => locate(type.file, fault)),
      ...findIndexFaults(type, components).map((fault) => locate(type.file, fault)),
      ...findFilterableFaults(type, declared).map((fault) => locate(type.file, fault)),
      ...[...findSearchFaults(type), ...findUrlFaults(type)].map((fault) =>
        locate(type.file, fault),
      ),
    ]),
    ...components.flatMap((component) => {
      return findReferenceFaults(component, declared).map((fault) => locate(component.file, fault))
    }),
    ...findEndlessComponents(components).map(({ component, attribute }) => {
      const fault = declarationFault(`attributes.${attribute}`, 'declare.endless')
      return locate(component.file, fault)
    }),
  ]
}

function duplicateUids(files: readonly DeclarationFile[]): readonly LocatedFault[] {
  return files.flatMap(({ uid, file }, index) => {
    const earlier = files.slice(0, index).find((other) => other.uid === uid)
    if (earlier === undefined) return []
    const params = { name: uid, file: earlier.file }
    return [locate(file, declarationFault('', 'declare.duplicate', params))]
  })
}
